/** One request and what is known of it before its handler runs. */
import { Context } from "effect"
import { administering, type Need } from "../api/Needs.ts"
import type { Reachable } from "./Reach.ts"

export interface ExchangeShape {
  readonly requestId: string
  /** Of the endpoint, with `:id` where an id stands. */
  readonly path: string
  /** What stands there; null where the path has none. */
  readonly id: string | null
  /** What the endpoint asks of its caller. */
  readonly need: Need
  /** What the id leads to, once it is known that the caller may go there. */
  reached: Partial<Reachable>
  /** The caller, once its token is known. */
  userId: string | null
  /** Set when the handler is done: what fails to decode after that is the server's fault. */
  handled: boolean
}

/** Without a match of the contract, the most is needed. */
export class Exchange extends Context.Reference<Exchange>()("@pawl/server/http/Exchange", {
  defaultValue: (): ExchangeShape => ({
    requestId: "",
    path: "",
    id: null,
    need: administering,
    reached: {},
    userId: null,
    handled: false
  })
}) {}
