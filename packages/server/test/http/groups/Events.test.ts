import { decodeEvents } from "./EventReader.ts"
import { Retention } from "@pawl/core/ledger/Retention"
import { Clock, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, newUser, startApi } from "../TestApi.ts"

/** What is kept for a time is swept, long after that time. */
const sweptLater = Effect.gen(function* () {
  const later: Clock.Clock = Object.assign(Object.create(yield* Clock.Clock), {
    currentTimeMillis: Effect.succeed(Date.UTC(2100, 0, 1))
  })
  const retention = yield* Retention
  return yield* Effect.provideService(retention.sweep, Clock.Clock, later)
})

const stream = { accept: "text/event-stream" }

describe("The events of a Project", () => {
  let api: Api
  let path: string
  let projectId: string
  beforeAll(async () => {
    api = await startApi()
    projectId = (await newProject(api, "eventful")).id
    path = `/v1/projects/${projectId}/events`
    const { candidateId } = await newCandidate(api, projectId, "r1", { "a.txt": "a" })
    await api.call("POST", `/v1/candidates/${candidateId}/promote`)
    await api.settle()
  })
  afterAll(() => api.close())

  it("are one dense sequence of envelopes, in the order in which they happened", async () => {
    const { body } = await api.call("GET", path)
    expect(body.items.map((event: { sequence: number }) => event.sequence)).toEqual(
      body.items.map((_: unknown, index: number) => index + 1)
    )
    const types = body.items.map((event: { type: string }) => event.type)
    const wanted = [
      "changeset.proposed",
      "candidate.composed",
      "canonical.promotion.requested",
      "canonical.advanced",
      "build.started",
      "build.completed",
      "deployment.completed",
      "change.completed"
    ]
    expect(types.filter((type: string) => wanted.includes(type))).toEqual(wanted)
    expect(body.items[0]).toMatchObject({
      specversion: "1.0",
      source: `/projects/${projectId}`,
      actor: { type: "user" }
    })
  })

  it("are read from where the reader was", async () => {
    const all = (await api.call("GET", path)).body.items
    expect((await api.call("GET", `${path}?after=3`)).body.items).toEqual(all.slice(3))
    const page = (await api.call("GET", `${path}?limit=2`)).body
    expect(page).toEqual({ items: all.slice(0, 2), nextCursor: "2" })
    expect((await api.call("GET", `${path}?limit=2&cursor=2`)).body.items).toEqual(all.slice(2, 4))
    expect((await api.call("GET", `${path}?after=${all.length}`)).body).toEqual({ items: [], nextCursor: null })
    for (const query of ["after=-1", "after=x", "cursor=x"])
      expect((await api.call("GET", `${path}?${query}`)).status).toBe(400)
  })

  it("are streamed with the sequence as id and the envelope as data, past and new ones alike", async () => {
    const all = (await api.call("GET", path)).body.items
    const response = await api.send("GET", path, { headers: stream })
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    const events = decodeEvents(response)
    for (const event of all) expect(await events.next()).toEqual({ id: String(event.sequence), data: event })
    const next = events.next()
    await newCandidate(api, projectId, "r2", { "b.txt": "b" })
    expect((await next).data).toMatchObject({ type: "changeset.proposed", sequence: all.length + 1 })
    await events.close()
  })

  it("are streamed on from the last one that arrived", async () => {
    const all = (await api.call("GET", path)).body.items
    const last = all.length - 2
    for (const ask of [
      { path, headers: { ...stream, "last-event-id": String(last) } },
      { path: `${path}?after=${last}`, headers: stream }
    ]) {
      const events = decodeEvents(await api.send("GET", ask.path, { headers: ask.headers }))
      expect((await events.next()).data).toEqual(all[last])
      await events.close()
    }
    const both = decodeEvents(
      await api.send("GET", `${path}?after=1`, { headers: { ...stream, "last-event-id": "4" } })
    )
    expect((await both.next()).id).toBe("5")
    await both.close()
    expect((await api.call("GET", path, { headers: { ...stream, "last-event-id": "x" } })).body).toMatchObject({
      code: "invalid_field",
      field: "Last-Event-ID"
    })
  })

  it("are kept by type, one or several, in pages and in a stream, under the sequences that they have", async () => {
    const all: ReadonlyArray<{ readonly type: string; readonly sequence: number }> = (await api.call("GET", path)).body
      .items
    const of = (...types: ReadonlyArray<string>) => all.filter(({ type }) => types.includes(type))
    const advanced = of("canonical.advanced")
    const some = of("changeset.proposed", "canonical.advanced", "change.completed")
    expect([advanced.length, some.length]).toEqual([1, 4])
    const asked = "types=changeset.proposed&types=canonical.advanced&types=change.completed"
    expect((await api.call("GET", `${path}?types=canonical.advanced`)).body).toEqual({
      items: advanced,
      nextCursor: null
    })
    const page = (await api.call("GET", `${path}?${asked}&limit=3`)).body
    expect(page).toEqual({ items: some.slice(0, 3), nextCursor: String(some[2]?.sequence) })
    expect((await api.call("GET", `${path}?${asked}&limit=3&cursor=${page.nextCursor}`)).body).toEqual({
      items: some.slice(3),
      nextCursor: null
    })
    const behind = advanced[0]?.sequence ?? 0
    expect((await api.call("GET", `${path}?${asked}&after=${behind}`)).body.items).toEqual(
      some.filter(({ sequence }) => sequence > behind)
    )
    expect((await api.call("GET", `${path}?types=lane.left`)).body).toEqual({ items: [], nextCursor: null })

    const events = decodeEvents(await api.send("GET", `${path}?${asked}`, { headers: stream }))
    for (const event of some) expect(await events.next()).toEqual({ id: String(event.sequence), data: event })
    const next = events.next()
    await newCandidate(api, projectId, "r3", { "c.txt": "c" })
    expect((await next).data).toMatchObject({ type: "changeset.proposed" })
    await events.close()
    const on = decodeEvents(
      await api.send("GET", `${path}?${asked}`, { headers: { ...stream, "last-event-id": String(some[0]?.sequence) } })
    )
    expect((await on.next()).data).toEqual(some[1])
    await on.close()

    for (const headers of [{}, stream])
      for (const query of ["types=canonical", "types=", "types=canonical.advanced,change.completed"])
        expectProblem(await api.call("GET", `${path}?${query}`, { headers }), 400, "invalid_field", { field: "types" })
  })

  it("are not streamed to someone who may not read them, and to nobody without end", async () => {
    const outsider = await newUser(api, "Outsider")
    expect((await api.call("GET", path, { headers: stream, token: outsider.token })).status).toBe(404)
    const opened = await Promise.all(
      Array.from({ length: 20 }, async () => decodeEvents(await api.send("GET", path, { headers: stream })))
    )
    for (const events of opened) await events.next()
    expect(await api.call("GET", path, { headers: stream })).toMatchObject({
      status: 429,
      body: { code: "too_many_streams" }
    })
    for (const events of opened) await events.close()
    const again = decodeEvents(await api.send("GET", path, { headers: stream }))
    expect((await again.next()).id).toBe("1")
    await again.close()
  })

  it("are streamed without loss or repetition to a reader that reconnects after every event", async () => {
    const all = (await api.call("GET", path)).body.items
    const seen: Array<unknown> = []
    let last = "0"
    while (seen.length < all.length) {
      const events = decodeEvents(await api.send("GET", path, { headers: { ...stream, "last-event-id": last } }))
      const { data, id } = await events.next()
      seen.push(data)
      last = id
      await events.close()
    }
    expect(seen).toEqual(all)
  })

  it("are gone with their retention, and say so with 410 and the oldest that is left", async () => {
    const other = await startApi()
    const project = await newProject(other, "old")
    await newCandidate(other, project.id, "r1", { "a.txt": "a" })
    const events = `/v1/projects/${project.id}/events`
    const last = (await other.call("GET", events)).body.items.length
    await other.run(sweptLater)
    const gone = { status: 410, body: { code: "events_expired", after: 0, oldest: last + 1 } }
    expect(await other.call("GET", `${events}?after=0`)).toMatchObject(gone)
    expect(await other.call("GET", `${events}?cursor=0`)).toMatchObject({ status: 400 })
    expect(await other.call("GET", `${events}?after=0`, { headers: stream })).toMatchObject(gone)
    expect(await other.call("GET", events, { headers: { ...stream, "last-event-id": "0" } })).toMatchObject(gone)
    expect((await other.call("GET", `${events}?after=${last}`)).body).toEqual({ items: [], nextCursor: null })
    await other.close()
  })

  it("begin with the oldest that is kept for a reader who names none", async () => {
    const other = await startApi()
    const project = await newProject(other, "kept")
    await newCandidate(other, project.id, "r1", { "a.txt": "a" })
    const events = `/v1/projects/${project.id}/events`
    const last = (await other.call("GET", events)).body.items.length
    await other.run(sweptLater)
    expect((await other.call("GET", events)).body).toEqual({ items: [], nextCursor: null })
    await newCandidate(other, project.id, "r2", { "b.txt": "b" })
    const kept = (await other.call("GET", events)).body.items
    expect(kept[0]).toMatchObject({ sequence: last + 1 })
    expect((await other.call("GET", `${events}?limit=1`)).body).toEqual({
      items: kept.slice(0, 1),
      nextCursor: String(last + 1)
    })
    const streamed = decodeEvents(await other.send("GET", events, { headers: stream }))
    for (const event of kept) expect((await streamed.next()).data).toEqual(event)
    await streamed.close()
    await other.close()
  })

  it("are described with the header that a reader sends when it comes back", async () => {
    const { body } = await api.call("GET", "/openapi.json")
    const { parameters } = body.paths["/v1/projects/{id}/events"].get
    expect(parameters.map((each: { name: string }) => each.name).toSorted()).toEqual(
      ["Last-Event-ID", "after", "cursor", "id", "limit", "types"].toSorted()
    )
    expect(parameters.find((each: { in: string }) => each.in === "header")).toMatchObject({ required: false })
  })

  it("end with the server", async () => {
    const other = await startApi()
    const project = await newProject(other, "short-lived")
    const { body } = await other.send("GET", `/v1/projects/${project.id}/events`, { headers: stream })
    const reader = body!.getReader()
    await reader.read()
    const ended = (async () => {
      while (!(await reader.read()).done);
      return "ended"
    })()
    await other.close()
    expect(await ended).toBe("ended")
  })
})
