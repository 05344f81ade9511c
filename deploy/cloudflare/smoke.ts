/**
 * `npm run smoke:cloudflare -- --api-origin https://pawl.example.com`: one Change from its goal to a live host on an
 * installation that is deployed, and all of it taken away again. The token is PAWL_TOKEN. Ends with 1 at the first step that
 * did not do what it says, with 2 for options that are no use. `--resolve <address>` finds all hosts there, as curl does.
 */
import { parseArgs } from "node:util"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import * as DemoApi from "@pawl/server/node/demo/DemoApi"
import { need, until } from "@pawl/server/node/demo/Steps"
import * as Timeline from "@pawl/server/node/demo/Timeline"

const { values } = parseArgs({ options: { "api-origin": { type: "string" }, resolve: { type: "string" } } })
const origin = URL.parse(values["api-origin"] ?? "")?.origin ?? null
const token = process.env["PAWL_TOKEN"] ?? ""
if (origin === null || token === "") {
  process.stderr.write("--api-origin takes where the API is: https://pawl.example.com, and PAWL_TOKEN a token for it\n")
  process.exit(2)
}

const port = Number(new URL(origin).port || "80")
const api =
  values.resolve === undefined ? DemoApi.makeAt(origin, token) : DemoApi.make({ host: values.resolve, port }, token)
const timeline = Timeline.make(process.stdout)

/** A source whose only check is that it can be built: an installation may have no container. */
const source = (text: string) => ({
  "pawl.json": JSON.stringify({ probes: [{ path: "/", status: 200 }] }),
  "wrangler.json": JSON.stringify({ main: "src/index.js", compatibility_date: "2026-01-01" }),
  "src/index.js": `export default { fetch: () => new Response(${JSON.stringify(text)}) }\n`
})

interface App {
  readonly app: { readonly status: string; readonly url: string; readonly generation: number | null } | null
}

const shows = (url: string, text: string) =>
  until(
    () => api.page(url),
    (page) => page.status === 200 && page.text === text,
    `${url} with ${text}`
  )

const live = async (project: string, generation: number): Promise<string> => {
  const { app } = await until(
    () => api.get<App>(`/v1/projects/${project}/app`),
    (found) => found.app?.status === "live" && found.app.generation === generation,
    `S${generation} live`
  )
  return app!.url
}

const smoke = async (): Promise<void> => {
  const slug = `smoke-${Date.now().toString(36)}`
  const { project } = await timeline.step("a Project is made", () =>
    api.post<{ project: { id: string } }>("/v1/projects", { slug, files: source("one") })
  )
  const url = await timeline.step("its app is live", () => live(project.id, 0))
  await timeline.step("its host shows it", () => shows(url, "one"))
  const { change } = await timeline.step("a Change is opened, with one edit", async () => {
    const opened = await api.post<{ change: ChangeJson }>(`/v1/projects/${project.id}/changes`, {
      clientRequestId: slug,
      goal: "say two",
      budget_usd: 1,
      startPlanning: false
    })
    await api.post(`/v1/changes/${opened.change.id}/changesets`, { message: "say two", files: source("two") })
    return opened
  })
  const candidate = await timeline.step("its Candidate is verified", async () => {
    const asked = await api.post<{ candidate: CandidateJson }>(`/v1/changes/${change.id}/candidates`)
    const found = await until(
      () => api.get<{ candidate: CandidateJson }>(`/v1/candidates/${asked.candidate.id}`),
      (each) => !["composing", "verifying"].includes(each.candidate.status),
      "the verification"
    )
    need(found.candidate.status === "verified", `it is ${found.candidate.status}: ${found.candidate.reason}`)
    return found.candidate
  })
  await timeline.step("it is promoted", () => api.post(`/v1/candidates/${candidate.id}/promote`))
  await timeline.step("its host shows what was promoted", async () => {
    await live(project.id, 1)
    await shows(url, "two")
  })
  await timeline.step("the app is removed with the next request, and the Project is archived", async () => {
    await api.delete(`/v1/projects/${project.id}/app`)
    const { status } = await api.page(url)
    need(status === 410, `${url} answered ${status}`)
    await api.delete(`/v1/projects/${project.id}`)
  })
}

await smoke().catch((error: unknown) => {
  timeline.say(`the smoke test failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
})
