import { Effect, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, describe, expect, it, vi } from "vitest"
import { AppBuilder, type BuildJob } from "@pawl/core/bundle/AppBuilder"
import { canonicalJson } from "@pawl/core/primitives/Digest"
import { layer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { foreseenOrder, readJob } from "@pawl/adapters-local/builder/bundler/BundlerOrders"
import { begin, finish } from "@pawl/adapters-local/builder/bundler/EsbuildWork"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { app, buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { rounds, seed } from "@pawl/testing/Depth"
import { childrenOf, outlive } from "../Processes.ts"
import { bundlers } from "./Bundlers.ts"

const json = JSON.stringify
const jobOf = (files: Tree, made: Tree, id: string = crypto.randomUUID()): BuildJob =>
  buildJob(files, { id, generated: buildJob(made).files })
const worker = (body: string) => `${body}\nexport default { fetch: () => new Response("") }\n`

/** The processes of what was begun: they start beside whoever expects them. */
const begun = (others: ReadonlyArray<number>) =>
  Effect.promise(() =>
    vi.waitFor(() => {
      const pids = bundlers(others)
      expect(pids.length).toBeGreaterThan(0)
      return pids
    }, 20_000)
  )

/** What the process of a build answers after its command: from what was begun before, and from nothing. */
const answers = async (source: Tree, made: Tree) => {
  const read = readJob(jobOf(source, made), null)
  const foreseen = foreseenOrder(buildJob(source), null)
  if ("problems" in read || foreseen === null) return null
  const beginning = await begin(foreseen)
  return { begun: await finish(read.order, beginning), fresh: await finish(read.order, null), beginning }
}
const isUsed = async (source: Tree, made: Tree): Promise<boolean> => {
  const all = await answers(source, made)
  if (all === null || all.beginning.built === null) throw new Error("nothing was begun")
  if (all.begun._tag !== "Stale") expect(all.begun).toEqual(all.fresh)
  return all.begun._tag !== "Stale"
}

const settings = json({ main: "src/index.ts", assets: { directory: "dist" } })
const source: Tree = {
  "wrangler.json": settings,
  "pawl.json": json({ build: { command: "make", output: "dist" } }),
  "src/index.ts": worker(`import { a } from "./a"\nconsole.log(a)`),
  "src/a/index.ts": "export const a = 1",
  "other.ts": "export {}"
}
const page = { "dist/index.html": "<p>made" }

describe("A bundle that is begun while the build command runs", () => {
  it("counts when the command left nothing that its imports lead to, or could have led to", async () => {
    expect(await isUsed(source, page)).toBe(true)
    expect(await isUsed(source, { ...page, "dist/src/a.ts": "no", "other.ts": "made" })).toBe(true)
  })

  it.each<[string, Tree]>([
    ["changed a file that it holds", { "src/a/index.ts": "export const a = 2" }],
    ["wrote the same text into one", { "src/a/index.ts": "export const a = 1" }],
    ["made a file that an import finds first", { "src/a.ts": "export const a = 3" }],
    ["made a tsconfig", { "src/tsconfig.json": "{}" }],
    ["made a package.json on the way to it", { "src/a/package.json": json({ main: "other.ts" }) }],
    [
      "changed the settings",
      { "wrangler.json": json({ main: "src/index.ts", rules: [{ type: "Text", globs: ["**/x"] }] }) }
    ],
    ["names another main module", { "wrangler.json": json({ main: "other.ts" }) }],
    [
      "leads to other settings",
      {
        ".wrangler/deploy/config.json": json({ configPath: "../../made.json" }),
        "made.json": json({ main: "src/index.ts", no_bundle: true })
      }
    ]
  ])("does not when the command %s", async (_, made) => {
    expect(await isUsed(source, { ...page, ...made })).toBe(false)
  })

  it("is refused in the same words, with what the command left that is like real login", async () => {
    const broken = { ...source, "src/a/index.ts": `import "bcryptjs"\nimport "./none"\nlet = ` }
    const made = { "dist/index.html": `<input type="password">`, "dist/x.js": "1" }
    expect(await isUsed(broken, made)).toBe(true)
    expect(await isUsed(source, made)).toBe(true)
    const all = await answers(broken, made)
    expect(all?.begun).toMatchObject({ _tag: "Refused" })
    expect(json(all?.begun)).toMatch(/password_field.*bcryptjs|bcryptjs.*password_field/)
  })

  it("looks again at what became another thing to it: a file that the command serves, or makes", async () => {
    const field = `export const make = (h) => h("input", { type: "password" })\n`
    const of = async (files: Tree, made: Tree) => {
      const all = await answers({ ...source, ...files }, { ...page, ...made })
      expect(all?.begun).toEqual(all?.fresh)
      return all?.begun._tag
    }
    // A test is no part of the app, until it is served.
    expect(await of({ "src/a.test.js": field }, {})).toBe("Bundled")
    expect(await of({ "src/own.js": "1" }, { "src/own.js": field })).toBe("Bundled")
    expect(await of({ "src/own.js": "1" }, { "dist/own.js": field })).toBe("Refused")
    expect(await of({ "dist/a.test.js": field }, {})).toBe("Refused")
  })

  it("never answers anything else than a fresh process would, whatever the command left", async () => {
    const names = ["src/index.ts", "src/a.ts", "src/a.js", "src/a/index.ts", "a.ts", "src/b.json", "dist/index.html"]
    const more = ["src/index.js.map", "package.json", "tsconfig.json", "wrangler.json", "dist/a.js"]
    const texts = [
      worker(`import { a } from "./a"\nconsole.log(a)`),
      worker(`import * as b from "./b.json"\nimport * as a from "@/a"\nconsole.log(a, b)`),
      "export const a = 1\n//# sourceMappingURL=index.js.map",
      "export const a: number = <p/>",
      json({ main: "src/index.ts" }),
      json({ main: "a.ts", name: "self", exports: { "./a": "./src/a.ts" } }),
      json({ compilerOptions: { jsx: "react-jsx", jsxImportSource: ".", paths: { "@/*": ["./src/*"] } } }),
      `<input type="password">`,
      json({ version: 3, sources: ["a.ts"], names: [], mappings: "AAAA" })
    ]
    const tree = fc.dictionary(fc.constantFrom(...names, ...more), fc.constantFrom(...texts), { noNullPrototype: true })
    await fc.assert(
      fc.asyncProperty(tree, tree, async (given, made) => {
        const all = await answers({ ...page, "src/index.ts": texts[0] ?? "", ...given }, made)
        if (all !== null && all.begun._tag !== "Stale") expect(all.begun).toEqual(all.fresh)
      }),
      { numRuns: rounds({ quick: 60, deep: 1000 }), seed }
    )
  })
})

const quiet = ManagedRuntime.make(layer({ spare: false }))
afterAll(() => quiet.dispose())
const run = <A, E>(effect: Effect.Effect<A, E, AppBuilder>) => quiet.runPromise(effect)
const endless = { ...source, "src/a/index.ts": `export const a = ${"(a=".repeat(20_000)}1${")=>1".repeat(20_000)}` }

describe("A builder that expects a build", () => {
  it("gives the bundle that it would give without, from the process that has begun, and ends that", async () => {
    const job = jobOf(source, page)
    const { expected, plain, pids } = await run(
      Effect.gen(function* () {
        const builder = yield* AppBuilder
        yield* builder.expect(buildJob(source, { id: job.id }))
        const pids = yield* begun([])
        const expected = yield* buildOnce(job)
        return { expected, pids, plain: yield* buildOnce({ ...job, id: "plain" }) }
      })
    )
    expect(outlive(pids)).toEqual([])
    if (expected._tag !== "Built" || plain._tag !== "Built") throw new Error(json([expected, plain]))
    expect(canonicalJson(expected.bundle)).toBe(canonicalJson(plain.bundle))
  })

  it("builds anew what the command changed", async () => {
    const made = { ...page, "src/a/index.ts": `export const a = "from the command"` }
    const job = jobOf(source, made)
    const result = await run(
      Effect.gen(function* () {
        yield* (yield* AppBuilder).expect(buildJob(source, { id: job.id }))
        return yield* buildOnce(job)
      })
    )
    expect(result._tag === "Built" ? json(result.bundle) : result).toContain("from the command")
  })

  it("says of a source that keeps the bundler busy what it says without, and leaves no process of it", async () => {
    const job = jobOf(endless, page)
    const hasty = ManagedRuntime.make(layer({ spare: false, timeoutMs: 1000 }))
    const { pids, result } = await hasty.runPromise(
      Effect.gen(function* () {
        yield* (yield* AppBuilder).expect(buildJob(endless, { id: job.id }))
        const pids = yield* begun([])
        return { pids, result: yield* buildOnce(job) }
      })
    )
    await hasty.dispose()
    expect(result).toEqual({ _tag: "Crashed", reason: "The build took longer than 1000 ms and was stopped." })
    expect(outlive(pids)).toEqual([])
  })

  it("says of a source that ends the bundler what it says without", async () => {
    const deep = { ...source, "src/a/index.ts": `export const a = ${"[".repeat(200_000)}${"]".repeat(200_000)}` }
    const job = jobOf(deep, page)
    const crash = await run(
      Effect.gen(function* () {
        yield* (yield* AppBuilder).expect(buildJob(deep, { id: job.id }))
        return yield* buildOnce(job)
      })
    )
    expect(crash).toEqual({
      _tag: "Crashed",
      reason: "The bundler ran out of stack: some of the source is nested too deeply."
    })
  })

  it("keeps nothing of a build whose command failed, nor of any when it is closed", async () => {
    const closing = ManagedRuntime.make(layer({ spare: false }))
    const others = bundlers()
    const { cancelled, left } = await closing.runPromise(
      Effect.gen(function* () {
        const builder = yield* AppBuilder
        yield* builder.expect(buildJob(endless, { id: "given-up" }))
        const cancelled = yield* begun(others)
        yield* builder.cancel({ id: "given-up" })
        expect(outlive(cancelled)).toEqual([])
        yield* builder.expect(buildJob(endless, { id: "forgotten" }))
        return { cancelled, left: yield* begun(others) }
      })
    )
    expect(outlive(cancelled)).toEqual([])
    await closing.dispose()
    expect(outlive(left)).toEqual([])
  })

  it("begins few at a time, and none of a source that is refused whatever its command makes", async () => {
    const closing = ManagedRuntime.make(layer({ spare: false }))
    const others = bundlers()
    // A bundler has a child of its own as soon as it bundles.
    const parents = () => bundlers(others).filter((pid) => childrenOf(process.pid).includes(pid)).length
    await closing.runPromise(
      Effect.gen(function* () {
        const builder = yield* AppBuilder
        const refused = {
          ...source,
          "wrangler.json": json({ main: "src/index.ts", kv_namespaces: [{ binding: "KV" }] })
        }
        yield* builder.expect(buildJob(refused, { id: "refused" }))
        expect(parents()).toBe(0)
        for (let at = 0; at < 5; at++) yield* builder.expect(buildJob(app, { id: `expected-${at}` }))
        yield* Effect.promise(() => vi.waitFor(() => expect(parents()).toBe(LocalLimits.buildsBegunEarly), 20_000))
        const results = yield* Effect.forEach([0, 4], (at) => buildOnce(jobOf(app, page, `expected-${at}`)))
        expect(results.map(({ _tag }) => _tag)).toEqual(["Built", "Built"])
      })
    )
    await closing.dispose()
  })
})
