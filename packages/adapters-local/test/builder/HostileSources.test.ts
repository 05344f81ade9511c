import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { AppBuilder, type BuildResult } from "@pawl/core/bundle/AppBuilder"
import { app, awaitResult, buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { layer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { slice } from "@pawl/testing/Depth"
import { outlive } from "../Processes.ts"
import { bundlers } from "./Bundlers.ts"

// Without a spare: which of two processes has just worked, and goes, cannot be told from outside.
const shared = ManagedRuntime.make(layer({ spare: false }))
const MiB = 1024 * 1024
const secret = "do-not-leak-this-4711"
let host = ""
beforeAll(() => {
  host = mkdtempSync(join(tmpdir(), "host-"))
  writeFileSync(join(host, "secret.js"), `export const secret = "${secret}"`)
  writeFileSync(join(host, "secret.json"), JSON.stringify({ extends: secret }))
})
afterAll(async () => {
  await shared.dispose()
  rmSync(host, { recursive: true, force: true })
})

const build = (files: Tree): Promise<BuildResult> =>
  shared.runPromise(buildOnce(buildJob(files, { id: crypto.randomUUID() })))
const worker = (body: string) => `${body}\nexport default { fetch: () => new Response("") }\n`
const codes = (result: BuildResult) =>
  result._tag === "Refused"
    ? result.problems.map(({ code }) => code)
    : [result._tag, "reason" in result ? result.reason : ""]
/** The next build of the same builder is as good as any. */
const nextIsFine = async () => expect((await build(app))._tag).toBe("Built")
/** Waits until nothing of `shared` runs. */
const atRest = () => vi.waitFor(() => expect(bundlers()).toEqual([]), 20_000)
/** No place of the host and no text of a foreign file may be told. */
const leaksNothing = (result: BuildResult) => {
  const text = JSON.stringify(result, (_, value: unknown) => (value instanceof Map ? [...value] : value))
  for (const word of [secret, "lineText", process.cwd(), "node_modules/esbuild", "/builder/", "TreePlugin", "root:x:"])
    expect(text).not.toContain(word)
}

describe("a hostile source", () => {
  it("reads no file of the host, by whatever path", async () => {
    const up = "../".repeat(20)
    const paths = [
      `${up}etc/passwd`,
      `${up}${host.slice(1)}/secret.js`,
      `${host}/secret.js`,
      `file://${host}/secret.js`,
      "/etc/passwd",
      "../../secret.js",
      "./../../x"
    ]
    const texts = paths.flatMap((path) => [
      `import ${JSON.stringify(path)}`,
      `console.log(require(${JSON.stringify(path)}))`,
      `await import(${JSON.stringify(path)})`,
      `export * from ${JSON.stringify(path)}`
    ])
    for (const text of slice(texts, { quick: 6 })) {
      const result = await build({ "src/index.js": worker(text) })
      expect(codes(result)).toEqual([expect.stringMatching(/^import_(outside|remote)$/)])
      expect(result).toMatchObject({ problems: [{ file: "src/index.js", line: 1 }] })
      // The message names the path as the source wrote it, and nothing more.
      leaksNothing(result)
    }
  })

  it("finds no package of the host's node_modules", async () => {
    for (const name of ["effect", "esbuild", "@pawl/core/primitives/Limits"]) {
      const result = await build({ "src/index.js": worker(`import "${name}"`) })
      expect(codes(result)).toEqual(["package_missing"])
      leaksNothing(result)
    }
  })

  it("is not led elsewhere by a tsconfig, by a browser field or by a source map", async () => {
    const result = await build({
      "tsconfig.json": JSON.stringify({
        extends: `${host}/secret.json`,
        compilerOptions: { paths: { "@host/*": [`${host}/*`] }, jsxFactory: "evil", baseUrl: host }
      }),
      "src/tsconfig.json": `{ "extends": "${host}/secret.json" }`,
      "package.json": JSON.stringify({
        browser: { "./src/a.js": `${host}/secret.js`, "./src/a": "/etc/passwd" },
        main: "/etc/passwd",
        sideEffects: [`${host}/**`]
      }),
      "src/index.js": worker(
        `import { a } from "./a.js"\nconsole.log(a)\n//# sourceMappingURL=file://${host}/secret.json`
      ),
      "src/a.js": `export const a = "own"\n//# sourceMappingURL=/etc/passwd`
    })
    leaksNothing(result)
    expect(result._tag === "Built" && result.bundle.modules["index.js"]?.content).toContain('"own"')
    expect(
      codes(
        await build({
          "tsconfig.json": `{ "compilerOptions": { "paths": { "@/*": ["../../../*", "${host}/*", "/etc/*"] } } }`,
          "src/index.js": worker(`import "@/secret"\nimport "@/passwd"`)
        })
      )
    ).toEqual(["import_missing", "import_missing"])
  })

  it("cannot import a file that is not in the map", async () => {
    expect(codes(await build({ "src/index.js": worker(`import "./gone.js"`) }))).toEqual(["import_missing"])
  })

  it("is refused when its code is not text", async () => {
    const junk = Uint8Array.from({ length: 4096 }, (_, i) => (i * 37) % 256)
    expect(codes(await build({ "src/index.js": junk }))).toEqual(["not_text"])
    expect(
      codes(await build({ "src/index.js": worker(`import a from "./a.txt"\nconsole.log(a)`), "src/a.txt": junk }))
    ).toEqual(["not_text"])
    expect((await build({ "src/index.js": new Uint8Array(4096) }))._tag).toBe("Refused")
  })

  it("is refused when a path of it could lead out of the tree", async () => {
    for (const path of ["../out.js", "/abs.js", "a/../b.js", "a//b.js", "a\\b.js", "a\nb.js", "public/../x"]) {
      expect(codes(await build({ ...app, [path]: "" }))).toContain("invalid_path")
    }
  })

  it("that crashes the bundler ends as Crashed, and leaves the next build and those beside it untouched", async () => {
    const bomb = { "src/index.js": `export default ${"[".repeat(200_000)}${"]".repeat(200_000)}` }
    const [crash, beside] = await Promise.all([build(bomb), build(app)])
    expect(crash).toEqual({
      _tag: "Crashed",
      reason: "The bundler ran out of stack: some of the source is nested too deeply."
    })
    expect(beside._tag).toBe("Built")
    await nextIsFine()
  })

  it("that takes all memory ends as Crashed, and leaves the next build untouched", async () => {
    const small = ManagedRuntime.make(layer({ limits: { heapBytes: 256 * MiB, memoryBytes: 640 * MiB } }))
    // The bundler indents each of these blocks by two more than the last: the output is the square of the source.
    const bomb = { "src/index.js": worker(`${"{let a;eval(a);".repeat(6000)}${"}".repeat(6000)}`) }
    expect(await small.runPromise(buildOnce(buildJob(bomb)))).toEqual({
      _tag: "Crashed",
      reason: "The bundler ran out of memory."
    })
    expect(await small.runPromise(buildOnce(buildJob(app)))).toMatchObject({ _tag: "Built" })
    await small.dispose()
  })

  it("that becomes a module over the limit is refused", async () => {
    const bomb = { "src/index.js": worker(`${"{let a;eval(a);".repeat(2000)}${"}".repeat(2000)}`) }
    expect(codes(await build(bomb))).toEqual(["module_over_limit"])
  })

  it("that keeps the bundler busy without end is stopped, with every process of the build", async () => {
    const patient = ManagedRuntime.make(layer({ timeoutMs: 4000, spare: false }))
    const bomb = buildJob({
      "src/index.ts": worker(`export const x = ${"(a=".repeat(20_000)}1${")=>1".repeat(20_000)}`)
    })
    await atRest()
    const { result, pids } = await patient.runPromise(
      Effect.gen(function* () {
        const builder = yield* AppBuilder
        const handle = yield* builder.start(bomb)
        const pids = new Set<number>()
        while ((yield* builder.poll(handle, 100))._tag === "Running") for (const pid of bundlers()) pids.add(pid)
        return { result: yield* awaitResult(handle), pids: [...pids] }
      })
    )
    await patient.dispose()
    expect(result).toEqual({ _tag: "Crashed", reason: "The build took longer than 4000 ms and was stopped." })
    expect(pids).not.toEqual([])
    expect(outlive(pids)).toEqual([])
  })

  it("that is cancelled midway leaves no process behind", async () => {
    const patient = ManagedRuntime.make(layer({ spare: false }))
    const bomb = buildJob({
      "src/index.ts": worker(`export const x = ${"(a=".repeat(20_000)}1${")=>1".repeat(20_000)}`)
    })
    await atRest()
    const pids = await patient.runPromise(
      Effect.gen(function* () {
        const builder = yield* AppBuilder
        const handle = yield* builder.start(bomb)
        let pids: ReadonlyArray<number> = []
        while (pids.length < 2) {
          yield* builder.poll(handle, 5)
          pids = bundlers()
        }
        yield* builder.cancel(handle)
        return pids
      })
    )
    await patient.dispose()
    expect(outlive(pids)).toEqual([])
  })
})

describe("the process of a build", () => {
  it("knows nothing of the environment, and is gone once the builder is closed", async () => {
    process.env["PAWL_TEST_SECRET"] = secret
    await atRest()
    const closing = ManagedRuntime.make(layer())
    await closing.runPromise(buildOnce(buildJob(app)))
    // What runs soon is the spare for a next build; the one of this build is gone.
    const spares = await vi.waitFor(() => {
      const pids = bundlers()
      expect(pids).toHaveLength(2)
      return pids
    }, 20_000)
    delete process.env["PAWL_TEST_SECRET"]
    for (const pid of spares)
      expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toMatch(/PAWL_TEST_SECRET|PATH=|HOME=/)
    await closing.dispose()
    expect(outlive(spares)).toEqual([])
  })
})

describe("a source at its limits", () => {
  it("is built when it just fits: 400 files with 8 MB of code", async () => {
    const code = `export const text = "${"x".repeat(20_000)}"`
    const files = Object.fromEntries(Array.from({ length: 399 }, (_, i) => [`src/f${i}.js`, code]))
    const index = worker(
      Array.from({ length: 399 }, (_, i) => `import { text as t${i} } from "./f${i}.js"\nconsole.log(t${i})`).join("\n")
    )
    expect((await build({ ...files, "src/index.js": index }))._tag).toBe("Built")
  })
})
