import { utf8 } from "@pawl/core/primitives/Digest"
import { describe, expect, it } from "vitest"
import { buildCommand } from "../../src/builder/settings/BuildCommand.ts"

const of = (tree: Readonly<Record<string, string>>) =>
  buildCommand(new Map(Object.entries(tree).map(([path, text]) => [path, { content: utf8(text), executable: false }])))

const manifest = (scripts: Readonly<Record<string, string>>, more: object = {}) => JSON.stringify({ scripts, ...more })
const script = manifest({ build: "vite build" })
const usual = ["dist", "build", "out", "_site", ".output"]
const runs = "sh -c 'vite build'"

describe("The build command of a source", () => {
  it("is that of pawl.json, whatever package.json has; its output alone is taken, and where settings are redirected to", () => {
    const pawl = JSON.stringify({ build: { command: "make", output: "site" } })
    expect(of({ "pawl.json": pawl, "package.json": script, "src/index.ts": "" })).toEqual({
      _tag: "Command",
      command: "make",
      collect: [".wrangler/deploy", "site"]
    })
  })

  it("is that of the wrangler file's own build where pawl.json names none, in the folder that it names", () => {
    const toml = `main = "made/index.js"\n[build]\ncommand = "make it's"\nwatch_dir = "src"\n`
    const made = { "wrangler.toml": toml, "package.json": script }
    expect(of(made)).toEqual({ _tag: "Command", command: "make it's", collect: [".wrangler/deploy", "made", ...usual] })
    const below = `{ "main": "src/index.ts", "build": { "command": "make it's", "cwd": "./the app/" } }`
    expect(of({ "wrangler.json": below, "src/index.ts": "" })).toMatchObject({
      command: `cd 'the app' && sh -c 'make it'\\''s'`
    })
    const pawl = JSON.stringify({ build: { command: "other", output: "site" } })
    expect(of({ ...made, "pawl.json": pawl })).toMatchObject({ command: "other" })
  })

  it.each([
    [`{ "build": ["make"] }`, '"build" must be an object'],
    [`{ "build": { "command": 7 } }`, "build.command"],
    [`{ "build": { "command": "make", "cwd": "../up" } }`, "build.cwd"],
    [`{ "build": { "command": "make", "cwd": "/tmp" } }`, "build.cwd"]
  ])("is refused by its line where the wrangler file has %s", (text, field) => {
    expect(of({ "wrangler.json": text, "src/index.ts": "" })).toMatchObject({
      _tag: "Refused",
      problems: [{ code: "setting_invalid", message: expect.stringContaining(field), file: "wrangler.json", line: 1 }]
    })
  })

  it("is none for a wrangler file whose build has no command", () => {
    expect(of({ "wrangler.json": `{ "build": { "watch_dir": "src" } }`, "src/index.ts": "" })).toEqual({ _tag: "None" })
  })

  it("is looked for at what the settings name and at the usual places where pawl.json names no output", () => {
    const pawl = JSON.stringify({ build: { command: "make" } })
    const wrangler = `{ "main": "made/worker/index.js", "assets": { "directory": "./made/public" } }`
    expect(of({ "pawl.json": pawl, "wrangler.json": wrangler })).toMatchObject({
      collect: [".wrangler/deploy", "made/worker", "made/public", ...usual]
    })
  })

  it.each([
    ["main is not there", { "wrangler.json": `{ "main": "dist/index.js" }` }],
    ["the folder of assets is not there", { "wrangler.toml": `[assets]\ndirectory = "dist"`, "src/index.ts": "" }],
    ["nothing could be served", { "src/main.tsx": "", "index.html": "" }],
    ["its page is one for Vite", { "src/index.ts": "", "index.html": "", "vite.config.ts": "" }],
    ["its page is one for Vite, which needs no settings", { "src/index.js": "", "index.html": "" }]
  ])("is the script of package.json where %s", (_, files) => {
    expect(of({ "package.json": script, ...files })).toMatchObject({ _tag: "Command", command: runs })
  })

  it("is the script of package.json that builds what Create React App made", () => {
    const files = { "src/index.js": "", "public/index.html": "" }
    expect(of({ ...files, "package.json": manifest({ build: "react-scripts build" }) })).toMatchObject({
      command: "sh -c 'react-scripts build'"
    })
    expect(of({ ...files, "package.json": script })).toEqual({ _tag: "None" })
  })

  it("is the script of package.json where Cloudflare's plugin of Vite is a dependency", () => {
    const files = { "wrangler.jsonc": `{ "main": "src/index.ts" }`, "src/index.ts": "" }
    const more = { devDependencies: { "@cloudflare/vite-plugin": "^1.0.0" } }
    expect(of({ ...files, "package.json": manifest({ build: "vite build" }, more) })).toMatchObject({ command: runs })
    expect(of({ ...files, "package.json": script })).toEqual({ _tag: "None" })
  })

  it.each([
    ["that stands as it is", { "src/index.ts": "", "package.json": script }],
    ["with pages of its own", { "public/index.html": "", "package.json": script }],
    ["without a script", { "src/main.tsx": "", "package.json": manifest({ test: "x" }) }],
    ["whose script is empty", { "package.json": manifest({ build: " " }) }],
    ["without package.json", { "src/main.tsx": "" }],
    ["whose package.json cannot be read", { "package.json": "{" }],
    ["whose names are those of every object", { "package.json": `{ "scripts": { "__proto__": {}, "toString": "x" } }` }]
  ])("is none for a source %s", (_, files) => {
    expect(of(files)).toEqual({ _tag: "None" })
  })

  it("has prebuild and postbuild around it, each as a shell's own words", () => {
    const scripts = { prebuild: "echo 'a b'; exit 0", build: "vite build", postbuild: "node after.js" }
    expect(of({ "package.json": manifest(scripts) })).toMatchObject({
      command: `sh -c 'echo '\\''a b'\\''; exit 0' && sh -c 'vite build' && sh -c 'node after.js'`
    })
  })

  it("is refused with pawl.json where that cannot be read", () => {
    expect(of({ "pawl.json": `{ "build": { "command": "x", "output": ".." } }` })).toMatchObject({
      _tag: "Refused",
      problems: [{ code: "pawl_json_invalid", file: "pawl.json", message: expect.stringContaining("output") }]
    })
  })
})
