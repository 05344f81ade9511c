/** Tasks that are worked outside, over HTTP: each word of the wire, and how far the token of a Task reaches. */
import { Effect, Layer } from "effect"
import { Planner } from "@pawl/core/change/Planner"
import { firstOrganizationId } from "@pawl/core/access/Organizations"
import { demand } from "@pawl/core/ledger/Decision"
import { user } from "@pawl/core/model/Actor"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { Agent, type AgentShape } from "@pawl/core/task/Agent"
import { receive } from "@pawl/core/task/OutsideRuns"
import { endpoints } from "@pawl/server/http/index"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newProject, newUser, ownerToken, startApi } from "../TestApi.ts"

const task = (key: string, kind = "implement") => ({
  key,
  title: `Do ${key}`,
  kind,
  complexity: "small",
  instructions: `do ${key}`,
  dependsOn: [],
  writes: [`${key}.txt`]
})

const never: AgentShape["work"] = () => Effect.die(new Error("the agent that is built in was asked"))

let api: Api
beforeEach(async () => {
  api = await startApi({
    agents: Layer.mergeAll(
      Layer.succeed(Planner, {
        available: true,
        plan: () => Effect.succeed([task("a"), task("b"), task("c", "research")])
      }),
      Layer.succeed(Agent, { work: never })
    )
  })
})
afterEach(() => api.close())

const post = (path: string, body?: unknown, token?: string) =>
  api.call("POST", path, { ...(body === undefined ? {} : { body }), ...(token === undefined ? {} : { token }) })
const get = (path: string, token?: string) => api.call("GET", path, token === undefined ? {} : { token })

/** A planned Change whose Tasks wait for agents outside. */
const waiting = async (slug: string) => {
  const project = await newProject(api, slug)
  await api.call("PUT", `/v1/projects/${project.id}/policy`, { body: { outsideAgents: "only" } })
  const opened = await post(`/v1/projects/${project.id}/changes`, { clientRequestId: "r", goal: "g", budget_usd: 1 })
  await api.settle()
  const change = opened.body.change.id as string
  return { project: project.id, change, at: (key: string) => `/v1/tasks/tsk_${change}_${key}` }
}

/** As a push of git's does. */
const pushed = (runId: string, edits: Readonly<Record<string, string>>) =>
  api.run(
    Effect.gen(function* () {
      const { outside } = (yield* demand("taskRun", runId)).record
      yield* receive(user(outside?.claimedBy ?? ""), runId, { edits, message: "work" })
    })
  )

describe("A Task that is claimed over HTTP", () => {
  it("answers a run, the end of its lease, a token and where git is asked; and once more it is a conflict", async () => {
    const { at, project } = await waiting("claimed")
    const { body, status } = await post(`${at("a")}/claim`)
    expect(status).toBe(201)
    expect(Object.keys(body).toSorted()).toEqual(["git", "leaseUntil", "run", "token"])
    const id = at("a").slice("/v1/tasks/".length)
    expect(body.run).toMatchObject({ id: `run_${id}_1`, taskId: id, attempt: 1, endedAt: null })
    expect(body.git).toEqual({
      url: `http://pawl.test/git/${project}.git`,
      ref: `refs/tasks/${id}`,
      base: body.run.baseCommit
    })
    expect(body.leaseUntil).toBe(body.run.outside.leaseUntil)
    expect(Time.toMillis(body.leaseUntil) - Time.toMillis(body.run.startedAt)).toBe(Limits.outsideLeaseMs)
    expectProblem(await post(`${at("a")}/claim`), 409, "not_claimable", { taskId: id, taskStatus: "running" })
    const runs = (await get(`${at("a")}/runs`)).text
    expect(runs).not.toMatch(/tokenHash|claimedWith/)
    expect((await get(at("a"))).body.next).toMatch(/outside/)
  })

  it("is renewed, published and shown as any other's work is", async () => {
    const { at, change } = await waiting("published")
    const { body: held } = await post(`${at("a")}/claim`)
    const run = `/v1/runs/${held.run.id}`
    const brief = await get(`${run}/brief`, held.token)
    expect(brief.body).toMatchObject({
      task: { key: "a" },
      brief: { goal: "g", instructions: "do a", writes: ["a.txt"] }
    })
    expect(brief.body.text).toContain("Your Task: Do a\ndo a")
    const renewed = await post(`${run}/renew`, undefined, held.token)
    expect(renewed.body.leaseUntil >= held.leaseUntil).toBe(true)
    expect((await post(`${run}/claims`, { paths: ["src/x.js"] }, held.token)).body).toEqual({ overlaps: [] })
    expect((await get(at("a"))).body.claims.map(({ value }: { value: string }) => value)).toContain("src/x.js")
    expectProblem(await post(`${run}/publish`, { message: "done" }, held.token), 409, "nothing_pushed")
    await pushed(held.run.id, { "a.txt": "a" })
    const done = await post(`${run}/publish`, { message: "The file a" }, held.token)
    expect(done.body).toMatchObject({
      run: { outcome: "completed" },
      task: { status: "completed" },
      changeset: { message: "The file a", files: [{ path: "a.txt", status: "added" }] }
    })
    expectProblem(await post(`${run}/publish`, { message: "again" }, held.token), 401, "unauthenticated")
    expect((await post(`${run}/publish`, { message: "again" })).body).toEqual(done.body)
    expect((await get(`/v1/changes/${change}/changesets`)).body.items.length).toBe(1)
    expectProblem(await post(`${run}/renew`), 409, "run_not_held")
  })

  it("is ready again when it is given up, and its token lets nobody in any more", async () => {
    const { at } = await waiting("given-up")
    const { body: held } = await post(`${at("a")}/claim`)
    const given = await post(`/v1/runs/${held.run.id}/give-up`, { reason: "too hard" }, held.token)
    expect(given.body.task).toMatchObject({ status: "ready", reason: expect.stringContaining("too hard") })
    expectProblem(await get(at("a"), held.token), 401, "unauthenticated")
    expect((await post(`${at("a")}/claim`)).body.run.attempt).toBe(2)
  })

  it("has its checks run on what was pushed, as often as one may, and shown to who asks", async () => {
    const { at } = await waiting("checked")
    const { body: held } = await post(`${at("a")}/claim`)
    const run = `/v1/runs/${held.run.id}`
    const checks = `${run}/checks`
    expect((await get(checks, held.token)).body).toEqual({ checks: null })
    expectProblem(await post(checks, {}, held.token), 409, "nothing_pushed")
    await pushed(held.run.id, { "result.txt": "broken" })
    const begun = await post(checks, {}, held.token)
    expect(begun.status).toBe(202)
    expect(begun.body.checks).toMatchObject({ number: 1, left: Limits.outsideCheckRuns - 1, state: "running" })
    expect(await post(checks, {}, held.token)).toMatchObject({ status: 200, body: begun.body })
    await api.settle()
    const { body: shown } = await get(checks, held.token)
    expect(shown.checks).toMatchObject({ state: "shown", broken: null, commit: begun.body.checks.commit })
    expect(shown.checks.results).toContainEqual({
      checkId: "test",
      title: "test",
      required: true,
      result: "fail",
      summary: expect.stringContaining("exit 1"),
      output: "all tests ran"
    })
    expect((await post(checks, {})).body).toEqual(shown)
    for (let number = 2; number <= Limits.outsideCheckRuns; number++) {
      await pushed(held.run.id, { "result.txt": `${number}` })
      expect((await post(checks, {}, held.token)).status).toBe(202)
    }
    await pushed(held.run.id, { "result.txt": "fine" })
    expectProblem(await post(checks, {}, held.token), 409, "checks_used_up", { max: Limits.outsideCheckRuns })
    // The run's own record tells nothing of them.
    expect((await get(`${at("a")}/runs`)).body.items[0]).not.toHaveProperty("checks")
    await post(`${run}/give-up`, { reason: "enough" }, held.token)
    expectProblem(await post(checks, {}, held.token), 401, "unauthenticated")
    expectProblem(await post(checks, {}), 409, "run_not_held")
    expect((await get(checks)).body.checks).toMatchObject({ state: "dropped", results: [] })
  })

  it("of a read-only kind ends with words", async () => {
    const { at } = await waiting("found")
    const { body: held } = await post(`${at("c")}/claim`)
    const done = await post(`/v1/runs/${held.run.id}/publish`, { message: "It sells tea." }, held.token)
    expect(done.body).toMatchObject({ task: { status: "completed" }, changeset: null })
  })

  it("is refused where the Policy keeps Tasks inside, and given where it does not", async () => {
    const { at, project } = await waiting("inside")
    const put = (outsideAgents: unknown) =>
      api.call("PUT", `/v1/projects/${project}/policy`, { body: { outsideAgents } })
    expect((await put(false)).status).toBe(200)
    const refused = await post(`${at("a")}/claim`)
    expectProblem(refused, 409, "not_claimable")
    expect(refused.body.reason).toMatch(/Policy/)
    expect((await put(true)).status).toBe(200)
    expect((await post(`${at("a")}/claim`)).status).toBe(201)
  })
})

describe("The token of a Task", () => {
  it("reaches its Task and what can be read of its Change, and no other endpoint of any kind", async () => {
    const { at, change, project } = await waiting("alone")
    const { body: held } = await post(`${at("a")}/claim`)
    const open = [
      at("a"),
      `${at("a")}/runs`,
      `${at("a")}/notes`,
      `/v1/runs/${held.run.id}/brief`,
      `/v1/changes/${change}`
    ]
    for (const path of open) expect([path, (await get(path, held.token)).status]).toEqual([path, 200])
    const facts = { taskId: held.run.taskId, runId: held.run.id, changeId: change, projectId: project }
    expectProblem(await get("/v1/me", held.token), 403, "beyond_task", facts)
    const ids: Readonly<Record<string, string>> = {
      tasks: held.run.taskId,
      runs: held.run.id,
      changes: change,
      projects: project
    }
    const reached: Array<string> = []
    for (const { method, need, path } of endpoints) {
      if (need === null) continue
      const word = path.split("/")[2] ?? ""
      // The ids are those of the token's own Task: only the endpoint can be what is wrong.
      const { status } = await api.call(method, path.replace(":id", ids[word] ?? "none"), {
        token: held.token,
        ...(method === "GET" ? {} : { body: {} })
      })
      if (status !== 403) reached.push(`${method} ${path}`)
    }
    expect(reached.toSorted()).toEqual([
      "GET /v1/candidates/:id/evidence",
      "GET /v1/candidates/:id/why",
      "GET /v1/changes/:id",
      "GET /v1/changes/:id/candidates",
      "GET /v1/changes/:id/tasks",
      "GET /v1/projects/:id/app/logs",
      "GET /v1/runs/:id/brief",
      "GET /v1/runs/:id/checks",
      "GET /v1/tasks/:id",
      "GET /v1/tasks/:id/notes",
      "GET /v1/tasks/:id/runs",
      "POST /v1/runs/:id/checks",
      "POST /v1/runs/:id/claims",
      "POST /v1/runs/:id/give-up",
      "POST /v1/runs/:id/publish",
      "POST /v1/runs/:id/renew"
    ])
  })

  it("knows nothing of other Tasks, runs, Changes and Projects", async () => {
    const one = await waiting("one")
    const two = await waiting("two")
    const { body: mine } = await post(`${one.at("a")}/claim`)
    const { body: theirs } = await post(`${two.at("a")}/claim`)
    const { body: beside } = await post(`${one.at("b")}/claim`)
    const reads = [
      one.at("b"),
      two.at("a"),
      `/v1/runs/${theirs.run.id}/brief`,
      `/v1/changes/${two.change}`,
      `/v1/projects/${two.project}/app/logs`
    ]
    for (const path of reads) expectProblem(await get(path, mine.token), 403, "beyond_task")
    for (const each of [theirs, beside])
      for (const act of ["renew", "publish", "give-up", "claims", "checks"])
        expectProblem(
          await post(`/v1/runs/${each.run.id}/${act}`, { message: "m", reason: "r", paths: [] }, mine.token),
          403,
          "beyond_task"
        )
  })

  it("does no more than the token that claimed, and ends with it and with the rights of its person", async () => {
    const { at, project } = await waiting("bound")
    const { body: narrow } = await post("/v1/tokens", { name: "narrow", scopes: ["write"] })
    const { body: held } = await post(`${at("a")}/claim`, undefined, narrow.token)
    expectProblem(await get(at("a"), held.token), 403, "insufficient_scope", { held: ["write"], needed: "read" })
    expect((await post(`/v1/runs/${held.run.id}/renew`, undefined, held.token)).status).toBe(200)
    await api.call("DELETE", `/v1/tokens/${narrow.id}`)
    expectProblem(await post(`/v1/runs/${held.run.id}/renew`, undefined, held.token), 401, "unauthenticated")
    const member = await newUser(api, "Member", firstOrganizationId)
    const { body: theirs } = await post(`${at("b")}/claim`, undefined, member.token)
    expect((await get(at("b"), theirs.token)).status).toBe(200)
    expectProblem(await post(`/v1/runs/${theirs.run.id}/renew`, undefined, ownerToken), 409, "run_not_held")
    expectProblem(await post(`/v1/runs/${theirs.run.id}/checks`, {}, ownerToken), 409, "run_not_held")
    await api.call("PUT", `/v1/projects/${project}/members`, {
      body: { members: [{ userId: member.id, role: "viewer" }] }
    })
    expectProblem(await post(`/v1/runs/${theirs.run.id}/renew`, undefined, theirs.token), 403, "insufficient_role")
  })
})
