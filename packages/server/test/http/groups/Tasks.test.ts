/** Tasks over HTTP: agents are watched at work, and people steer them. */
import { Deferred, Effect, Layer } from "effect"
import { Planner } from "@pawl/core/change/Planner"
import { firstOrganizationId } from "@pawl/core/access/Organizations"
import { Limits } from "@pawl/core/primitives/Limits"
import { Agent, type AgentShape } from "@pawl/core/task/Agent"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newProject, newUser, startApi } from "../TestApi.ts"
import { decodeEvents } from "./EventReader.ts"

const task = (key: string, dependsOn: ReadonlyArray<string> = [], kind = "implement") => ({
  key,
  title: `Do ${key}`,
  kind,
  complexity: "small",
  instructions: `do ${key}`,
  dependsOn,
  writes: [`${key}.txt`]
})

const publishes: AgentShape["work"] = ({ task: { id, key } }) =>
  Effect.succeed({
    _tag: "Published",
    edits: { [`${key}.txt`]: id },
    message: key,
    intents: [],
    usage: { modelCalls: 2, costUsd: 0.25 }
  })

const stops: AgentShape["work"] = () =>
  Effect.succeed({ _tag: "Stopped", reason: "the budget of $1 is spent", usage: { modelCalls: 1, costUsd: 1 } })

let api: Api
/** What the agent of each Task does, by its key; else it publishes. */
let scripts: Map<string, AgentShape["work"]>
let graph: ReadonlyArray<ReturnType<typeof task>>

beforeEach(async () => {
  scripts = new Map()
  graph = [task("a"), task("b", ["a"])]
  api = await startApi({
    agents: Layer.mergeAll(
      Layer.succeed(Planner, { available: true, plan: () => Effect.sync(() => graph) }),
      Layer.succeed(Agent, {
        work: (job) => Effect.suspend(() => (scripts.get(job.task.key) ?? publishes)(job))
      })
    )
  })
})
afterEach(() => api.close())

const post = (path: string, body?: unknown, token?: string) =>
  api.call("POST", path, { ...(body === undefined ? {} : { body }), ...(token === undefined ? {} : { token }) })
const get = (path: string) => api.call("GET", path)

/** A planned Change; nothing is worked before `api.settle`. */
const plannedChange = async (slug: string) => {
  const project = await newProject(api, slug)
  const opened = await post(`/v1/projects/${project.id}/changes`, { clientRequestId: "r", goal: "g", budget_usd: 1 })
  const change = opened.body.change.id as string
  const idOf = (key: string) => `tsk_${change}_${key}`
  return { project: project.id, change, idOf, a: `/v1/tasks/${idOf("a")}`, b: `/v1/tasks/${idOf("b")}` }
}

/** One whose first Task its budget has stopped. */
const stoppedChange = async (slug: string) => {
  scripts.set("a", stops)
  const made = await plannedChange(slug)
  await api.settle()
  scripts.clear()
  return made
}

describe("A Task", () => {
  it("is shown with its runs and what they cost", async () => {
    const { a, change, idOf, project } = await plannedChange("watched")
    await api.settle()
    expect((await get(a)).body.task).toMatchObject({
      id: idOf("a"),
      projectId: project,
      changeId: change,
      key: "a",
      title: "Do a",
      status: "completed",
      attempt: 1,
      tier: "fast"
    })
    expect((await get(a)).body).toMatchObject({
      next: "Nothing: its work is done.",
      claims: [{ taskId: idOf("a"), kind: "path", value: "a.txt", mode: "write", state: "released" }]
    })
    const runs = (await get(`${a}/runs`)).body
    expect(runs).toMatchObject({
      items: [
        {
          id: `run_${idOf("a")}_1`,
          taskId: idOf("a"),
          attempt: 1,
          outcome: "completed",
          modelCalls: 2,
          cost_usd: 0.25
        }
      ],
      nextCursor: null
    })
    expect(Object.keys(runs.items[0])).not.toContain("costUsd")
    expectProblem(await get(`/v1/tasks/${idOf("nothing")}`), 404, "unknown_task")
  })

  it("is stopped, and stays so until somebody retries it", async () => {
    const { a, b, project } = await plannedChange("stopping")
    const reached = Effect.runSync(Deferred.make<void>())
    scripts.set("a", () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
    const settling = api.settle()
    await Effect.runPromise(Deferred.await(reached))
    const me = (await get("/v1/me")).body.user.id as string
    const stopped = await post(`${a}/stop`)
    expect(stopped).toMatchObject({
      status: 200,
      body: { task: { status: "blocked", blockedBy: "stopped", reason: `stopped by ${me}` } }
    })
    expect(await post(`${a}/stop`)).toMatchObject({ status: 200, body: stopped.body })
    // Its agent is told within seconds, and ends.
    await settling
    expect((await get(`${a}/runs`)).body.items).toMatchObject([{ outcome: "stopped", reason: `stopped by ${me}` }])
    expect((await get(b)).body.task).toMatchObject({ status: "blocked", blockedBy: "dependency" })
    expectProblem(await post(`${b}/retry`), 409, "not_retryable", { waitsFor: stopped.body.task.id })
    scripts.clear()
    expect((await post(`${a}/retry`)).body.task).toMatchObject({ status: "ready", reason: null, blockedBy: null })
    expect((await get(b)).body.task.status).toBe("pending")
    await api.settle()
    expect((await post(`${a}/retry`)).body).toMatchObject({ code: "task_closed", taskStatus: "completed" })
    expect((await get(b)).body.task.status).toBe("completed")
    const events = (await get(`/v1/projects/${project}/events`)).body.items
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "task.failed",
        actor: { type: "user", id: me },
        data: expect.objectContaining({ status: "blocked", terminal: false, reason: `stopped by ${me}` })
      })
    )
  })

  it("is handed over, and the ChangeSet of who holds it completes it", async () => {
    const { a, b, change, idOf, project } = await stoppedChange("handing")
    const ann = await newUser(api, "Ann", firstOrganizationId)
    const held = await post(`${a}/hand-over`, undefined, ann.token)
    expect(held).toMatchObject({
      status: 200,
      body: { task: { status: "blocked", blockedBy: "person", heldBy: ann.id, reason: `held by ${ann.id}` } }
    })
    expect(await post(`${a}/hand-over`, undefined, ann.token)).toMatchObject({ status: 200, body: held.body })
    const edit = { taskId: idOf("a"), message: "by hand", files: { "hand.txt": "hand" } }
    const path = `/v1/changes/${change}/changesets`
    expectProblem(await post(path, edit), 409, "task_not_held", { taskId: idOf("a"), heldBy: ann.id })
    expectProblem(await post(path, { ...edit, taskId: idOf("nothing") }, ann.token), 404, "unknown_task")
    expectProblem(await post(path, { ...edit, taskId: 7 }, ann.token), 400, "invalid_field", { field: "taskId" })
    const made = await post(path, edit, ann.token)
    expect(made).toMatchObject({
      status: 201,
      body: { changeset: { taskId: idOf("a"), author: { type: "user", id: ann.id }, files: [{ path: "hand.txt" }] } }
    })
    expect((await get(a)).body.task).toMatchObject({ status: "completed", heldBy: null })
    expectProblem(await post(path, edit, ann.token), 409, "task_closed", { taskStatus: "completed" })
    // The budget that had stopped it is spent all the same: what comes after waits for it.
    expect((await post(`/v1/changes/${change}/budget`, { budget_usd: 2 })).status).toBe(200)
    await api.settle()
    expect((await get(b)).body.task.status).toBe("completed")
    expect((await get(`/v1/changes/${change}/candidates`)).body.items).toMatchObject([
      { status: "verified", changeSets: [made.body.changeset.id, `cs_run_${idOf("b")}_1`] }
    ])
    const events = (await get(`/v1/projects/${project}/events`)).body.items
    expect(events).toContainEqual(
      expect.objectContaining({ type: "task.assigned", data: { changeId: change, userId: ann.id } })
    )
  })

  it("of another Change, or of another Project, is not completed through this one", async () => {
    const one = await stoppedChange("mine")
    const two = await stoppedChange("yours")
    await post(`${one.a}/hand-over`)
    const edit = { taskId: one.idOf("a"), message: "by hand", files: { "hand.txt": "hand" } }
    expectProblem(await post(`/v1/changes/${two.change}/changesets`, edit), 404, "unknown_task")
    expect((await get(one.a)).body.task.heldBy).not.toBeNull()
  })

  it("is no part of what a verified Candidate holds while it is blocked, and the Candidate says what to do", async () => {
    graph = [task("a"), task("b")]
    const { b, change, idOf } = await plannedChange("why")
    scripts.set("b", stops)
    await api.settle()
    await post(`/v1/changes/${change}/candidates`)
    await api.settle()
    const [candidate] = (await get(`/v1/changes/${change}/candidates`)).body.items
    const why = async () => (await get(`/v1/candidates/${candidate.id}/why`)).body.tasks
    expect(await why()).toMatchObject([
      { id: idOf("b"), blockedBy: "budget", heldBy: null, next: expect.stringMatching(/^Raise the budget/) }
    ])
    const { heldBy } = (await post(`${b}/hand-over`)).body.task
    expect(await why()).toMatchObject([
      { id: idOf("b"), blockedBy: "person", heldBy, next: expect.stringMatching(/give it back to its agent/) }
    ])
  })

  it("that only answers is held by nobody", async () => {
    graph = [task("a", [], "research")]
    const { a } = await stoppedChange("research")
    expectProblem(await post(`${a}/hand-over`), 409, "read_only_task", { kind: "research" })
  })

  it("tells of every move on the event stream, as it happens", async () => {
    const { a, change, idOf, project } = await plannedChange("live")
    const before = (await get(`/v1/projects/${project}/events`)).body.items.length as number
    const response = await api.send("GET", `/v1/projects/${project}/events?after=${before}`, {
      headers: { accept: "text/event-stream" }
    })
    const events = decodeEvents(response)
    const types = async (count: number) => {
      const read = []
      for (let at = 0; at < count; at++) read.push((await events.next()).data as { type: string; subject: string })
      return read.map(({ subject, type }) => `${type} ${subject}`)
    }
    scripts.set("a", stops)
    await api.settle()
    const id = idOf("a")
    expect(await types(8)).toEqual([
      `change.compiled ${change}`,
      `task.created ${id}`,
      `task.created ${idOf("b")}`,
      `task.ready ${id}`,
      `task.assigned ${id}`,
      `agent.woken agt_${id}`,
      `model.route.decided ${id}`,
      `task.started ${id}`
    ])
    await post(`${a}/stop`)
    expect(await types(1)).toEqual([`task.failed ${id}`])
    await post(`${a}/retry`)
    expect(await types(1)).toEqual([`task.ready ${id}`])
    await post(`${a}/hand-over`)
    expect(await types(1)).toEqual([`task.assigned ${id}`])
    await events.close()
  })
})

describe("The notes of a Task", () => {
  it("are written one for each request, and listed oldest first", async () => {
    const { a, change, idOf } = await stoppedChange("notes")
    const ann = await newUser(api, "Ann", firstOrganizationId)
    const one = await post(`${a}/notes`, { text: "use tabs" }, ann.token)
    expect(one).toMatchObject({
      status: 201,
      body: {
        note: { taskId: idOf("a"), changeId: change, author: { type: "user", id: ann.id }, text: "use tabs" }
      }
    })
    const two = await post(`${a}/notes`, { text: "use tabs" })
    expect(two.body.note.id).not.toBe(one.body.note.id)
    const page = (await get(`${a}/notes?limit=1`)).body
    expect(page.items).toEqual([one.body.note])
    expect((await get(`${a}/notes?cursor=${page.nextCursor}`)).body).toEqual({
      items: [two.body.note],
      nextCursor: null
    })
  })

  it("are refused where they say nothing, too much, or come too late", async () => {
    const { a } = await stoppedChange("words")
    for (const text of ["", "  ", "x".repeat(Limits.noteLength + 1), 7, null, undefined])
      expectProblem(await post(`${a}/notes`, { text }), 400, "invalid_field", { field: "text" })
    expect((await post(`${a}/notes`, "{")).status).toBe(400)
    expect((await get(`${a}/notes`)).body.items).toEqual([])
    await post(`${a}/hand-over`)
    const { changeId } = (await get(a)).body.task
    await post(`/v1/changes/${changeId}/cancel`)
    expectProblem(await post(`${a}/notes`, { text: "too late" }), 409, "task_closed", { taskStatus: "cancelled" })
  })
})

describe("A Policy without approvals of one's own work", () => {
  it("counts whoever wrote the agent a note among those whose work it is", async () => {
    graph = [task("a")]
    const { a, change, project } = await stoppedChange("noted")
    const policy = { approvalRiskTiers: ["low", "medium", "high", "unknown"], allowSelfApproval: false }
    await api.call("PUT", `/v1/projects/${project}/policy`, { body: policy })
    const [ann, ben] = [await newUser(api, "Ann", firstOrganizationId), await newUser(api, "Ben", firstOrganizationId)]
    expect((await post(`${a}/notes`, { text: "leave the door open" }, ann.token)).status).toBe(201)
    await post(`/v1/changes/${change}/budget`, { budget_usd: 2 })
    await api.settle()
    const [candidate] = (await get(`/v1/changes/${change}/candidates`)).body.items
    const decide = (token?: string) =>
      post(`/v1/changes/${change}/approve`, { candidateId: candidate.id, decision: "granted" }, token)
    expectProblem(await decide(), 403, "self_approval")
    expectProblem(await decide(ann.token), 403, "self_approval")
    expect((await decide(ben.token)).status).toBe(200)
  })
})
