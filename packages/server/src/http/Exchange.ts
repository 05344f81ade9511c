/** One request and what is known of it before its handler runs. */
import { Context } from "effect"
import { administering, type Need } from "../api/Needs.ts"

export interface ExchangeShape {
  readonly requestId: string
  /** What the endpoint asks of its caller. */
  readonly need: Need
  /** Set when the handler is done: what fails to decode after that is the server's fault. */
  handled: boolean
}

/** Without a match of the contract, the most is needed. */
export class Exchange extends Context.Reference<Exchange>()("@pawl/server/http/Exchange", {
  defaultValue: (): ExchangeShape => ({ requestId: "", need: administering, handled: false })
}) {}
