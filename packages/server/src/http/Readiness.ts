/** Whether this process can do what it is for. The composition says; without one that does, it always can. */
import { Context, Effect } from "effect"
import type { NotReady, Ready } from "../api/groups/ServiceApi.ts"

/** What is said of it. */
export type ReadyState = typeof Ready.Type | typeof NotReady.Type

/** An effect that is run for each question, and never fails. */
export const Readiness = Context.Reference("@pawl/server/http/Readiness", {
  defaultValue: (): Effect.Effect<ReadyState> => Effect.succeed({ status: "ready" })
})
