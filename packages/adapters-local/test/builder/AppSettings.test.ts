import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"
import { utf8 } from "@pawl/core/primitives/Digest"
import { appSettings, type AppSettings } from "@pawl/adapters-local/builder/settings/AppSettings"
import {
  bindingAdvice,
  bindingFields,
  ignoredFields,
  latestCompatibilityDate,
  unsupportedFields
} from "@pawl/adapters-local/builder/settings/SettingsFields"

const files = (tree: Readonly<Record<string, string>>) =>
  new Map(Object.entries(tree).map(([path, text]) => [path, { content: utf8(text) }]))
const worker = { "src/index.ts": "", "public/index.html": "" }
const settingsOf = (tree: Readonly<Record<string, string>>): AppSettings => {
  const result = appSettings(files(tree))
  if (result._tag === "Refused") throw new Error(JSON.stringify(result.problems))
  return result.settings
}
const problemsOf = (tree: Readonly<Record<string, string>>) => {
  const result = appSettings(files(tree))
  return result._tag === "Refused" ? result.problems : []
}
const withJson = (fields: object) => ({ ...worker, "wrangler.json": JSON.stringify(fields) })
const messages = (tree: Readonly<Record<string, string>>) =>
  problemsOf(tree)
    .map(({ message }) => message)
    .join("\n")

const whole = {
  main: "src/index.ts",
  compatibilityDate: "2026-02-03",
  compatibilityFlags: ["nodejs_compat", "global_fetch_strictly_public"],
  assets: {
    directory: "public",
    notFoundHandling: "single-page-application",
    htmlHandling: "drop-trailing-slash",
    runWorkerFirst: true
  },
  modules: null,
  rules: [],
  jsx: { factory: null, fragment: null },
  tsconfig: null,
  warnings: []
}

describe("AppSettings", () => {
  it("reads the same settings from JSON, from JSON with comments, and from TOML", () => {
    const fields = {
      $schema: "x",
      name: "shop",
      main: "./src/index.ts",
      compatibility_date: "2026-02-03",
      compatibility_flags: ["nodejs_compat", "global_fetch_strictly_public"],
      assets: {
        directory: "./public/",
        binding: "ASSETS",
        not_found_handling: "single-page-application",
        html_handling: "drop-trailing-slash",
        run_worker_first: true
      },
      observability: { enabled: true },
      kv_namespaces: [],
      vars: {}
    }
    expect(settingsOf(withJson(fields))).toEqual(whole)
    const commented = `// The shop\n${JSON.stringify(fields, null, 2).replace(/\n}$/, ", /* last */\n}")}`
    expect(settingsOf({ ...worker, "wrangler.jsonc": `\uFEFF${commented}` })).toEqual(whole)
    const toml = [
      'name = "shop"',
      'main = "src/index.ts"',
      "compatibility_date = 2026-02-03",
      'compatibility_flags = ["nodejs_compat", "global_fetch_strictly_public"]',
      "[assets]",
      'directory = "public"',
      'binding = "ASSETS"',
      'not_found_handling = "single-page-application"',
      'html_handling = "drop-trailing-slash"',
      "run_worker_first = true"
    ].join("\n")
    expect(settingsOf({ ...worker, "wrangler.toml": toml })).toEqual(whole)
  })

  it("needs no wrangler file when main and assets stand in their usual places", () => {
    const plain = {
      directory: null,
      notFoundHandling: "none",
      htmlHandling: "auto-trailing-slash",
      runWorkerFirst: false
    }
    expect(settingsOf({ "index.js": "", "index.ts": "", "src/index.js": "", "src/index.ts": "" })).toMatchObject({
      main: "src/index.ts",
      assets: plain
    })
    expect(settingsOf({ "index.js": "", "index.ts": "", "src/index.js": "" }).main).toBe("src/index.js")
    expect(settingsOf({ "index.js": "", "index.ts": "" }).main).toBe("index.ts")
    expect(settingsOf({ "index.js": "" })).toMatchObject({
      main: "index.js",
      compatibilityDate: "2026-07-01",
      compatibilityFlags: []
    })
    expect(settingsOf({ "public/a.css": "" })).toMatchObject({ main: null, assets: { ...plain, directory: "public" } })
    expect(problemsOf({ "readme.md": "" })).toMatchObject([{ code: "nothing_to_serve" }])
  })

  it("refuses two wrangler files and names both", () => {
    const tree = { ...withJson({ main: "src/index.ts" }), "wrangler.toml": "" }
    expect(problemsOf(tree)).toMatchObject([
      { code: "settings_ambiguous", message: expect.stringMatching(/wrangler\.json and wrangler\.toml/) }
    ])
  })

  it.each(Object.keys(bindingFields))("refuses the binding %s by its name", (name) => {
    expect(problemsOf(withJson({ main: "src/index.ts", [name]: [{ binding: "X" }] }))).toMatchObject([
      { code: "binding_refused", file: "wrangler.json", message: expect.stringContaining(`"${name}"`) }
    ])
  })

  it("says what to use instead of the bindings that many projects have", () => {
    expect(Object.keys(bindingAdvice)).toEqual(Object.keys(bindingFields))
    expect(messages(withJson({ main: "src/index.ts", vars: { GREETING: "hello" } }))).toBe(
      `"vars" (env.GREETING) asks for variables, which an app cannot have: its env holds only ASSETS and DATA; write the values in a module of the source and import them, or keep those that change in env.DATA.`
    )
  })

  it("passes over every field that only matters elsewhere, without a word", () => {
    const fields = Object.fromEntries([...ignoredFields].map((name) => [name, { some: "value" }]))
    expect(settingsOf(withJson({ main: "src/index.ts", ...fields })).warnings).toEqual([])
  })

  it.each(Object.keys(unsupportedFields))("refuses %s, which would change the app, and says why", (name) => {
    expect(problemsOf(withJson({ main: "src/index.ts", [name]: ["x"] }))).toMatchObject([
      { code: "setting_unsupported", message: expect.stringContaining(unsupportedFields[name] ?? "") }
    ])
    expect(problemsOf(withJson({ main: "src/index.ts", [name]: [] }))).toEqual([])
  })

  it("refuses vars and Durable Objects in TOML too", () => {
    const toml =
      'main = "src/index.ts"\n[vars]\nKEY = "secret-value"\n[[durable_objects.bindings]]\nname = "X"\nclass_name = "Y"\n'
    const problems = problemsOf({ ...worker, "wrangler.toml": toml })
    expect(problems.map(({ code }) => code)).toEqual(["binding_refused", "binding_refused"])
    expect(JSON.stringify(problems)).not.toContain("secret-value")
  })

  it("tells all problems at once", () => {
    const fields = {
      main: "src/none.ts",
      compatibility_date: "2026-02-30",
      compatibility_flags: ["unsafe_module"],
      kv_namespaces: [{ binding: "KV" }],
      define: { DEBUG: "1" },
      assets: {
        directory: "./nothing",
        binding: "FILES",
        not_found_handling: "x",
        html_handling: 1,
        run_worker_first: "/api/*"
      }
    }
    expect(problemsOf(withJson(fields)).map(({ message }) => message)).toHaveLength(10)
    expect(messages(withJson(fields))).toMatch(/"assets\.run_worker_first" must be true, false, or a list of patterns/)
    expect(messages(withJson(fields))).toMatch(/"unsafe_module" is not allowed; these are: nodejs_compat, /)
    expect(messages(withJson(fields))).toMatch(/src\/none\.ts, which is not in the source/)
    expect(messages(withJson(fields))).toMatch(/"assets\.binding" must be "ASSETS"/)
  })

  it.each(["../outside.ts", "/etc/passwd", "C:\\x.ts", "src/../../x.ts", "", 5, null, ["a"]])(
    "refuses %j as main and as assets directory",
    (value) => {
      expect(problemsOf(withJson({ main: value }))).toMatchObject([{ code: "settings_invalid" }])
      expect(problemsOf(withJson({ main: "src/index.ts", assets: { directory: value } }))).toMatchObject([
        { code: "settings_invalid" }
      ])
    }
  )

  it("refuses assets that would serve the source: the root, or a folder that holds main", () => {
    expect(problemsOf(withJson({ main: "src/index.ts", assets: { directory: "." } }))).toMatchObject([
      { code: "settings_invalid" }
    ])
    expect(problemsOf(withJson({ main: "src/index.ts", assets: { directory: "src" } }))).toMatchObject([
      { code: "settings_invalid" }
    ])
  })

  it("lets main lie among the assets when an .assetsignore keeps it from being served", () => {
    const files = {
      "dist/_worker.js": "",
      "dist/.assetsignore": "_worker.js\n",
      "wrangler.json": JSON.stringify({ main: "dist/_worker.js", assets: { directory: "dist" } })
    }
    expect(settingsOf(files)).toMatchObject({ main: "dist/_worker.js", assets: { directory: "dist" } })
    expect(messages({ ...files, "dist/.assetsignore": "other.js\n" })).toMatch(/Name it in dist\/\.assetsignore/)
  })

  const first = (value: unknown, main = true) =>
    withJson({
      ...(main ? { main: "src/index.ts" } : {}),
      assets: { directory: "public", run_worker_first: value }
    })

  it("reads run_worker_first as true, false, or patterns with exceptions", () => {
    for (const value of [true, false, ["/api/*", "!/api/docs/*"], ["/*", "!/a", "!/b*c"]])
      expect(settingsOf(first(value)).assets.runWorkerFirst).toEqual(value)
  })

  it.each([
    [[], "no pattern but exceptions"],
    [["!/api/*"], "no pattern but exceptions"],
    [["api/*"], 'begins with "/"'],
    [["/a", "!api"], 'begins with "/"'],
    [["/a", "/a"], "twice"],
    [["/api/*", "/api/x"], "says already"],
    [[`/${"x".repeat(100)}`], "100 characters"],
    [Array.from({ length: 101 }, (_, n) => `/${n}`), "101 patterns"],
    [["/a", 5], "must be true, false"],
    [{}, "must be true, false"]
  ])("refuses %j as run_worker_first and says why", (value, words) => {
    expect(messages(first(value))).toContain(words)
    expect(problemsOf(first(value))).toMatchObject([{ code: "settings_invalid", file: "wrangler.json" }])
  })

  it("refuses run_worker_first without a main to run", () => {
    expect(messages(first(true, false))).toMatch(/there is no .*main.* to run/)
    expect(messages(first(["/api/*"], false))).toMatch(/there is no .*main.* to run/)
  })

  it("says where a broken file is broken, without quoting it", () => {
    expect(problemsOf({ "wrangler.jsonc": '{\n  "main": "secret",\n  oops\n}' })).toMatchObject([
      { code: "settings_unreadable", file: "wrangler.jsonc", line: 3, column: 3 }
    ])
    const toml = problemsOf({ "wrangler.toml": 'name = "a"\nmain = secret-value\n' })
    expect(toml).toMatchObject([{ code: "settings_unreadable", file: "wrangler.toml", line: 2 }])
    expect(JSON.stringify(toml)).not.toContain("secret-value")
  })

  it.each([
    ["wrangler.json", "[".repeat(60_000)],
    ["wrangler.json", `{"a":`.repeat(10_000)],
    ["wrangler.toml", `a = ${"[".repeat(60_000)}`],
    ["wrangler.json", " ".repeat(70_000)],
    ["wrangler.json", "[]"],
    ["wrangler.json", ""]
  ])("refuses a hostile %s without failing itself", (name, text) => {
    expect(problemsOf({ ...worker, [name]: text })).toMatchObject([{ code: "settings_unreadable", file: name }])
  })

  it.each([
    ["wrangler.json", `{"main":"src/index.ts","d1_databases":${"[".repeat(64)}${"]".repeat(64)}}`],
    ["wrangler.jsonc", `{"main":"src/index.ts", /* [ */ "vars":${'{"a":'.repeat(64)}1${"}".repeat(64)},}`],
    ["wrangler.toml", `main = "src/index.ts"\nd1_databases = ${"[".repeat(64)}${"]".repeat(64)}`],
    ["wrangler.toml", `main = "src/index.ts"\n[vars${".a".repeat(30_000)}]`],
    ["wrangler.toml", `main = "src/index.ts"\nvars${".a".repeat(30_000)} = 1`]
  ])("refuses a %s that is nested deeper than 64 levels, and says so", (name, text) => {
    const message = `${name} cannot be read: it is nested deeper than 64 levels.`
    expect(problemsOf({ ...worker, [name]: text })).toMatchObject([{ code: "settings_unreadable", message }])
  })

  it("reads 64 levels, and brackets in comments are none", () => {
    const vars = `${"[".repeat(63)}${"]".repeat(63)}`
    const text = `{"main":"src/index.ts","unknown":${vars} // ${"[".repeat(100)}\n}`
    expect(settingsOf({ ...worker, "wrangler.jsonc": text }).main).toBe("src/index.ts")
  })

  it("is not fooled by __proto__", () => {
    expect(problemsOf({ ...worker, "wrangler.json": '{ "__proto__": { "main": "src/index.ts" } }' })).toMatchObject([
      { code: "nothing_to_serve" }
    ])
    expect(Object.hasOwn(Object.prototype, "main")).toBe(false)
  })

  it("knows the newest date of the pinned workerd, and takes it for a later one, with a warning", () => {
    const workerd: unknown = createRequire(import.meta.url)("workerd")
    expect(workerd).toMatchObject({ compatibilityDate: latestCompatibilityDate })
    expect(
      settingsOf(withJson({ main: "src/index.ts", compatibility_date: latestCompatibilityDate })).compatibilityDate
    ).toBe(latestCompatibilityDate)
    const later = settingsOf(withJson({ main: "src/index.ts", compatibility_date: "2099-01-01" }))
    expect(later.compatibilityDate).toBe(latestCompatibilityDate)
    expect(later.warnings).toMatchObject([
      {
        code: "compatibility_date_unknown",
        file: "wrangler.json",
        line: expect.any(Number),
        message: expect.stringContaining("2099-01-01")
      }
    ])
  })

  it("warns of a field that it does not read", () => {
    expect(settingsOf(withJson({ main: "src/index.ts", colour: "blue" })).warnings).toMatchObject([
      { code: "setting_ignored", file: "wrangler.json", message: expect.stringContaining('"colour"') }
    ])
  })
})
