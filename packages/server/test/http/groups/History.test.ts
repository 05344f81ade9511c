import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

interface Item {
  readonly kind: string
  readonly id: string
  readonly from: string | null
  readonly to: string
  readonly at: string
  readonly actor: { readonly type: string; readonly id: string }
  readonly reason: string | null
  readonly commit: string
}

describe("The history, over HTTP", () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.close())

  /** What became of one thing, as a chain of statuses. */
  const lifeOf = (items: ReadonlyArray<Item>, id: string) =>
    items.filter((item) => item.id === id).map((item) => `${item.from ?? ""}>${item.to}`)

  it("tells the whole life of a Change and of what belongs to it, each step by whom", async () => {
    const project = await newProject(api, "annals")
    const { changeId, candidateId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    await api.call("POST", `/v1/candidates/${candidateId}/promote`)
    await api.settle()
    const { body, status } = await api.call("GET", `/v1/changes/${changeId}/history`)
    expect(status).toBe(200)
    expect(body.nextCursor).toBe(null)
    const items: ReadonlyArray<Item> = body.items
    expect(lifeOf(items, changeId)).toEqual([
      ">created",
      "created>running",
      "running>verifying",
      "verifying>promoting",
      "promoting>releasing",
      "releasing>completed"
    ])
    expect(lifeOf(items, candidateId)).toEqual([
      ">composing",
      "composing>verifying",
      "verifying>verified",
      "verified>promoted"
    ])
    expect(lifeOf(items, `rel_${project.id}_1`)).toEqual([">queued", "queued>building", "building>deployed"])
    const me = (await api.call("GET", "/v1/me")).body.user.id
    const swap = items.find((item) => item.id === candidateId && item.to === "promoted")
    expect(swap).toMatchObject({ kind: "candidate", actor: { type: "user", id: me }, commit: "Promotions.swap" })
    const byMe = items.filter((item) => item.actor.id === me).map((item) => `${item.kind} ${item.to}`)
    expect(byMe).toEqual(
      expect.arrayContaining(["change created", "candidate composing", "change promoting", "release queued"])
    )
    expect(items.map((item) => item.at)).toEqual(items.map((item) => item.at).sort())
  })

  it("says why a Change was cancelled, and who did it", async () => {
    const project = await newProject(api, "stopped")
    const { changeId, candidateId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    await api.call("POST", `/v1/changes/${changeId}/cancel`)
    const items: ReadonlyArray<Item> = (await api.call("GET", `/v1/changes/${changeId}/history`)).body.items
    const rejected = items.find((item) => item.id === candidateId && item.to === "rejected")
    expect(rejected).toMatchObject({ reason: "change cancelled", actor: { type: "user" } })
  })

  it("shows a Project all of it, in pages", async () => {
    const project = await newProject(api, "pages")
    const { changeId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const whole: ReadonlyArray<Item> = (await api.call("GET", `/v1/projects/${project.id}/history`)).body.items
    const ofChange: ReadonlyArray<Item> = (await api.call("GET", `/v1/changes/${changeId}/history`)).body.items
    expect(whole).toEqual(expect.arrayContaining([...ofChange]))
    expect(whole.filter((item) => item.kind === "pointer").length).toBeGreaterThan(0)
    const found: Array<Item> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const next: string = cursor === "" ? "" : `&cursor=${cursor}`
      const { body } = await api.call("GET", `/v1/projects/${project.id}/history?limit=3${next}`)
      expect(body.items.length).toBeLessThanOrEqual(3)
      found.push(...body.items)
      cursor = body.nextCursor
    }
    expect(found).toEqual(whole)
  })
})
