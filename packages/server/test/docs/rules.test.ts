import { readHeaders } from "@pawl/adapters-local/builder/assets/HeadersFile"
import { readRedirects } from "@pawl/adapters-local/builder/assets/RedirectsFile"
import { describe, expect, it } from "vitest"
import { document } from "./Documents.ts"

const texts = document("docs/reference/assets.md").blocks.filter(({ language }) => language === "text")

describe("The page on static files", () => {
  it("shows a _redirects and a _headers that are read without a warning", () => {
    const [redirects = "", headers = ""] = texts.map(({ text }) => text)
    const read = readRedirects(redirects, "_redirects", "auto-trailing-slash")
    expect([read.redirects.length, read.warnings]).toEqual([5, []])
    const rules = readHeaders(headers, "_headers")
    expect([rules.headers.length, rules.warnings]).toEqual([3, []])
  })
})
