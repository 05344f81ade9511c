/** `pawl project list`, `create`, `view`. */
import { everyItem } from "./Pages.ts"
import { exitCodes, Refused } from "./Refused.ts"
import type { UserClient } from "./UserClient.ts"
import { countOf } from "./Numbers.ts"
import type { Run } from "./Verb.ts"
import { deadlineOf, until } from "./Waiting.ts"
import { short } from "./Candidates.ts"

/** Those that the caller may see. */
export const list: Run = async ({ client, value }) => {
  const most = countOf(value, "limit", 30)
  const items = await everyItem(
    (cursor) => client().ask("projects.list", { query: { limit: Math.min(most, 100), cursor } }),
    most
  )
  return {
    json: { items },
    table: {
      head: ["label", "id", "status", "created"],
      rows: items.map(({ createdAt, id, label, status }) => [label, id, status, createdAt])
    },
    next: items.length === 0 ? [{ command: "pawl project create <slug> --template blank", when: "to begin" }] : []
  }
}

const appOnceLive = (client: UserClient, id: string, deadline: number) =>
  until(deadline, `the app of ${id} is still built`, async () => {
    const { app, enabled } = await client.ask("apps.get", { id })
    if (!enabled) throw new Refused("apps_disabled", "no apps are hosted here", exitCodes.no)
    if (app?.status === "live") return app
    if (app === null || app.status === "building") return null
    throw new Refused("not_live", `the app is not live: ${app.status}`, exitCodes.no, [
      { command: "pawl logs", when: "to see why" }
    ])
  })

/** With a template it has an app, which is built by itself. */
export const create: Run = async ({ client, given: [slug = ""], has, tell, value }) => {
  const deadline = deadlineOf(value)
  const name = value("name")
  const template = value("template")
  const body = { slug, ...(name === undefined ? {} : { name }), ...(template === undefined ? {} : { template }) }
  // Which templates there are is the server's to say.
  const { project } = await client().ask("projects.create", { body: { slug }, more: body })
  tell(`Project ${project.label}  ${project.id}`)
  const app = has("wait") && template !== undefined ? await appOnceLive(client(), project.id, deadline) : null
  return {
    json: { project, ...(app === null ? {} : { app }) },
    text: [`${project.label}\t${project.id}`, ...(app === null ? [] : [app.url])].join("\t"),
    next: [{ command: `pawl clone ${project.label}`, when: "to work on it" }]
  }
}

/** Its head and its app. */
export const view: Run = async ({ client, given: [named], project: choice }) => {
  const id = await choice.id(named)
  const [{ canonical, project }, { app }] = await Promise.all([
    client().ask("projects.get", { id }),
    client().ask("apps.get", { id })
  ])
  const rows = [
    ["project", project.label],
    ["id", project.id],
    ["status", project.status],
    ["head", canonical === null ? "none" : `S${canonical.generation} ${short(canonical.commit)}`],
    ["app", app === null ? "none" : app.status],
    ["url", app === null ? "none" : app.url]
  ]
  return { json: { project, canonical, app }, table: { head: ["what", "value"], rows } }
}
