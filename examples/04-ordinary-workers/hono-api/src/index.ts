import { Hono } from "hono"
import { cors } from "hono/cors"
import { HTTPException } from "hono/http-exception"
import { secureHeaders } from "hono/secure-headers"
import { all, find } from "./books.js"

const app = new Hono()

app.use(secureHeaders())
app.use("/api/*", cors())

app.get("/", (c) => c.text("Reading list"))
app.get("/api/books", (c) => c.json(all()))
app.get("/api/books/:id{[0-9]+}", (c) => {
  const book = find(Number(c.req.param("id")))
  if (book === undefined) throw new HTTPException(404, { message: "No such book" })
  return c.json(book)
})
app.post("/api/echo", async (c) => c.json({ said: await c.req.text() }, 201))

export default app
