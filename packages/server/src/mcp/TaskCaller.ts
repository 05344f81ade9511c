/** Whether a token is that of a claimed Task, and of which one. */
import { Effect } from "effect"
import type { ToolApi, ToolRefused } from "./ToolApi.ts"

/** The Task that a token is for. */
export interface TaskCaller {
  readonly taskId: string
  readonly runId: string
  readonly changeId: string
  readonly projectId: string
}

const words = (facts: ToolRefused["facts"]): TaskCaller => ({
  taskId: String(facts["taskId"]),
  runId: String(facts["runId"]),
  changeId: String(facts["changeId"]),
  projectId: String(facts["projectId"])
})

/** The Task of the token; null for a person's. What has no good token fails as the API says. */
export const taskCallerOf = (api: ToolApi): Effect.Effect<TaskCaller | null, ToolRefused> =>
  Effect.as(api.json<unknown>({ path: "/v1/me" }), null).pipe(
    Effect.catchIf(
      ({ code }) => code === "beyond_task",
      ({ facts }) => Effect.succeed(words(facts))
    )
  )
