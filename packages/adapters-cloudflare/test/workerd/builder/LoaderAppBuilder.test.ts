import { Effect, type Layer } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { AppBuilder, type BuildResult } from "@pawl/core/bundle/AppBuilder"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import type { BundlerModules } from "@pawl/adapters-cloudflare/builder/BundlerModules"
import { layer } from "@pawl/adapters-cloudflare/builder/LoaderAppBuilder"
import {
  app,
  appBuilderContract,
  buildJob,
  buildOnce,
  type Tree
} from "@pawl/testing/contracts/apps/AppBuilderContract"
import { resultText } from "../../builder/ResultText.ts"
import { bound, bundlerModules } from "../kit/Bound.ts"

const machine = (path: string) => bound.MACHINE.fetch(`http://machine${path}`)

let loaded: BundlerModules
beforeAll(async () => {
  loaded = await bundlerModules(bound)
})

/** Made when a test runs it: the modules come from the machine. */
const here = (commands = true): Layer.Layer<AppBuilder> => layer({ loader: bound.LOADER, modules: loaded, commands })

appBuilderContract("LoaderAppBuilder", {
  get layer() {
    return here()
  }
})

const run = <A, E>(effect: Effect.Effect<A, E, AppBuilder>, commands = true) =>
  Effect.runPromise(Effect.provide(effect, here(commands)))
const build = (files: Tree): Promise<BuildResult> => run(buildOnce(buildJob(files)))
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

interface Example {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** What the builder of a machine makes of it. */
  readonly native: string
}

describe("LoaderAppBuilder", () => {
  it("makes of every example app what the builder of a machine makes of it, byte for byte", async () => {
    const examples = await (await machine("/examples")).json<ReadonlyArray<Example>>()
    expect(examples.length).toBeGreaterThan(15)
    let built = 0
    for (const { files, name, native } of examples) {
      const tree = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, bytesOf(text)]))
      const result = await run(buildOnce(buildJob(tree, { id: name })))
      expect([name, resultText(result)]).toEqual([name, native])
      if (result._tag === "Built") built += 1
    }
    expect(built).toBeGreaterThan(4)
  })

  it("refuses a source with real login, and with more bytes than its Workers may hold", async () => {
    const login = `<!doctype html><input type="password">`
    expect(await build({ ...app, "public/index.html": login })).toMatchObject({
      _tag: "Refused",
      problems: [{ code: "password_field", file: "public/index.html" }]
    })
    const each = new Uint8Array(CloudflareLimits.buildOrderBytes / 4).fill(0x20)
    const large = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`public/${name}.js`, each]))
    expect(await build({ ...app, ...large })).toMatchObject({
      _tag: "Refused",
      problems: [{ code: "source_bytes_over_limit" }]
    })
  })

  it("ends as Crashed where a source crashes the bundler, and the next build and one beside it are unharmed", async () => {
    const hostile = { "src/index.js": `export default ${"[".repeat(400_000)}` }
    const [crashed, beside] = await run(
      Effect.all([buildOnce(buildJob(hostile, { id: "hostile" })), buildOnce(buildJob(app, { id: "beside" }))], {
        concurrency: "unbounded"
      })
    )
    expect(crashed).toMatchObject({ _tag: "Crashed", reason: expect.stringContaining("nested too deeply") })
    expect(beside._tag).toBe("Built")
    expect((await build(app))._tag).toBe("Built")
  })

  it("reads nothing but the source, by whatever path, and no package of the network", async () => {
    for (const path of ["/etc/passwd", "../../etc/passwd", "https://example.com/a.js", "left-pad"]) {
      const source = `import x from ${JSON.stringify(path)}\nexport default { fetch: () => new Response(x) }`
      expect([path, await build({ "src/index.js": source })]).toMatchObject([path, { _tag: "Refused" }])
    }
  })

  it("refuses a build command in words where nothing runs it, and names it where something does", async () => {
    const pawl = JSON.stringify({ build: { command: "npm run build", output: "dist" } })
    const { files } = buildJob({ ...app, "pawl.json": pawl })
    const commandOf = Effect.flatMap(AppBuilder, (builder) => builder.commandOf(files))
    expect(await run(commandOf, true)).toMatchObject({ _tag: "Command", command: "npm run build" })
    const refused = await run(commandOf, false)
    expect(refused).toMatchObject({ _tag: "Refused", problems: [{ code: "build_command_unavailable" }] })
    expect(JSON.stringify(refused)).toContain("nothing here runs one")
  })
})
