/** The main path over the API, one call at a time. */
import type { ChangeSet } from "@pawl/core/model/ChangeSet"
import type { Evidence } from "@pawl/core/model/Evidence"
import type { Promoted } from "@pawl/core/promotion/Promotions"
import type { Release } from "@pawl/core/model/Release"
import type { DemoApi } from "../../../src/node/demo/DemoApi.ts"
import { setTimeout as pause } from "node:timers/promises"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"

export interface App {
  readonly status: string
  readonly url: string
  readonly generation: number | null
}

/** The longest pause between two questions: each costs the server and this process time that the work could have. */
const longestPauseMs = 150

/** Asks until the answer fits, ever less often. The bound is for a broken server; nothing is asserted about time. */
export const until = async <A>(read: () => Promise<A>, done: (value: A) => boolean): Promise<A> => {
  for (let tries = 0; tries < 600; tries++) {
    const value = await read()
    if (done(value)) return value
    await pause(Math.min(longestPauseMs, 20 + 5 * tries))
  }
  throw new Error(`it never came: ${JSON.stringify(await read())}`)
}

/** A small app with one check, quick to build and to check. */
export const source = (
  message: string,
  extra: Readonly<Record<string, string>> = {}
): Readonly<Record<string, string>> => ({
  "pawl.json": JSON.stringify({
    checks: [{ id: "test", command: 'test "$(cat verdict.txt)" = good && echo ran' }],
    probes: [{ path: "/", status: 200 }]
  }),
  "wrangler.json": JSON.stringify({
    main: "src/index.js",
    compatibility_date: "2026-01-01",
    assets: { directory: "public", binding: "ASSETS" }
  }),
  "src/index.js": `export default { fetch: () => new Response(${JSON.stringify(message)}) }\n`,
  "public/hello.txt": "an asset\n",
  "verdict.txt": "good",
  ...extra
})

export const createProject = async (api: DemoApi, slug: string, files = source("one")) => {
  const { project } = await api.post<{ project: { id: string; label: string } }>("/v1/projects", { slug, files })
  return project
}

export const liveApp = (api: DemoApi, projectId: string, generation: number): Promise<App> =>
  until(
    () => api.get<{ app: App | null }>(`/v1/projects/${projectId}/app`),
    ({ app }) => app !== null && app.status === "live" && app.generation === generation
  ).then(({ app }) => app!)

export const openChange = async (api: DemoApi, projectId: string, name: string): Promise<ChangeJson> => {
  const body = { clientRequestId: name, goal: name, budget_usd: 1, startPlanning: false }
  return (await api.post<{ change: ChangeJson }>(`/v1/projects/${projectId}/changes`, body)).change
}

export const edit = async (
  api: DemoApi,
  change: ChangeJson,
  files: Readonly<Record<string, unknown>>,
  message = "an edit"
): Promise<ChangeSet> =>
  (await api.post<{ changeset: ChangeSet }>(`/v1/changes/${change.id}/changesets`, { message, files })).changeset

export const requestCandidate = async (api: DemoApi, change: ChangeJson): Promise<CandidateJson> =>
  (await api.post<{ candidate: CandidateJson }>(`/v1/changes/${change.id}/candidates`)).candidate

export const gated = (api: DemoApi, candidateId: string): Promise<CandidateJson> =>
  until(
    () => api.get<{ candidate: CandidateJson }>(`/v1/candidates/${candidateId}`),
    ({ candidate }) => candidate.status !== "composing" && candidate.status !== "verifying"
  ).then(({ candidate }) => candidate)

export const evidence = async (api: DemoApi, candidateId: string): Promise<ReadonlyArray<Evidence>> =>
  (await api.get<{ items: ReadonlyArray<Evidence> }>(`/v1/candidates/${candidateId}/evidence`)).items

export const promote = (api: DemoApi, candidateId: string): Promise<Promoted> =>
  api.post<Promoted>(`/v1/candidates/${candidateId}/promote`)

export const released = async (api: DemoApi, projectId: string, generation: number): Promise<Release> => {
  const { items } = await until(
    () => api.get<{ items: ReadonlyArray<Release> }>(`/v1/projects/${projectId}/releases`),
    (page) =>
      page.items.some(
        (release) => release.generation === generation && release.status !== "queued" && release.status !== "building"
      )
  )
  return items.find((release) => release.generation === generation)!
}
