/** `pawl open`. */
import { spawn } from "node:child_process"
import { candidateNamed } from "./Candidates.ts"
import { exitCodes, Refused } from "./Refused.ts"
import type { Run, Session } from "./Verb.ts"

const addressIn = async ({ client, given: [named], project, value, warn }: Session): Promise<string> => {
  const preview = value("preview")
  if (preview !== undefined) {
    const { id } = await candidateNamed(client(), preview)
    const { on, url } = (await client().ask("candidates.preview", { id })).preview
    if (on !== undefined) warn(`It shows unlanded work of ${on.join(", ")} too.`)
    return url
  }
  const { app } = await client().ask("apps.get", { id: await project.id(named) })
  if (app === null) throw new Refused("no_app", "the Project has no app yet", exitCodes.no)
  return app.url
}

/** Prints the address. At a terminal a browser is asked to show it; that it cannot is no failure. */
export const open: Run = async (session) => {
  const url = await addressIn(session)
  if (session.person.present && !session.json && /^https?:\/\//.test(url)) {
    const opener = session.environment["BROWSER"] || (process.platform === "darwin" ? "open" : "xdg-open")
    spawn(opener, [url], { stdio: "ignore", detached: true })
      .once("error", () => undefined)
      .unref()
  }
  return { json: { url }, text: url }
}
