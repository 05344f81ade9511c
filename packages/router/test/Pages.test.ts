import { sha256 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { page, type PageName, style, styleHash } from "../src/Pages.ts"
import { header, text } from "./World.ts"

const names: ReadonlyArray<readonly [PageName, number, string | undefined]> = [
  ["noApp", 404, undefined],
  ["noPath", 404, undefined],
  ["removed", 410, undefined],
  ["building", 503, "3"],
  ["buildFailed", 503, "30"],
  ["limitReached", 503, "60"],
  ["threw", 502, undefined],
  ["overLimit", 503, "5"],
  ["unavailable", 503, "5"]
]
const hostile = `"><script>alert(1)</script><img src=x onerror='x'>&`

describe.each(names)("The page %s", (name, status, retryAfter) => {
  const asked = { method: "GET", host: hostile }

  it("has its status, is plain, tells no search engine, and asks to come back only when that helps", async () => {
    const response = page(name, asked)
    const html = await text(response.body)
    expect(response.status).toBe(status)
    expect(header(response, "retry-after")).toBe(retryAfter)
    expect(html.includes(`<meta http-equiv="refresh" content="${retryAfter}">`)).toBe(retryAfter !== undefined)
    expect(html.includes("looks again")).toBe(retryAfter !== undefined)
    expect(header(response, "content-length")).toBe(String(new TextEncoder().encode(html).length))
    for (const part of [
      '<!doctype html>\n<html lang="en">',
      '<meta charset="utf-8">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<meta name="robots" content="noindex">',
      "<title>",
      "prefers-color-scheme:dark"
    ])
      expect(html).toContain(part)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-robots-tag": "noindex",
      "cache-control": "no-store",
      "content-security-policy": expect.stringMatching(/^default-src 'none'; style-src 'sha256-/)
    })
  })

  it("shows what came from outside as text alone", async () => {
    const html = await text(page(name, asked).body)
    expect(html).not.toMatch(/<script|<img|\son\w+=['"]/i)
    expect(html).toContain("&#60;script&#62;")
  })

  it("has no body for HEAD, and never asks for a POST to be sent again", async () => {
    const head = page(name, { method: "HEAD" })
    expect([head.body, header(head, "content-length")]).toEqual([
      null,
      header(page(name, { method: "GET" }), "content-length")
    ])
    const post = await text(page(name, { method: "POST" }).body)
    expect(post).not.toMatch(/http-equiv="refresh"|looks again/)
  })
})

describe("The policy of pages", () => {
  it("allows their one style by its hash", async () => {
    const digest = await Effect.runPromise(sha256(style))
    const base64 = btoa(String.fromCharCode(...digest.match(/../g)!.map((hex) => parseInt(hex, 16))))
    expect(styleHash).toBe(`sha256-${base64}`)
    expect(await text(page("threw", { method: "GET" }).body)).toContain(`<style>${style}</style>`)
  })
})
