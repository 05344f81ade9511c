/** What became of an app that `pawl import` asked for, in lines for a person. */
import { Effect } from "effect"
import type { PawlClient } from "../../api/Client.ts"
import { ServerLimits } from "../../ServerLimits.ts"

/** The app of a new Project, once it is no longer being built; null when that took too long. */
export const outcome = Effect.fnUntraced(function* (client: PawlClient, id: string) {
  for (let waitedMs = 0; waitedMs < ServerLimits.importWaitMs; waitedMs += ServerLimits.importLookMs) {
    const answer = yield* client.apps.get({ params: { id } })
    if (!answer.enabled || (answer.app !== null && answer.app.status !== "building")) return answer
    yield* Effect.sleep(ServerLimits.importLookMs)
  }
  return null
})

/** What there is to say of it, and the code to exit with. */
export const outcomeLines = (answer: Effect.Success<ReturnType<typeof outcome>>, id: string) => {
  const json = { project: id, app: answer?.app ?? null }
  if (answer === null)
    return {
      lines: [`${id} is still being built. Packages may be waiting for their registry; the log of the server says so.`],
      json,
      exitCode: 1
    }
  const { app } = answer
  if (app === null)
    return { lines: ["This server hosts no apps: the Project is there, and nothing is live."], json, exitCode: 0 }
  return app.status === "live"
    ? { lines: [`live at ${app.url}`], json, exitCode: 0 }
    : { lines: [`${id} is not live (${app.status}):`, app.reason ?? ""], json, exitCode: 1 }
}
