/** One request and what is known of it before its handler runs. */
import { Context, Effect } from "effect"
import { administering, type Need } from "../../api/Needs.ts"
import type { Problem } from "../../api/Problem.ts"
import type { Place } from "./Admission.ts"
import type { Reachable } from "./Reach.ts"
import type { Written } from "../answer/WrittenAnswer.ts"

/** What middleware finds out, for what comes after it. */
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
  /** Its answer's place among those of the same caller; null until it has one. */
  place: Place | null
  /** Waits for one. */
  readonly enter: (caller: string) => Effect.Effect<void, Problem>
  /** Tells how to see whether others wait for what this answer holds: then its reader is given less time. */
  readonly isAwaited: (see: () => boolean) => void
  /** The entity tag of the answer, where it has one. */
  tag: string | null
  /** Makes its answer of what the handler answers, where it can. */
  readonly answer: Written
  /** Set when the handler is done: what fails to decode after that is the server's fault. */
  handled: boolean
}

/** Without a match of the contract, the most is needed. */
export const Exchange = Context.Reference("@pawl/server/http/request/Exchange", {
  defaultValue: (): ExchangeShape => ({
    requestId: "",
    path: "",
    id: null,
    need: administering,
    reached: {},
    userId: null,
    place: null,
    enter: () => Effect.void,
    isAwaited: () => {},
    tag: null,
    answer: () => null,
    handled: false
  })
})
