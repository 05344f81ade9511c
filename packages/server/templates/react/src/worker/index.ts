import { type Context, Hono } from "hono"
import { actingUser, findUser, type User, userCookie, users } from "../identity/index.ts"
import type { Env } from "./env.ts"
import * as Notes from "./notes.ts"

interface Types {
  Bindings: Env
  Variables: { user: User }
}

const app = new Hono<Types>()

const board = async (context: Context<Types>, user: User, status: 200 | 201 = 200) =>
  context.json({ user, users, notes: await Notes.load(context.env.DATA, user.id) }, status)

/** A field of the JSON that was sent; `undefined` when there is none. */
const field = async (request: Request, name: string): Promise<unknown> => {
  const body: unknown = await request.json().catch(() => null)
  return typeof body === "object" && body !== null ? Object.entries(body).find(([key]) => key === name)?.[1] : undefined
}

app.use("/api/*", async (context, next) => {
  await next()
  context.header("cache-control", "no-cache")
})

// Works for a visitor whose cookie names nobody, too.
app.post("/api/user", async (context) => {
  const named = await field(context.req.raw, "user")
  const user = typeof named === "string" ? findUser(named) : undefined
  if (user === undefined) return context.json({ error: "unknown_user" }, 400)
  context.header("set-cookie", userCookie(user))
  return board(context, user)
})

app.use("/api/*", async (context, next) => {
  const user = actingUser(context.req.raw)
  if (user === undefined) return context.json({ error: "unknown_user" }, 401)
  context.set("user", user)
  await next()
})

app.get("/api/notes", (context) => board(context, context.var.user))

app.post("/api/notes", async (context) => {
  const text = Notes.noteText(await field(context.req.raw, "text"))
  if (text === undefined) return context.json({ error: "not_a_note" }, 400)
  const { user } = context.var
  const notes = await Notes.load(context.env.DATA, user.id)
  await Notes.save(context.env.DATA, user.id, Notes.added(notes, { id: crypto.randomUUID(), text }))
  return board(context, user, 201)
})

app.delete("/api/notes/:id", async (context) => {
  const { user } = context.var
  const notes = await Notes.load(context.env.DATA, user.id)
  await Notes.save(context.env.DATA, user.id, Notes.removed(notes, context.req.param("id")))
  return board(context, user)
})

export default app
