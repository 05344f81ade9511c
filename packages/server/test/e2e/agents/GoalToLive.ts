/** A goal of three Tasks, from a sentence to its public host, by a scripted model: the same on each store. */
import { expect } from "vitest"
import type { ScriptedProvider } from "@pawl/testing/provider/ScriptedProvider"
import type { DemoApi } from "../../../src/node/demo/DemoApi.ts"
import * as ChangeFlow from "../kit/ChangeFlow.ts"
import * as Flow from "../kit/Flow.ts"
import { done, script, type Team, write } from "../kit/ScriptedTeam.ts"

const page = `import { greeting } from "./greeting.js"
export default { fetch: () => new Response(greeting) }
`

const team: Team = {
  tasks: [
    { key: "greeting", title: "The greeting", writes: ["src/greeting.js"] },
    { key: "page", title: "The page", dependsOn: ["greeting"], writes: ["src/index.js"] },
    { key: "note", title: "The note", writes: ["public/note.txt"] }
  ],
  agents: {
    "The greeting": [write("src/greeting.js", `export const greeting = "hello from three agents"\n`), done],
    "The page": [write("src/index.js", page), done],
    "The note": [write("public/note.txt", "noted\n"), done]
  }
}

/** Who made what is in a generation, as its signed statement says. */
const makersOf = async (api: DemoApi, projectId: string, generation: number): Promise<unknown> => {
  const path = `/v1/projects/${projectId}/versions/${generation}/statement`
  // Until it is signed it is refused.
  const envelope = await Flow.until(
    () => api.get<{ readonly payload: string }>(path).catch(() => null),
    (found) => found !== null
  )
  return JSON.parse(Buffer.from(envelope!.payload, "base64").toString()).predicate.made
}

/** Takes a goal to its host, and answers its Change. */
export const goalToLive = async (api: DemoApi, provider: ScriptedProvider, slug: string) => {
  provider.follow(script(team))
  const before = provider.asked().length
  const project = await Flow.createProject(api, slug)
  await Flow.liveApp(api, project.id, 0)
  const opened = await ChangeFlow.openGoal(api, project.id, `Greet people (${slug})`)
  expect(opened.status).toBe("created")
  const candidate = await ChangeFlow.verifiedOf(api, opened.id)
  expect((await ChangeFlow.tasksOf(api, opened.id)).map(({ key, status }) => `${key} ${status}`)).toEqual([
    "greeting completed",
    "page completed",
    "note completed"
  ])
  expect(candidate.changeSets.length).toBe(3)
  expect(await Flow.promote(api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 1 })
  const app = await Flow.liveApp(api, project.id, 1)
  expect((await api.page(app.url)).text).toBe("hello from three agents")
  expect((await api.page(`${app.url}note.txt`)).text).toBe("noted\n")
  const change = await ChangeFlow.changeWhen(api, opened.id, ({ status }) => status === "completed")
  // Each ChangeSet by its agent, on behalf of whoever opened the Change, with the model that it asked.
  const author = { type: "agent", id: expect.any(String), for: change.createdBy.id, model: "small", tier: "fast" }
  expect(await makersOf(api, project.id, 1)).toEqual(
    candidate.changeSets.map((changeSet) => ({ changeSet, digest: { gitCommit: expect.any(String) }, author }))
  )
  const calls = await ChangeFlow.callsOf(api, opened.id)
  expect(calls.map(({ purpose }) => purpose).filter((purpose) => purpose === "plan")).toEqual(["plan"])
  expect(calls.filter(({ state }) => state !== "settled")).toEqual([])
  // One call for the plan, and two for each Task: each was asked for once.
  expect([calls.length, provider.asked().length - before]).toEqual([7, 7])
  const sum = calls.reduce((total, { cost_usd: cost }) => total + cost, 0)
  expect(change).toMatchObject({ spent_usd: Math.round(sum * 1e6) / 1e6, reserved_usd: 0 })
  expect(change.spent_usd).toBeGreaterThan(0)
  return change
}
