import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { describe, expect, it } from "vitest"
import { ignoredPaths } from "../../src/builder/assets/AssetsIgnore.ts"
import { readHeaders } from "../../src/builder/assets/HeadersFile.ts"
import { readRedirects } from "../../src/builder/assets/RedirectsFile.ts"

const redirects = (text: string, html: Parameters<typeof readRedirects>[2] = "auto-trailing-slash") =>
  readRedirects(text, "public/_redirects", html)
const headers = (text: string) => readHeaders(text, "public/_headers")

describe("_redirects", () => {
  it("reads sources, destinations, statuses and comments", () => {
    const { redirects: rules, warnings } = redirects(
      [
        "\uFEFF# what moved",
        "/home301 / 301",
        "/home302 /",
        "/querystrings /?query=string 301",
        "\t/twitch   https://twitch.example  # see #12 for why",
        "/page/ /page2/#fragment 303 # comment",
        "no-slash /ü\r",
        "/söurce#part /there 308",
        "",
        "/blog/* https://blog.my.domain/:splat",
        "/products/:code/:name /products?code=:code&name=:name 200"
      ].join("\n")
    )
    expect(warnings).toEqual([])
    expect(rules.map(({ from, status, to }) => [from, to, status])).toEqual([
      ["/home301", "/", 301],
      ["/home302", "/", 302],
      ["/querystrings", "/?query=string", 301],
      ["/twitch", "https://twitch.example", 302],
      ["/page/", "/page2/#fragment", 303],
      ["/no-slash", "/%C3%BC", 302],
      ["/s%C3%B6urce", "/there", 308],
      ["/blog/*", "https://blog.my.domain/:splat", 302],
      ["/products/:code/:name", "/products?code=:code&name=:name", 200]
    ])
  })

  it.each([
    ["/only", "needs a source, a destination"],
    ["/a /b 301 Country=us", "needs a source, a destination"],
    ["/a /b 404", "a status is 200, 301, 302, 303, 307 or 308"],
    ["/a /b 301!", "a status is"],
    ["https://own.example/a /b", "a source is a path"],
    ["//a /b", "a source is a path"],
    ["/a //evil.example", "begins with one slash, or with https://"],
    ["/a /\\evil.example", "begins with one slash"],
    ["/a /.//evil.example", "begins with one slash"],
    ["/a javascript:alert(1)", "begins with one slash"],
    ["/a http://plain.example", "begins with one slash"],
    ["/a https://user@evil.example/", "begins with one slash"],
    ["/a https:///evil", "begins with one slash"],
    ["/a https://other.example/x 200", "shows another file of the app"],
    ["/* /index.html 200", "lead to itself"],
    ["/ /index", "lead to itself"],
    ["/a/*/b/* /c", "more than one *"],
    ["/:a:b /c", "side by side"],
    [`/a /${"x".repeat(LocalLimits.assetRuleLineLength)}`, "a line may have 2000"]
  ])("leaves out %s and says why", (line, words) => {
    const { redirects: rules, warnings } = redirects(`/good /one\n${line}\n/fine /two`)
    expect(rules.map(({ from }) => from)).toEqual(["/good", "/fine"])
    expect(warnings).toEqual([
      {
        code: "rule_ignored",
        file: "public/_redirects",
        line: 2,
        column: null,
        message: expect.stringContaining(words)
      }
    ])
  })

  it("lets the root lead to the index where html_handling leaves names alone", () => {
    expect(redirects("/ /index.html", "none").redirects).toHaveLength(1)
  })

  it("keeps the topmost of two lines for one source, and says so", () => {
    const { redirects: rules, warnings } = redirects("/a /1\n/a /2")
    expect(rules).toEqual([{ from: "/a", to: "/1", status: 302 }])
    expect(warnings).toMatchObject([{ line: 2, message: expect.stringContaining("the same source") }])
  })

  it("holds single paths and patterns to their own limits", () => {
    const many = Array.from({ length: LocalLimits.assetRedirectsStatic + 1 }, (_, n) => `/s${n} /x`)
    const patterns = Array.from({ length: LocalLimits.assetRedirectsDynamic }, (_, n) => `/p${n}/* /x`)
    const { redirects: rules, warnings } = redirects([...many, ...patterns, "/late /x", "/later /x"].join("\n"))
    expect(rules).toHaveLength(2100)
    expect(warnings).toMatchObject([
      { line: 2001, message: expect.stringContaining("2000 redirects of single paths") },
      { line: 2102, message: expect.stringContaining("100 redirects from the first with *") }
    ])
  })
})

describe("_headers", () => {
  it("reads blocks of paths, names and values, joined names and what is removed", () => {
    const { headers: rules, warnings } = headers(
      [
        "# comment",
        "/secure/page",
        "  X-Frame-Options: DENY",
        "  Link: <https://a.example/x>; rel=preload",
        "  X-Frame-Options: SAMEORIGIN",
        "/static/*",
        "\tAccess-Control-Allow-Origin: *",
        "  ! Cache-Control",
        "https://Shop.example.com/*",
        "  X-Robots-Tag: noindex",
        "https://:sub.example.com/:page",
        "  x-page: :sub :page"
      ].join("\r\n")
    )
    expect(warnings).toEqual([])
    expect(rules).toEqual([
      {
        path: "/secure/page",
        set: [
          ["x-frame-options", "DENY"],
          ["link", "<https://a.example/x>; rel=preload"],
          ["x-frame-options", "SAMEORIGIN"]
        ],
        unset: []
      },
      { path: "/static/*", set: [["access-control-allow-origin", "*"]], unset: ["cache-control"] },
      { path: "https://shop.example.com/*", set: [["x-robots-tag", "noindex"]], unset: [] },
      { path: "https://:sub.example.com/:page", set: [["x-page", ":sub :page"]], unset: [] }
    ])
  })

  it.each([
    ["no colon", "a name, a colon and a value"],
    ["bad name: x", "no name of a header"],
    [": x", "no name of a header"],
    ["empty:", "no value"],
    ["snow: \u2603", "no header may have"],
    ["Content-Length: 5", "set by the router or belongs to the connection"],
    ["! Content-Length", "set by the router or belongs to the connection"],
    ["Transfer-Encoding: chunked", "set by the router or belongs to the connection"],
    ["X-Accel-Redirect: /etc", "set by the router or belongs to the connection"],
    ["X-Pawl-Version: 1", "set by the router or belongs to the connection"],
    [`x: ${"y".repeat(LocalLimits.assetRuleLineLength)}`, "a line may have 2000"]
  ])("leaves out %s and says why", (line, words) => {
    const { headers: rules, warnings } = headers(`/a\n  x-good: 1\n  ${line}\n  x-fine: 2`)
    expect(rules).toEqual([
      {
        path: "/a",
        set: [
          ["x-good", "1"],
          ["x-fine", "2"]
        ],
        unset: []
      }
    ])
    expect(warnings).toEqual([
      { code: "rule_ignored", file: "public/_headers", line: 3, column: null, message: expect.stringContaining(words) }
    ])
  })

  it("leaves out a block that has no path, no header or no pattern, with all its lines", () => {
    const { headers: rules, warnings } = headers(
      "x-early: 1\n/empty\n/a/*/*\n  x-lost: 1\nhttp://plain.example/\n  x-lost: 2\nhttps://a.example:80/\n  x-lost: 3\n/ok\n  x-ok: 1"
    )
    expect(rules.map(({ path }) => path)).toEqual(["/ok"])
    expect(warnings.map(({ line }) => line)).toEqual([1, 2, 3, 5, 7])
  })

  it("has at most 100 blocks", () => {
    const { headers: rules, warnings } = headers(Array.from({ length: 102 }, (_, n) => `/${n}\n  x-n: ${n}`).join("\n"))
    expect(rules).toHaveLength(LocalLimits.assetHeaderRules)
    expect(warnings).toMatchObject([{ line: 201, message: expect.stringContaining("100 blocks") }])
  })
})

describe(".assetsignore", () => {
  const paths = [
    "a.txt",
    "_worker.js/index.js",
    "img/a.png",
    "img/deep/b.png",
    "img/keep.png",
    "docs/draft.md",
    "#odd",
    "b [1].txt"
  ]
  const ignored = (...lines: ReadonlyArray<string>) => [...(ignoredPaths(lines.join("\n"), paths) ?? [])]

  // Each agrees with git's own check-ignore, see its gitignore(5).
  it.each([
    [["# nothing", "", "   "], []],
    [["_worker.js"], ["_worker.js/index.js"]],
    [["/a.txt"], ["a.txt"]],
    [["a.*"], ["a.txt", "img/a.png"]],
    [["/a.*"], ["a.txt"]],
    [["img/"], ["img/a.png", "img/deep/b.png", "img/keep.png"]],
    [["a.txt/"], []],
    [["img/*.png"], ["img/a.png", "img/keep.png"]],
    [["img/**/b.png"], ["img/deep/b.png"]],
    [["**/b.png"], ["img/deep/b.png"]],
    [["img/**"], ["img/a.png", "img/deep/b.png", "img/keep.png"]],
    [
      ["*.png", "!keep.png"],
      ["img/a.png", "img/deep/b.png"]
    ],
    [
      ["img", "!img/keep.png"],
      ["img/a.png", "img/deep/b.png", "img/keep.png"]
    ],
    [["\\#odd"], ["#odd"]],
    [["b \\[?\\].txt  "], ["b [1].txt"]],
    [["[a-b].png"], ["img/a.png", "img/deep/b.png"]],
    [["[!a].png"], ["img/deep/b.png"]],
    [["*", "!a.txt"], paths.filter((path) => path !== "a.txt")]
  ])("%j ignores %j", (lines, expected) => expect(ignored(...lines)).toEqual(expected))

  it("gives up on patterns that would keep the builder busy", () => {
    const name = "a".repeat(255)
    const text = Array.from({ length: 300 }, () => `${"*a".repeat(100)}b`).join("\n")
    expect(
      ignoredPaths(
        text,
        Array.from({ length: 500 }, (_, n) => `${name}/${n}`)
      )
    ).toBe(null)
    expect(ignoredPaths(`${"**/a/".repeat(200)}b`, [Array.from({ length: 400 }, () => "a").join("/")])).toBe(null)
  })
})
