import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, newUser, startApi } from "../TestApi.ts"
import { decodeEvents } from "./EventReader.ts"

interface Item {
  readonly kind: string
  readonly id: string
  readonly from: string | null
  readonly to: string
  readonly at: string
  readonly actor: { readonly type: string; readonly id: string }
  readonly reason: string | null
  readonly commit: string
  readonly sequence: number
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

  it("tells the rest to who names the step that they saw last, and refuses what is no sequence", async () => {
    const project = await newProject(api, "rest")
    const { candidateId, changeId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    for (const path of [`/v1/changes/${changeId}/history`, `/v1/projects/${project.id}/history`]) {
      const seen: ReadonlyArray<Item> = (await api.call("GET", path)).body.items
      const last = seen.at(-1)?.sequence ?? 0
      const rest = async (more = "") => (await api.call("GET", `${path}?after=${last}${more}`)).body
      expect(await rest()).toEqual({ items: [], nextCursor: null })
      if (path.includes("/changes/")) await api.call("POST", `/v1/candidates/${candidateId}/promote`)
      else await api.call("DELETE", `/v1/projects/${project.id}/app`)
      await api.settle()
      const all: ReadonlyArray<Item> = (await api.call("GET", path)).body.items
      const fresh = all.slice(seen.length)
      expect(fresh.length).toBeGreaterThan(0)
      expect(await rest()).toEqual({ items: fresh, nextCursor: null })
      expect((await rest("&order=newest")).items).toEqual(fresh.toReversed())
      expect((await rest("&limit=1")).items).toEqual(fresh.slice(0, 1))
      for (const after of ["", "x", "-1", "1.5"])
        expectProblem(await api.call("GET", `${path}?after=${after}`), 400, "invalid_field", { field: "after" })
    }
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

  const stream = { accept: "text/event-stream" }
  const open = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await api.send("GET", path, { headers: { ...stream, ...headers } })
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    return decodeEvents(response)
  }
  const itemsOf = async (path: string): Promise<ReadonlyArray<Item>> => (await api.call("GET", path)).body.items

  it("is streamed, each step under its sequence, what was there and what comes, of a Change and of its Project", async () => {
    const project = await newProject(api, "followed")
    const { candidateId, changeId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const paths = [`/v1/changes/${changeId}/history`, `/v1/projects/${project.id}/history`]
    const streams = await Promise.all(paths.map((path) => open(path)))
    const before = await Promise.all(paths.map(itemsOf))
    for (const [n, steps] of streams.entries())
      for (const item of before[n]!) expect(await steps.next()).toEqual({ id: String(item.sequence), data: item })
    const next = streams.map((steps) => steps.next())
    await api.call("POST", `/v1/candidates/${candidateId}/promote`)
    await api.settle()
    for (const [n, steps] of streams.entries()) {
      const [first, ...more] = (await itemsOf(paths[n]!)).slice(before[n]!.length)
      expect((await next[n]!).data).toEqual(first)
      expect(more.length).toBeGreaterThan(0)
      for (const item of more) expect((await steps.next()).data).toEqual(item)
      await steps.close()
    }
  })

  it("is streamed to a Change's reader without what is of another Change", async () => {
    const project = await newProject(api, "apart")
    const one = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const path = `/v1/changes/${one.changeId}/history`
    const last = (await itemsOf(path)).at(-1)!.sequence
    const steps = await open(`${path}?after=${last}`)
    const next = steps.next()
    await newCandidate(api, project.id, "r2", { "b.txt": "b" })
    await api.call("POST", `/v1/changes/${one.changeId}/cancel`)
    expect((await next).data).toEqual((await itemsOf(`${path}?after=${last}`))[0])
    await steps.close()
  })

  it("is streamed on from the step that arrived last, without loss or repetition, however often a reader comes back", async () => {
    const project = await newProject(api, "again")
    const { changeId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const path = `/v1/changes/${changeId}/history`
    const all = await itemsOf(path)
    const seen: Array<unknown> = []
    let last = "0"
    while (seen.length < all.length) {
      const steps = await open(path, { "last-event-id": last })
      const { data, id } = await steps.next()
      seen.push(data)
      last = id
      await steps.close()
    }
    expect(seen).toEqual(all)
    // What the stream had last wins over what its address says.
    const both = await open(`${path}?after=0`, { "last-event-id": String(all[2]!.sequence) })
    expect((await both.next()).data).toEqual(all[3])
    await both.close()
    const cursor = (await api.call("GET", `${path}?limit=2`)).body.nextCursor
    const behind = await open(`${path}?cursor=${cursor}`)
    expect((await behind.next()).data).toEqual(all[2])
    await behind.close()
  })

  it("is no stream for who may not read it, for what is no place, in the other order, and nobody's without a bound", async () => {
    const project = await newProject(api, "bounded")
    const { changeId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const outsider = (await newUser(api, "Outsider")).token
    for (const path of [`/v1/changes/${changeId}/history`, `/v1/projects/${project.id}/history`]) {
      expect((await api.call("GET", path, { headers: stream, token: outsider })).status).toBe(404)
      const ask = (query: string, more = {}) => api.call("GET", `${path}${query}`, { headers: { ...stream, ...more } })
      expectProblem(await ask("", { "last-event-id": "x" }), 400, "invalid_field", { field: "Last-Event-ID" })
      expectProblem(await ask("?cursor=o1"), 400, "invalid_field", { field: "cursor" })
      expectProblem(await ask("?order=newest"), 400, "invalid_field", { field: "order" })
      const opened = await Promise.all(Array.from({ length: 20 }, () => open(path)))
      expectProblem(await ask(""), 429, "too_many_streams")
      for (const steps of opened) await steps.close()
    }
  })
})
