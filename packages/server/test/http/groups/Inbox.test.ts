import { firstOrganizationId } from "@pawl/core/access/Organizations"
import { Limits } from "@pawl/core/primitives/Limits"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, newUser, source, startApi } from "../TestApi.ts"
import type { StateFrame } from "../../../src/http/answer/StateFrames.ts"
import { decodeEvents } from "./EventReader.ts"

/** A source whose checks a Change alters, so that somebody must approve. */
const risky = { "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "true" }] }) }

describe("What waits for somebody", () => {
  let api: Api
  let project: { readonly id: string; readonly label: string }
  let colleague: { readonly id: string; readonly token: string }
  const inbox = async (token?: string) =>
    (await api.call("GET", "/v1/inbox", token === undefined ? {} : { token })).body

  beforeAll(async () => {
    api = await startApi()
    project = await newProject(api, "waiting")
    colleague = await newUser(api, "Colleague", firstOrganizationId)
    await api.call("PUT", `/v1/projects/${project.id}/members`, {
      body: { members: [{ userId: colleague.id, role: "member" }] }
    })
  })
  afterAll(() => api.close())

  it("is nothing at first", async () => {
    expect(await inbox()).toEqual({ items: [], isPart: false })
  })

  it("is an approval for who may give it, until they have", async () => {
    const policy = (await api.call("GET", `/v1/projects/${project.id}/policy`)).body.policy
    await api.call("PUT", `/v1/projects/${project.id}/policy`, {
      body: { ...policy, allowSelfApproval: false, approvalsRequired: 2 }
    })
    const { candidateId, changeId } = await newCandidate(api, project.id, "risky", risky)
    const item = {
      kind: "approval",
      projectId: project.id,
      label: project.label,
      id: changeId,
      changeId,
      candidateId,
      status: "awaiting_approval",
      title: "a goal"
    }
    expect(await inbox(colleague.token)).toMatchObject({ items: [item], isPart: false })
    // Who opened the Change is its author, and may not.
    expect((await inbox()).items).toEqual([])
    await api.call("POST", `/v1/changes/${changeId}/approve`, {
      token: colleague.token,
      body: { candidateId, decision: "granted" }
    })
    expect((await inbox(colleague.token)).items).toEqual([])
  })

  it("is a Candidate that cannot be promoted, with the reason", async () => {
    const { candidateId, changeId } = await newCandidate(api, project.id, "broken", { "result.txt": "broken" })
    const { items } = await inbox()
    expect(items).toMatchObject([{ kind: "candidate", id: changeId, candidateId, title: "a goal" }])
    await api.call("POST", `/v1/changes/${changeId}/cancel`)
    await api.settle()
    expect((await inbox()).items).toEqual([])
  })

  it("is nothing of what one may only look at, or not see", async () => {
    await newCandidate(api, project.id, "again", risky)
    const viewer = await newUser(api, "Viewer")
    await api.call("PUT", `/v1/projects/${project.id}/members`, {
      body: {
        members: [
          { userId: colleague.id, role: "member" },
          { userId: viewer.id, role: "viewer" }
        ]
      }
    })
    expect((await inbox(colleague.token)).items).toHaveLength(1)
    expect((await inbox(viewer.token)).items).toEqual([])
    expect((await inbox((await newUser(api, "Outsider")).token)).items).toEqual([])
  })

  it("says when it did not look through all", async () => {
    const owner = await newUser(api, "Busy", firstOrganizationId)
    for (let n = 0; n <= Limits.inboxProjects; n++)
      await api.call("POST", "/v1/projects", { token: owner.token, body: { slug: `many-${n}` } })
    expect(await inbox()).toMatchObject({ isPart: true })
  })
})

describe("News of all Projects", () => {
  let api: Api
  let close: (() => Promise<void>) | undefined
  beforeAll(async () => {
    api = await startApi()
  })
  afterEach(() => close?.())
  afterAll(() => api.close())

  const open = async (ask: { readonly token?: string; readonly after?: number; readonly last?: number } = {}) => {
    const response = await api.send(
      "GET",
      `/v1/changes-of-state${ask.after === undefined ? "" : `?after=${ask.after}`}`,
      {
        ...(ask.token === undefined ? {} : { token: ask.token }),
        headers: {
          accept: "text/event-stream",
          ...(ask.last === undefined ? {} : { "last-event-id": String(ask.last) })
        }
      }
    )
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    const events = decodeEvents(response)
    close = events.close
    const until = async (done: (frame: StateFrame) => boolean): Promise<ReadonlyArray<StateFrame>> => {
      const seen: Array<StateFrame> = []
      for (;;) {
        const { data, id } = await events.next()
        const frame = data as StateFrame
        expect(id).toBe(String(frame.sequence))
        seen.push(frame)
        if (done(frame)) return seen
      }
    }
    return { until }
  }

  it("tell what moved, in which Project, and of which Change", async () => {
    const project = await newProject(api, "news")
    const { until } = await open()
    const { candidateId, changeId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const seen = await until(({ kind, to }) => kind === "candidate" && to === "verified")
    expect(seen.every((each) => each.projectId === project.id)).toBe(true)
    const told = seen.map(({ id, kind, to }) => [kind, id, to])
    expect(told).toContainEqual(["change", changeId, "created"])
    expect(told).toContainEqual(["candidate", candidateId, "composing"])
    expect(seen.filter(({ kind }) => kind === "candidate").every((each) => each.changeId === changeId)).toBe(true)
    // Checks have no event: their beginning and their end are told here.
    const checks = seen.filter(({ kind }) => kind === "check")
    expect(checks.every((each) => each.changeId === changeId)).toBe(true)
    expect(checks.map(({ id, to }) => [id, to])).toEqual(
      expect.arrayContaining(
        ["build", "test"].flatMap((id) => ["started", "finished"].map((to) => [`${candidateId}/${id}`, to]))
      )
    )
  })

  it("go on where a reader was, and leave nothing out", async () => {
    const project = await newProject(api, "resumed")
    const { until } = await open()
    await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const before = await until(({ kind, to }) => kind === "candidate" && to === "verified")
    const last = before.at(-1)!
    const missed = await newCandidate(api, project.id, "r2", { "b.txt": "b" })
    for (const ask of [{ after: last.sequence }, { last: last.sequence }, { after: 1, last: last.sequence }]) {
      const again = await open(ask)
      const seen = await again.until(({ id, to }) => id === missed.candidateId && to === "verified")
      expect(seen.map(({ id, to }) => [id, to])).toContainEqual([missed.changeId, "created"])
    }
  })

  it("say that a Project has moved where more of it was missed than is told", async () => {
    const project = await newProject(api, "far-behind")
    const began = Date.now()
    for (const name of ["r1", "r2", "r3", "r4", "r5"])
      await newCandidate(api, project.id, name, { [`${name}.txt`]: name })
    const { until } = await open({ after: began })
    await until(({ id, kind, to }) => kind === "project" && id === project.id && to === "moved")
  })

  it("are of what one may see alone: a Project appears with a role, and is gone with it", async () => {
    const [mine, theirs] = [await newProject(api, "mine"), await newProject(api, "theirs")]
    const reader = await newUser(api, "Reader")
    const { until } = await open({ token: reader.token })
    const members = (list: ReadonlyArray<object>) =>
      api.call("PUT", `/v1/projects/${mine.id}/members`, { body: { members: list } })
    await members([{ userId: reader.id, role: "viewer" }])
    expect(await until(({ kind }) => kind === "project")).toMatchObject([{ id: mine.id, to: "appeared" }])
    await newCandidate(api, theirs.id, "r1", { "a.txt": "a" })
    await newCandidate(api, mine.id, "r1", { "a.txt": "a" })
    const seen = await until(({ kind, to }) => kind === "candidate" && to === "verified")
    expect(seen.filter(({ projectId }) => projectId !== mine.id)).toEqual([])
    await members([])
    expect((await until(({ to }) => to === "gone")).at(-1)).toMatchObject({ kind: "project", id: mine.id })
  })

  it("are a page too, for who keeps no stream open", async () => {
    const first = (await api.call("GET", "/v1/changes-of-state")).body
    expect(first).toEqual({ items: [], after: expect.any(Number) })
    const project = await newProject(api, "asked-for")
    const { candidateId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const { after, items } = (await api.call("GET", `/v1/changes-of-state?after=${first.after}`)).body
    expect(items).toContainEqual(
      expect.objectContaining({ projectId: project.id, kind: "candidate", id: candidateId, to: "verified" })
    )
    expect(after).toBeGreaterThanOrEqual(first.after)
  })

  it("begin at a number alone", async () => {
    expectProblem(await api.call("GET", "/v1/changes-of-state?after=x"), 400, "invalid_field", { field: "after" })
    const headers = { accept: "text/event-stream", "last-event-id": "x" }
    const answer = await api.call("GET", "/v1/changes-of-state", { headers })
    expectProblem(answer, 400, "invalid_field", { field: "Last-Event-ID" })
  })

  it("are read from the newest on, in the history of a Project", async () => {
    const project = await newProject(api, "backwards", source)
    await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const path = `/v1/projects/${project.id}/history`
    const { body } = await api.call("GET", path)
    const newest = await api.call("GET", `${path}?order=newest&limit=3`)
    expect(newest.body.items).toEqual(body.items.toReversed().slice(0, 3))
    const next = await api.call("GET", `${path}?order=newest&limit=3&cursor=${newest.body.nextCursor}`)
    expect(next.body.items).toEqual(body.items.toReversed().slice(3, 6))
  })
})
