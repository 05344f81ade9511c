/** The lane, met over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newProject, newUser, startApi } from "../TestApi.ts"

describe("The lane", () => {
  let api: Api
  let projectId: string
  const post = (path: string, body: unknown = {}, token?: string) =>
    api.call("POST", path, token === undefined ? { body } : { body, token })
  const lane = async () => (await api.call("GET", `/v1/projects/${projectId}/lane`)).body
  const policy = (body: unknown) => api.call("PUT", `/v1/projects/${projectId}/policy`, { body })

  /** A Change with one ChangeSet, that nobody has asked anything of. */
  const changeOf = async (name: string): Promise<string> => {
    const opened = await post(`/v1/projects/${projectId}/changes`, {
      clientRequestId: name,
      goal: `goal ${name}`,
      budget_usd: 1
    })
    const { id } = opened.body.change
    await post(`/v1/changes/${id}/changesets`, { message: name, files: { [`${name}.txt`]: name } })
    return id
  }

  beforeAll(async () => {
    api = await startApi()
    projectId = (await newProject(api, "in-line")).id
  })
  afterAll(() => api.close())

  it("is off at first: nobody enters, and it holds nothing", async () => {
    const id = await changeOf("early")
    expectProblem(await post(`/v1/changes/${id}/land`), 409, "lane_off", { projectId })
    expectProblem(await post(`/v1/projects/${projectId}/lane/pause`, { reason: "no" }), 409, "lane_off")
    expectProblem(await api.call("DELETE", `/v1/changes/${id}/land`), 404, "unknown_lane_entry")
    expect(await lane()).toMatchObject({ lane: { state: "running", pausedBy: null }, entries: [], ended: [] })
  })

  it("takes a Change in with 202, answers the same with 200, and says where it stands and why", async () => {
    await policy({ lane: { mode: "on", depth: 3 } })
    const [one, two] = [await changeOf("one"), await changeOf("two")]
    const first = await post(`/v1/changes/${one}/land`)
    expect(first).toMatchObject({ status: 202, body: { entry: { changeId: one, state: "waiting", position: 1 } } })
    const again = await post(`/v1/changes/${one}/land`)
    expect(again).toMatchObject({ status: 200, body: { entry: { id: first.body.entry.id, priority: "normal" } } })
    const second = await post(`/v1/changes/${two}/land`)
    expect(await lane()).toMatchObject({
      lane: { state: "running", depth: 3 },
      entries: [
        { changeId: one, title: "goal one", position: 1, predictedGeneration: 1, predictions: 0 },
        { changeId: two, title: "goal two", position: 2, predictedGeneration: 2 }
      ]
    })
    const said = (await api.call("GET", `/v1/lane-entries/${second.body.entry.id}`)).body
    expect(said.entry).toMatchObject({ changeId: two, position: 2 })
    expect(said.why).toMatchObject({
      position: 2,
      waits: { for: "ahead", changeId: one },
      before: [{ changeId: one, title: "goal one", state: "waiting" }],
      expected: null,
      predictions: []
    })
  })

  it("is paused with a reason, and goes on: each of them once", async () => {
    const pause = (body: unknown) => post(`/v1/projects/${projectId}/lane/pause`, body)
    for (const body of [{}, { reason: "" }, { reason: 7 }]) expectProblem(await pause(body), 400, "invalid_field")
    const paused = await pause({ reason: "we look at it" })
    expect(paused).toMatchObject({ status: 200, body: { lane: { state: "paused", reason: "we look at it" } } })
    expect((await pause({ reason: "again" })).body.lane.reason).toBe("we look at it")
    const resumed = await post(`/v1/projects/${projectId}/lane/resume`)
    expect(resumed.body.lane).toMatchObject({ state: "running", reason: null, pausedBy: null })
    expect((await post(`/v1/projects/${projectId}/lane/resume`)).status).toBe(200)
  })

  it("lets an urgent one before those that have not begun, a moved one where it is put, and an interrupting one in front for admins", async () => {
    const order = async () => (await lane()).entries.map(({ changeId }: { changeId: string }) => changeId)
    const before = await order()
    const [three, four] = [await changeOf("three"), await changeOf("four")]
    expect((await post(`/v1/changes/${three}/land`, { priority: "urgent" })).body.entry.position).toBe(1)
    const member = await newUser(api, "Member")
    await api.call("PUT", `/v1/projects/${projectId}/members`, {
      body: { members: [{ userId: member.id, role: "member" }] }
    })
    const cut = { priority: "urgent", interrupt: true }
    expectProblem(await post(`/v1/changes/${four}/land`, cut, member.token), 403, "insufficient_role")
    expect((await post(`/v1/changes/${four}/land`, cut)).body.entry.position).toBe(1)
    expect(await order()).toEqual([four, three, ...before])
    const { entries } = await lane()
    const moved = await post(`/v1/lane-entries/${entries[0].id}/move`, { before: entries[3].id })
    expect(moved).toMatchObject({ status: 200, body: { entry: { position: 3 } } })
    expectProblem(await post(`/v1/lane-entries/${entries[0].id}/move`, {}, member.token), 403, "insufficient_role")
    expectProblem(
      await post(`/v1/lane-entries/${entries[0].id}/move`, { before: "ent_none" }),
      404,
      "unknown_lane_entry"
    )
  })

  it("lets a Change out, which answers its entry as it ended, also again", async () => {
    const { entries } = await lane()
    const { changeId, id } = entries[0]
    const left = await api.call("DELETE", `/v1/changes/${changeId}/land`)
    expect(left.body.entry).toMatchObject({ id, state: "left", position: null, outcome: { code: "withdrawn" } })
    expect((await api.call("DELETE", `/v1/changes/${changeId}/land`)).body).toEqual(left.body)
    expect((await lane()).ended[0]).toEqual(left.body.entry)
    expect((await api.call("GET", `/v1/lane-entries/${id}`)).body.why).toBeNull()
    expectProblem(await post(`/v1/lane-entries/${id}/move`), 409, "change_closed")
  })

  it("takes no Change that is over", async () => {
    const id = await changeOf("over")
    await post(`/v1/changes/${id}/cancel`)
    expectProblem(await post(`/v1/changes/${id}/land`), 409, "change_closed")
  })

  it("takes no Change in by a Candidate of another one", async () => {
    const [own, other] = [await changeOf("own"), await changeOf("other")]
    const { candidate } = (await post(`/v1/changes/${other}/candidates`)).body
    expectProblem(await post(`/v1/changes/${own}/land`, { candidateId: candidate.id }), 404, "unknown_candidate")
    const { status } = await post(`/v1/changes/${other}/land`, { candidateId: candidate.id })
    expect(status).toBe(202)
  })

  it("puts one forward that waits already and is told to land urgently, with 200", async () => {
    const { entries } = await lane()
    const last = entries.at(-1)
    const again = await post(`/v1/changes/${last.changeId}/land`, { priority: "urgent" })
    expect(again).toMatchObject({ status: 200, body: { entry: { id: last.id, priority: "urgent" } } })
    expect(again.body.entry.position).toBeLessThan(last.position)
  })
})
