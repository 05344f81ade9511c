import { describe, expect, it } from "vitest"
import app from "../src/worker/index.ts"
import { notesPerUser, textLength } from "../src/worker/notes.ts"

const store = () => {
  const kept = new Map<string, string>()
  return {
    get: async (key: string) => kept.get(key) ?? null,
    put: async (key: string, value: string) => void kept.set(key, value),
    delete: async (key: string) => void kept.delete(key)
  }
}

const api = () => {
  const env = { DATA: store() }
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await app.request(
      path,
      { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
      env
    )
    return { status: response.status, body: await response.json(), cookie: response.headers.get("set-cookie") }
  }
}

const texts = (answer: { body: { notes: Array<{ text: string }> } }) => answer.body.notes.map(({ text }) => text)

describe("the notes of a user", () => {
  it("begin empty, and hold what was added, the newest first", async () => {
    const ask = api()
    expect(await ask("GET", "/api/notes")).toMatchObject({ status: 200, body: { user: { id: "demo" }, notes: [] } })
    expect((await ask("POST", "/api/notes", { text: " Buy bread " })).status).toBe(201)
    await ask("POST", "/api/notes", { text: "Call Yuki" })
    expect(texts(await ask("GET", "/api/notes"))).toEqual(["Call Yuki", "Buy bread"])
  })

  it("lose what was removed, and removing it again changes nothing", async () => {
    const ask = api()
    const { body } = await ask("POST", "/api/notes", { text: "Buy bread" })
    const path = `/api/notes/${body.notes[0].id}`
    expect(texts(await ask("DELETE", path))).toEqual([])
    expect((await ask("DELETE", path)).status).toBe(200)
  })

  it("are nobody else's", async () => {
    const ask = api()
    await ask("POST", "/api/notes", { text: "A secret" }, { "x-user-id": "maria" })
    expect(texts(await ask("GET", "/api/notes", undefined, { "x-user-id": "kofi" }))).toEqual([])
    expect(texts(await ask("GET", "/api/notes", undefined, { cookie: "notes_user=maria" }))).toEqual(["A secret"])
  })

  it("are bounded: what is empty, too long or no text is refused, and the oldest make room", async () => {
    const ask = api()
    for (const text of ["", "  ", "x".repeat(textLength + 1), 1, null])
      expect(await ask("POST", "/api/notes", { text })).toMatchObject({ status: 400, body: { error: "not_a_note" } })
    for (let count = 0; count <= notesPerUser; count++) await ask("POST", "/api/notes", { text: `note ${count}` })
    const kept = texts(await ask("GET", "/api/notes"))
    expect([kept.length, kept.at(-1)]).toEqual([notesPerUser, "note 1"])
  })
})

describe("who a visitor is", () => {
  it("is picked, and remembered by a cookie", async () => {
    const ask = api()
    const answer = await ask("POST", "/api/user", { user: "kofi" })
    expect(answer).toMatchObject({ status: 200, body: { user: { name: "Kofi" } } })
    expect(answer.cookie).toMatch(/^notes_user=kofi; Path=\/; .*HttpOnly; SameSite=Lax$/)
  })

  it("is nobody under a name that nobody has, until another is picked", async () => {
    const ask = api()
    const cookie = { cookie: "notes_user=nobody" }
    expect(await ask("GET", "/api/notes", undefined, cookie)).toMatchObject({ status: 401 })
    expect(await ask("POST", "/api/user", { user: "nobody" }, cookie)).toMatchObject({ status: 400 })
    expect(await ask("POST", "/api/user", { user: "yuki" }, cookie)).toMatchObject({ status: 200 })
  })
})
