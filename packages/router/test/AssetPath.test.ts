import fc from "fast-check"
import type { BundleAssets } from "@pawl/core/bundle/Bundle"
import { describe, expect, it } from "vitest"
import { decodePath, encodePath, resolve } from "../src/AssetPath.ts"

const files = new Set([
  "/index.html",
  "/404.html",
  "/file.html",
  "/folder/index.html",
  "/folder/404.html",
  "/both.html",
  "/both/index.html",
  "/bin",
  "/bin.html",
  "/exact/index",
  "/exact/index.html",
  "/style.css",
  "/twice.html/index.html"
])
const modes = ["auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"] as const
const answer = (
  html: BundleAssets["htmlHandling"],
  path: string,
  notFound: BundleAssets["notFoundHandling"] = "none"
) => {
  const resolved = resolve(files, { html, notFound }, path)
  return resolved === null ? null : resolved._tag === "File" ? resolved.file : `→ ${resolved.to}`
}

// The tables of Cloudflare's documentation, "HTML handling", and the corners between two files that share a name.
const table: ReadonlyArray<
  readonly [path: string, auto: string | null, force: string | null, drop: string | null, none: string | null]
> = [
  ["/", "/index.html", "/index.html", "/index.html", null],
  ["/index", "→ /", "→ /", "→ /", null],
  ["/index.html", "→ /", "→ /", "→ /", "/index.html"],
  ["/index/", "→ /index", "/index.html", "→ /index", null],
  ["/file", "/file.html", "→ /file/", "/file.html", null],
  ["/file.html", "→ /file", "→ /file/", "→ /file", "/file.html"],
  ["/file/", "→ /file", "/file.html", "→ /file", null],
  ["/file/index", "→ /file", "→ /file/", "→ /file", null],
  ["/file/index.html", "→ /file", "→ /file/", "→ /file", null],
  ["/folder", "→ /folder/", "→ /folder/", "/folder/index.html", null],
  ["/folder.html", "→ /folder/", "→ /folder/", "→ /folder", null],
  ["/folder/", "/folder/index.html", "/folder/index.html", "→ /folder", null],
  ["/folder/index", "→ /folder/", "→ /folder/", "→ /folder", null],
  ["/folder/index.html", "→ /folder/", "→ /folder/", "→ /folder", "/folder/index.html"],
  ["/both", "/both.html", "→ /both/", "/both.html", null],
  ["/both.html", "→ /both", "/both.html", "→ /both", "/both.html"],
  ["/both/", "/both/index.html", "/both/index.html", "→ /both", null],
  ["/both/index.html", "→ /both/", "→ /both/", "/both/index.html", "/both/index.html"],
  ["/bin", "/bin", "/bin", "/bin", "/bin"],
  ["/bin.html", "/bin.html", "→ /bin/", "/bin.html", "/bin.html"],
  ["/bin/", null, "/bin.html", null, null],
  ["/exact/index", "/exact/index", "/exact/index", "/exact/index", "/exact/index"],
  ["/exact/index.html", "→ /exact/", "→ /exact/", "→ /exact", "/exact/index.html"],
  ["/style.css", "/style.css", "/style.css", "/style.css", "/style.css"],
  ["/style", null, null, null, null],
  ["/style.css/", null, null, null, null],
  ["/STYLE.css", null, null, null, null],
  ["/missing", null, null, null, null]
]

describe("html_handling", () => {
  for (const [path, ...expected] of table) {
    for (const [index, mode] of modes.entries()) {
      it(`${mode}: ${path} is ${expected[index]}`, () => expect(answer(mode, path)).toBe(expected[index]))
    }
  }

  it("never sends a visitor round in circles, and never to another host", () => {
    const segment = fc.constantFrom("a", "index", "index.html", "a.html", "b", ".html", "")
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`)
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 8 }), fc.constantFrom(...modes), path, (list, mode, asked) => {
        const first = resolve(new Set(list), { html: mode, notFound: "none" }, asked)
        if (first?._tag !== "Move") return
        expect(first.to).toMatch(/^\//)
        expect(first.to).not.toMatch(/\/\//)
        const second = resolve(new Set(list), { html: mode, notFound: "none" }, first.to)
        const last =
          second?._tag === "Move" ? resolve(new Set(list), { html: mode, notFound: "none" }, second.to) : second
        expect(last?._tag).toBe("File")
      }),
      { numRuns: 3000 }
    )
  })
})

describe("not_found_handling", () => {
  it("none finds nothing", () => expect(resolve(files, { html: "none", notFound: "none" }, "/x")).toBe(null))
  it("single-page-application shows the root's index.html as a success", () =>
    expect(resolve(files, { html: "none", notFound: "single-page-application" }, "/x/y")).toEqual({
      _tag: "File",
      file: "/index.html",
      status: 200,
      how: "instead"
    }))
  it.each([
    ["/x", "/404.html"],
    ["/x/y/z", "/404.html"],
    ["/folder/x", "/folder/404.html"],
    ["/folder/x/y/", "/folder/404.html"],
    ["/folderx", "/404.html"]
  ])("404-page shows the nearest 404.html: of %s %s", (path, file) =>
    expect(resolve(files, { html: "auto-trailing-slash", notFound: "404-page" }, path)).toEqual({
      _tag: "File",
      file,
      status: 404,
      how: "instead"
    })
  )
  it("without such a file finds nothing", () => {
    expect(resolve(new Set(["/a"]), { html: "auto-trailing-slash", notFound: "404-page" }, "/x/y")).toBe(null)
    expect(resolve(new Set(["/a"]), { html: "auto-trailing-slash", notFound: "single-page-application" }, "/x/y")).toBe(
      null
    )
  })
})

describe("paths", () => {
  it.each([
    ["/", "/"],
    ["/a/b", "/a/b"],
    ["/a/", "/a/"],
    ["/a%20b", "/a b"],
    ["/%C3%BC", "/ü"],
    ["/%2525", "/%25"],
    ["/a%3Fb", "/a?b"]
  ])("%s is %s", (given, expected) => expect(decodePath(given)).toBe(expected))
  it.each([
    "/a%2Fb",
    "/a%5Cb",
    "/a\\b",
    "/..",
    "/a/../b",
    "/%2e%2e/b",
    "/%2E/",
    "//evil.example/",
    "/a//b",
    "/%00",
    "/a%0Ab",
    "/%ff",
    "/%",
    "",
    "a"
  ])("%s is no path of a file", (given) => expect(decodePath(given)).toBe(null))
  it("come back the same when they are written as a URL", () => {
    const segment = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((s) => s !== "." && s !== ".." && !/[/\\\p{Cc}]/u.test(s))
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), (segments) => {
        expect(decodePath(encodePath(`/${segments.join("/")}`))).toBe(`/${segments.join("/")}`)
      })
    )
  })
})
