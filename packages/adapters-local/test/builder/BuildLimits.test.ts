import { ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { app, buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { layerHere } from "./Here.ts"
import { compatibilityFlags } from "@pawl/adapters-local/builder/settings/SettingsFields"

const shared = ManagedRuntime.make(layerHere())
afterAll(() => shared.dispose())
const build = (files: Tree) => shared.runPromise(buildOnce(buildJob(files, { id: crypto.randomUUID() })))
const problemsOf = async (files: Tree) => {
  const result = await build(files)
  return result._tag === "Refused" ? result.problems : result._tag
}

const MiB = 1024 * 1024
const empty = new Uint8Array()
const many = (count: number, folder: string, content = empty): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/f${index}.bin`, content]))

describe("A source at a limit is built, and one over it is refused", () => {
  it("for 400 files; assets do not count", async () => {
    const source = { "src/index.js": app["src/index.js"] ?? "", ...many(500, "public") }
    expect(LocalLimits.buildSourceFiles).toBe(400)
    expect(await problemsOf({ ...source, ...many(399, "lib") })).toBe("Built")
    expect(await problemsOf({ ...source, ...many(400, "lib") })).toEqual([
      {
        code: "source_files_over_limit",
        message: "The source has 401 files; at most 400 are built (assets do not count). Most are in lib/.",
        file: null,
        line: null,
        column: null
      }
    ])
  })

  it("for 8 MB; assets do not count", async () => {
    const code = "export default { fetch: () => new Response() }\n"
    const source = (size: number) => ({
      "src/index.js": code,
      "data/a.bin": new Uint8Array(size - code.length),
      "public/a.bin": new Uint8Array(MiB)
    })
    expect(await problemsOf(source(8 * MiB))).toBe("Built")
    expect(await problemsOf(source(8 * MiB + 1))).toMatchObject([
      {
        code: "source_bytes_over_limit",
        message: expect.stringMatching(
          /has 8388609 bytes; at most 8388608 .* data\/\. .*data\/a\.bin \(\d+\), src\/index\.js \(47\)\.$/
        )
      }
    ])
  })

  it("for 500 assets and 5 MB each", async () => {
    expect(await problemsOf(many(500, "public"))).toBe("Built")
    expect(await problemsOf(many(501, "public"))).toMatchObject([
      { code: "assets_over_limit", message: "public has 501 assets; an app may have 500.", file: "public" }
    ])
    expect(await problemsOf({ "public/a.bin": new Uint8Array(5 * MiB) })).toBe("Built")
    expect(await problemsOf({ "public/a.bin": new Uint8Array(5 * MiB + 1) })).toMatchObject([
      {
        code: "asset_over_limit",
        message: "This asset is 5242881 bytes; one may have 5242880.",
        file: "public/a.bin"
      }
    ])
  })

  it("for a module of 10 MB", async () => {
    // The bundler writes each of these letters, two bytes of the source, with four.
    const worker = (wide: number, plain: number) => ({
      "src/index.js": `export const text = "${"é".repeat(wide)}${"x".repeat(plain)}"\nexport default { fetch: () => new Response(text) }\n`
    })
    const small = await build(worker(0, 0))
    const around = small._tag === "Built" ? (small.bundle.modules["index.js"]?.content?.length ?? 0) : 0
    const room = 10 * MiB - around
    const wide = Math.floor((room - 100_000) / 4)
    const result = await build(worker(wide, room - wide * 4))
    const [module] = result._tag === "Built" ? result.objects.values() : []
    expect(module?.byteLength).toBe(LocalLimits.buildModuleBytes)
    expect(await problemsOf(worker(wide, room - wide * 4 + 1))).toMatchObject([
      {
        code: "module_over_limit",
        message: "The bundled app is 10485761 bytes; a module may have 10485760.",
        file: "src/index.js"
      }
    ])
  })

  it("for the compatibility flags: four are allowed, and a refusal names them", async () => {
    const flags = ["nodejs_compat", "nodejs_compat_v2", "nodejs_als", "global_fetch_strictly_public"]
    expect([...compatibilityFlags]).toEqual(flags)
    const source = (names: ReadonlyArray<string>) => ({
      ...app,
      "wrangler.json": JSON.stringify({ main: "src/index.js", compatibility_flags: names })
    })
    expect(await problemsOf(source(flags))).toBe("Built")
    for (const flag of ["experimental", "nodejs_compat_v3", "NODEJS_COMPAT", "unsafe_module", "no_nodejs_compat"])
      expect(await problemsOf(source([flag]))).toEqual([
        {
          code: "compatibility_flag_refused",
          message: `The compatibility flag "${flag}" is not allowed; these are: ${flags.join(", ")}.`,
          file: "wrangler.json",
          line: 1,
          column: null
        }
      ])
  })
})
