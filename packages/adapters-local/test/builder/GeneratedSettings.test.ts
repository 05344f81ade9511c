import { describe, expect, it } from "vitest"
import { appSettings } from "@pawl/adapters-local/builder/settings/AppSettings"
import { bindingAdvice, bindingFields } from "@pawl/adapters-local/builder/settings/SettingsFields"
import { lineOf } from "@pawl/adapters-local/builder/settings/SettingsPlaces"

type Texts = Readonly<Record<string, string>>
const encoder = new TextEncoder()
const settingsWith = (source: Texts, generated: Texts = {}) =>
  appSettings(
    new Map(
      Object.entries({ ...source, ...generated }).map(([path, text]) => [path, { content: encoder.encode(text) }])
    ),
    new Set(Object.keys(generated))
  )
const settings = (source: Texts, generated?: Texts) => {
  const read = settingsWith(source, generated)
  if (read._tag === "Refused") throw new Error(JSON.stringify(read.problems))
  return read.settings
}
const problems = (source: Texts, generated?: Texts) => {
  const read = settingsWith(source, generated)
  return read._tag === "Refused" ? read.problems : []
}
const json = JSON.stringify
const redirect = ".wrangler/deploy/config.json"
const to = (configPath: unknown, more: Texts = {}): Texts => ({ [redirect]: json({ configPath }), ...more })

/** As the Vite plugin of Cloudflare writes it, with the defaults of wrangler. */
const written = {
  configPath: "/home/me/app/wrangler.jsonc",
  userConfigPath: "/home/me/app/wrangler.jsonc",
  topLevelName: "app",
  definedEnvironments: [],
  legacy_env: true,
  name: "app",
  main: "index.js",
  compatibility_date: "2026-03-01",
  compatibility_flags: ["nodejs_compat"],
  jsx_factory: "React.createElement",
  jsx_fragment: "React.Fragment",
  rules: [{ type: "ESModule", globs: ["**/*.js", "**/*.mjs"] }],
  no_bundle: true,
  triggers: {},
  assets: { directory: "../client", not_found_handling: "single-page-application" },
  vars: {},
  durable_objects: { bindings: [] },
  workflows: [],
  migrations: [],
  kv_namespaces: [],
  cloudchamber: {},
  send_email: [],
  queues: { producers: [], consumers: [] },
  r2_buckets: [],
  d1_databases: [],
  vectorize: [],
  ai_search_namespaces: [],
  hyperdrive: [],
  services: [],
  analytics_engine_datasets: [],
  dispatch_namespaces: [],
  mtls_certificates: [],
  pipelines: [],
  secrets_store_secrets: [],
  unsafe_hello_world: [],
  worker_loaders: [],
  ratelimits: [],
  vpc_services: [],
  logfwdr: { bindings: [] },
  python_modules: { exclude: ["**/*.pyc"] },
  observability: { enabled: true },
  dev: { ip: "localhost", local_protocol: "http", upstream_protocol: "http", enable_containers: true },
  some_later_field: []
}
const output: Texts = {
  "dist/app/wrangler.json": json(written),
  "dist/app/index.js": "export default {}",
  "dist/app/assets/worker-entry.js": "",
  "dist/client/index.html": "<p>"
}

describe("settings that a build command made", () => {
  it("are followed from .wrangler/deploy/config.json, with every path from their own folder, and without a warning", () => {
    const own = { "wrangler.jsonc": `{ "main": "worker/index.ts" }`, "worker/index.ts": "" }
    expect(settings(own, to("../../dist/app/wrangler.json", output))).toEqual({
      main: "dist/app/index.js",
      compatibilityDate: "2026-03-01",
      compatibilityFlags: ["nodejs_compat"],
      assets: {
        directory: "dist/client",
        notFoundHandling: "single-page-application",
        htmlHandling: "auto-trailing-slash",
        runWorkerFirst: false
      },
      modules: "dist/app",
      rules: [
        { type: "esm", globs: ["**/*.js", "**/*.mjs"] },
        { type: "text", globs: ["**/*.txt", "**/*.html", "**/*.sql"] },
        { type: "data", globs: ["**/*.bin"] },
        { type: "wasm", globs: ["**/*.wasm", "**/*.wasm?module"] }
      ],
      jsx: { factory: "React.createElement", fragment: "React.Fragment" },
      tsconfig: null,
      warnings: []
    })
  })

  it("win over the project's own file, and need none", () => {
    expect(settings({}, to("../../dist/app/wrangler.json", output)).main).toBe("dist/app/index.js")
    expect(settings({ "wrangler.toml": `main = "gone.ts"` }, to("../../dist/app/wrangler.json", output)).main).toBe(
      "dist/app/index.js"
    )
    expect(settings(to("../../dist/app/wrangler.json", output)).main).toBe("dist/app/index.js")
  })

  it.each([
    ["dist/w.jsonc", `{ /* made */ "main": "./i.js", }`],
    ["dist/w.toml", `main = "i.js"\n`],
    [".wrangler/deploy/w.json", `{ "main": "../../dist/i.js" }`],
    ["dist/w.json", `{ "main": "../dist/./x/../i.js" }`],
    ["dist/deep/w.json", `{ "main": "../i.js" }`]
  ])("may be %s", (path, text) => {
    const up = path.startsWith(".wrangler") ? "w.json" : `../../${path}`
    expect(settings({}, to(up, { [path]: text, "dist/i.js": "" })).main).toBe("dist/i.js")
  })

  it("of files alone are served from their own folder", () => {
    const made = { "dist/client/wrangler.json": `{ "assets": { "directory": "." } }`, "dist/client/index.html": "" }
    expect(settings({}, to("../../dist/client/wrangler.json", made))).toMatchObject({
      main: null,
      assets: { directory: "dist/client" }
    })
  })

  it.each([
    ["names what is not there", to("../../dist/none.json"), "which is not there"],
    ["leads out of the source", to("../../../secret.json"), "leads out of the source"],
    ["is absolute", to("/etc/wrangler.json"), "leads out of the source"],
    ["is a path of Windows", to("C:\\x\\wrangler.json"), "leads out of the source"],
    ["is no text", to(7), `"configPath" must name`],
    ["is missing", { [redirect]: "{}" }, `"configPath" must name`],
    ["names the root", to("../.."), "leads out of the source"],
    ["names no settings", to("../../dist/w.js", { "dist/w.js": "" }), "no .json, .jsonc or .toml"],
    ["is no JSON", { [redirect]: "configPath = 1" }, "not valid JSON"],
    ["is a list", { [redirect]: "[]" }, "must hold one object"],
    ["names itself", to("config.json"), "nothing to serve"],
    [
      "names several Workers",
      { [redirect]: `{ "configPath": "../../d/w.json", "auxiliaryWorkers": [{ "configPath": "../../e/w.json" }] }` },
      "The build made 2 Workers"
    ],
    ["names a file that is no JSON", to("../../d/w.json", { "d/w.json": "main" }), "d/w.json is not valid JSON"],
    [
      "names settings whose main is outside",
      to("../../d/w.json", { "d/w.json": `{ "main": "../../x.js" }` }),
      "inside the source"
    ],
    [
      "names settings whose main is missing",
      to("../../d/w.json", { "d/w.json": `{ "main": "i.js" }` }),
      "d/i.js, which is neither in the source nor among what the build command left"
    ],
    [
      "names settings whose assets are outside",
      to("../../d/w.json", { "d/w.json": `{ "assets": { "directory": "../.." } }` }),
      "assets.directory"
    ]
  ])("are refused in words when the redirect %s", (_, made, words) => {
    const found = problems({ "src/index.ts": "" }, made)
    expect(found[0]?.message).toContain(words)
  })

  it("do not excuse two files of the project's own", () => {
    expect(
      problems({ "wrangler.json": "{}", "wrangler.toml": "" }, to("../../dist/app/wrangler.json", output))
    ).toMatchObject([{ code: "settings_ambiguous" }])
  })

  it("that ask for a binding name the line of the project's own file", () => {
    const own = { "wrangler.toml": `main = "src/w.ts"\n\n[[kv_namespaces]]\nbinding = "CACHE"\n`, "src/w.ts": "" }
    const made = { ...output, "dist/app/wrangler.json": json({ ...written, kv_namespaces: [{ binding: "CACHE" }] }) }
    expect(problems(own, to("../../dist/app/wrangler.json", made))).toMatchObject([
      { code: "binding_refused", file: "wrangler.toml", line: 3, message: expect.stringContaining("env.CACHE") }
    ])
    expect(problems({}, to("../../dist/app/wrangler.json", made))).toMatchObject([
      { code: "binding_refused", file: "dist/app/wrangler.json", line: 1 }
    ])
  })

  it("may ask for what a framework adds by itself, which is left out with a warning", () => {
    const astro = { kv_namespaces: [{ binding: "SESSION" }], images: { binding: "IMAGES" } }
    const made = (more: object) =>
      to("../../dist/app/wrangler.json", { ...output, "dist/app/wrangler.json": json({ ...written, ...more }) })
    expect(settings({}, made(astro)).warnings.map(({ code }) => code)).toEqual(["binding_left_out", "binding_left_out"])
    const own = { "wrangler.json": json(astro) }
    expect(problems(own, made(astro))).toMatchObject([
      { code: "binding_refused", file: "wrangler.json" },
      { code: "binding_refused", file: "wrangler.json" }
    ])
    expect(problems({}, made({ kv_namespaces: [{ binding: "SESSION", id: "1" }] }))).toHaveLength(1)
    expect(problems({}, made({ kv_namespaces: [{ binding: "SESSION" }, { binding: "B" }] }))).toHaveLength(1)
  })

  it("are found without a wrangler file where the command left a page", () => {
    const page = { "dist/index.html": "<p>" }
    expect(settings({ "src/index.ts": "", "public/a.svg": "" }, page)).toMatchObject({
      main: null,
      assets: { directory: "dist", notFoundHandling: "single-page-application" }
    })
    expect(settings({}, { ...page, "dist/404.html": "" }).assets.notFoundHandling).toBe("404-page")
    const named = { "pawl.json": json({ build: { command: "make", output: "./site/" } }) }
    expect(settings(named, { ...page, "site/index.html": "" }).assets.directory).toBe("site")
    expect(settings({ "src/index.ts": "", "dist/index.html": "committed" }).main).toBe("src/index.ts")
  })

  it("of modules are read as wrangler reads them", () => {
    const base = { main: "out/w/i.js", no_bundle: true }
    const files = { "out/w/i.js": "" }
    const of = (more: object) => settings({ ...files, "wrangler.json": json({ ...base, ...more }) })
    expect(of({}).modules).toBe("out/w")
    expect(of({ base_dir: "./out" }).modules).toBe("out")
    expect(of({ find_additional_modules: false }).rules).toEqual([])
    const text = { type: "Text", globs: ["**/*.md"] }
    expect(of({ rules: [text] }).rules.map(({ globs }) => globs[0])).toEqual(["**/*.md", "**/*.bin", "**/*.wasm"])
    expect(of({ rules: [{ ...text, fallthrough: true }] }).rules).toHaveLength(4)
    const wrong = (more: object) => problems({ ...files, "wrangler.json": json({ ...base, ...more }) })[0]?.message
    expect(wrong({ base_dir: "src" })).toContain('"main" lies in')
    expect(wrong({ base_dir: "../.." })).toContain("inside the source")
    expect(wrong({ rules: [{ type: "CommonJS", globs: ["**/*.cjs"] }] })).toContain(
      "ESModule, Text, Data, CompiledWasm"
    )
    expect(wrong({ rules: "x" })).toContain('"rules" must be')
    expect(wrong({ no_bundle: false, find_additional_modules: true })).toContain("find_additional_modules")
  })
})

describe("a binding that an app cannot have", () => {
  const names = Object.keys(bindingFields)
  const values = (name: string) => (name === "vars" ? { GREETING: "secret-value" } : [{ binding: "THING" }])
  const source = { "src/index.ts": "" }

  it.each(names)(
    "%s is refused in one sentence, with its line in JSON, JSONC and TOML and what there is instead",
    (name) => {
      const text = json(
        { name: "x", main: "src/index.ts", assets: { [name]: 1, directory: "p" }, [name]: values(name) },
        null,
        2
      )
      const line = text.split("\n").findLastIndex((each) => each.startsWith(`  "${name}"`)) + 1
      const toml = `main = "src/index.ts"\nnote = """\n[${name}]\n${name} = 1\n"""\nlist = [\n  "a", # ]\n]\n${
        name === "vars" ? `\n[ vars ]\nGREETING = "secret-value"\n` : `\n[["${name}"]]\nbinding = "THING"\n`
      }`
      for (const [file, content, at] of [
        ["wrangler.json", text, line],
        ["wrangler.jsonc", `// first\n${text.replace('"name"', '/* "kv_namespaces": [] */ "name"')}`, line + 1],
        ["wrangler.toml", toml, 10]
      ] as const) {
        const found = problems({ ...source, "p/a": "", [file]: content }).filter(
          ({ code }) => code === "binding_refused"
        )
        expect(found).toHaveLength(1)
        expect(found[0]).toMatchObject({ file, line: at })
        expect(found[0]?.message).toContain(`"${name}"`)
        expect(found[0]?.message).toContain(bindingAdvice[name])
        expect(found[0]?.message).not.toContain("secret-value")
        expect(found[0]?.message.match(/\. |\.$/g)).toHaveLength(1)
      }
    }
  )

  it("is found in TOML however its key is written, and not where a text or another table only names it", () => {
    const at = (text: string) => lineOf("wrangler.toml", text, "vars")
    expect(at("\n\n[vars]\n")).toBe(3)
    expect(at('a = 1\n  "vars".x = 1\n')).toBe(2)
    expect(at("'vars' = { a = 1 }")).toBe(1)
    expect(at("[env.production]\nvars = 1\n[vars.deep]\n")).toBe(3)
    expect(at("x = '''\nvars = 1\n'''\ny = [ 1,\n [2],\n]\nvars = 2")).toBe(7)
    expect(at('x = "[" # [\nvars = 2')).toBe(2)
    expect(at("# vars = 1\nvariables = 1\n[env.vars]\n")).toBeNull()
    expect(at(`${"[".repeat(60_000)}\nvars = 1`)).toBeNull()
  })
})
