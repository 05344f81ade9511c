import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { test } from "node:test"
import app from "../src/index.ts"

const fetch = (path: string, method = "GET") => app.fetch(new Request(`https://app.example${path}`, { method }))

test("the first page is HTML, and the style sheet it names is there", async () => {
  const response = await fetch("/")
  assert.equal(response.status, 200)
  assert.match(response.headers.get("content-type") ?? "", /^text\/html/)
  const sheet = /href="([^"]+\.css)"/.exec(await response.text())?.[1]
  assert.ok(sheet !== undefined && existsSync(new URL(`../public${sheet}`, import.meta.url)))
})

test("every other path is not found, and nothing can be sent", async () => {
  assert.equal((await fetch("/nothing")).status, 404)
  assert.equal((await fetch("/", "POST")).status, 405)
})
