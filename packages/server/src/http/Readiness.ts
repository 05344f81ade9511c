/** Whether this process can do what it is for. The composition says; without one that does, it always can. */
import { Context, Effect } from "effect"
import type { NotReady, Ready } from "../api/groups/ServiceApi.ts"

/** An effect that is run for each question, and never fails. */
export const Readiness = Context.Reference("@pawl/server/http/Readiness", {
  defaultValue: (): Effect.Effect<typeof Ready.Type | typeof NotReady.Type> => Effect.succeed({ status: "ready" })
})
