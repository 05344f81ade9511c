import { AppLogs, type NewLogLine } from "@pawl/core/app/AppLogs"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { decodeEvents } from "./EventReader.ts"
import { type Api, newProject, newUser, startApi } from "../TestApi.ts"

const stream = { accept: "text/event-stream" }

describe("What an app printed", () => {
  let api: Api
  let projectId: string
  let path: string
  beforeAll(async () => {
    api = await startApi()
    projectId = (await newProject(api, "talkative")).id
    path = `/v1/projects/${projectId}/app/logs`
    const numbers = Array.from({ length: 120 }, (_, n) => `${n + 1}`)
    await print(...numbers.slice(0, 60))
    await print(...numbers.slice(60))
  })
  afterAll(() => api.close())

  const line = (text: string): NewLogLine => ({
    time: "2030-01-01T00:00:00.000Z",
    channel: text === "120" ? "preview:v0000001" : "production",
    version: `${projectId}@${"a".repeat(40)}`,
    level: "log",
    source: "console",
    text
  })
  const print = (...texts: ReadonlyArray<string>) =>
    api.run(Effect.flatMap(AppLogs, (logs) => logs.append(projectId, texts.map(line))))
  const texts = async (query: string): Promise<ReadonlyArray<string>> =>
    (await api.call("GET", path + query)).body.items.map((item: { text: string }) => item.text)

  it("is the newest page, oldest line first, with all that is known of each line", async () => {
    const { body, status } = await api.call("GET", path)
    expect(status).toBe(200)
    expect(body.nextCursor).toBe(null)
    expect(body.items).toHaveLength(100)
    expect(body.items[0].text).toBe("21")
    expect(body.items.at(-1)).toEqual({ ...line("120"), sequence: 120 })
  })

  it("is read on from where the reader was, page by page, and of one channel", async () => {
    expect(await texts("?after=118")).toEqual(["119", "120"])
    expect(await texts("?limit=2")).toEqual(["119", "120"])
    expect((await api.call("GET", `${path}?after=120`)).body).toEqual({ items: [], nextCursor: null })
    const first = (await api.call("GET", `${path}?after=0`)).body
    expect([first.items.length, first.nextCursor]).toEqual([100, "100"])
    expect(await texts(`?cursor=${first.nextCursor}`)).toHaveLength(20)
    expect(await texts("?channel=preview:v0000001")).toEqual(["120"])
    expect(await texts("?channel=preview:v0000009")).toEqual([])
  })

  it("is refused with a bad place, limit or channel, and to who may not see the Project", async () => {
    const bad = ["after=-1", "after=x", "after=1.5", "cursor=x", "limit=0", "limit=101", "channel=", "channel=%25"]
    for (const query of bad) expect([query, (await api.call("GET", `${path}?${query}`)).status]).toEqual([query, 400])
    const headers = { ...stream, "last-event-id": "x" }
    expect((await api.call("GET", path, { headers })).body.code).toBe("invalid_field")
    const stranger = await newUser(api, "Stranger")
    expect((await api.call("GET", path, { token: stranger.token, headers: stream })).status).toBe(404)
  })

  it("is streamed with the sequence as id, past and new lines alike, and goes on after Last-Event-ID", async () => {
    const opened = await api.send("GET", `${path}?after=0`, { headers: { ...stream, "last-event-id": "118" } })
    expect(opened.headers.get("content-type")).toBe("text/event-stream")
    const reader = decodeEvents(opened)
    expect(await reader.next()).toEqual({ id: "119", data: { ...line("119"), sequence: 119 } })
    expect((await reader.next()).id).toBe("120")
    await print("121\n\ndata: forged")
    expect(await reader.next()).toMatchObject({ id: "121", data: { text: "121\n\ndata: forged" } })
    await reader.close()
    const newest = decodeEvents(await api.send("GET", `${path}?limit=1`, { headers: stream }))
    expect((await newest.next()).id).toBe("121")
    await print("122")
    expect((await newest.next()).id).toBe("122")
    await newest.close()
  })
})
