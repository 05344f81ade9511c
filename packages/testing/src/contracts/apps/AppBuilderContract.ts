/** What every AppBuilder promises, whatever it builds with. */
import { AppBuilder, type BuildHandle, type BuildJob, type BuildResult } from "@pawl/core/bundle/AppBuilder"
import { canonicalJson, sha256, utf8 } from "@pawl/core/primitives/Digest"
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"

/** A source tree, by path: text, or any bytes. */
export type Tree = Readonly<Record<string, string | Uint8Array>>

/** A job that builds these files. Everything else about it is fixed. */
export const buildJob = (files: Tree, changes: Partial<BuildJob> = {}): BuildJob => ({
  id: "build-1",
  project: "proj_00000000-0000-4000-8000-000000000001",
  commit: "a".repeat(40),
  tree: "b".repeat(40),
  builtAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  files: new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      { content: typeof content === "string" ? utf8(content) : content, executable: false }
    ])
  ),
  ...changes
})

/** Polls until the build ends. */
export const awaitResult = Effect.fnUntraced(function* (handle: BuildHandle) {
  const builder = yield* AppBuilder
  for (;;) {
    const state = yield* builder.poll(handle, 5000)
    if (state._tag === "Finished") return state.result
  }
})

/** Starts a build, waits for its end and forgets it. */
export const buildOnce = Effect.fnUntraced(function* (job: BuildJob) {
  const builder = yield* AppBuilder
  return yield* Effect.acquireUseRelease(builder.start(job), awaitResult, builder.cancel)
})

/** A small app with code and two assets. */
export const app: Tree = {
  "src/index.js": `export default { fetch: () => new Response("hello") }\n`,
  "public/style.css": "body { color: teal }\n",
  "public/deep/er/page.html": "<!doctype html><title>Page</title>\n"
}

const built = (result: BuildResult) => {
  if (result._tag !== "Built") throw new Error(`not built: ${JSON.stringify(result)}`)
  return result
}

/** Declares the suite; `name` names the adapter in its title. */
export const appBuilderContract = (name: string, options: { readonly layer: Layer.Layer<AppBuilder> }): void => {
  const run = <A, E>(effect: Effect.Effect<A, E, AppBuilder>) =>
    Effect.runPromise(Effect.provide(effect, options.layer))

  describe(`${name} keeps the contract of AppBuilder`, () => {
    it("builds a Worker with its assets, and names project, commit, tree, time and itself", async () => {
      const { result, version } = await run(
        Effect.all({ result: buildOnce(buildJob(app)), version: Effect.map(AppBuilder, (builder) => builder.version) })
      )
      const { bundle, assets } = built(result)
      expect(bundle).toMatchObject({
        version: 1,
        project: "proj_00000000-0000-4000-8000-000000000001",
        commit: "a".repeat(40),
        tree: "b".repeat(40),
        builtAt: "2026-01-02T03:04:05.000Z",
        builder: version
      })
      const main = bundle.modules[bundle.mainModule ?? ""]
      expect(main?.type).toBe("esm")
      expect(main?.content).toContain("hello")
      expect(main?.sha256).toBe(await Effect.runPromise(sha256(main?.content ?? "")))
      expect(bundle.assets).toMatchObject({
        directory: "public",
        notFoundHandling: "none",
        htmlHandling: "auto-trailing-slash",
        runWorkerFirst: false
      })
      expect(Object.keys(bundle.assets.manifest).sort()).toEqual(["deep/er/page.html", "style.css"])
      for (const [path, entry] of Object.entries(bundle.assets.manifest)) {
        const body = assets.get(path) ?? new Uint8Array()
        expect(entry.size).toBe(body.byteLength)
        expect(entry.sha256).toBe(await Effect.runPromise(sha256(body)))
      }
    })

    it("builds what imports the packages that it says come along, without a lock", async () => {
      const vendored = await run(Effect.map(AppBuilder, (builder) => builder.vendored))
      const imports = vendored.map(({ name }, at) => `import * as p${at} from "${name}"\nconsole.log(p${at})\n`)
      const main = `${imports.join("")}export default { fetch: () => new Response("") }\n`
      expect(Object.keys(built(await run(buildOnce(buildJob({ "src/index.js": main })))).bundle.modules)).toHaveLength(
        1
      )
      for (const { version } of vendored) expect(version).toMatch(/^\d+\.\d+\.\d+/)
    })

    it("gives the same bundle for the same job, however its files are ordered", async () => {
      const backwards = Object.fromEntries(Object.entries(app).reverse())
      const results = await run(
        Effect.all([buildOnce(buildJob(app)), buildOnce(buildJob(app)), buildOnce(buildJob(backwards))])
      )
      const texts = results.map((result) => canonicalJson(built(result).bundle))
      expect(new Set(texts).size).toBe(1)
    })

    it("builds an app of assets alone without a main module", async () => {
      const { bundle } = built(await run(buildOnce(buildJob({ "public/index.html": "<!doctype html>" }))))
      expect(bundle.mainModule).toBe(null)
      expect(bundle.modules).toEqual({})
    })

    it("refuses a source with nothing to serve, and says so", async () => {
      const result = await run(buildOnce(buildJob({ "README.md": "# Nothing" })))
      expect(result).toMatchObject({ _tag: "Refused", problems: [{ code: "nothing_to_serve", file: null }] })
    })

    it("names the folder of assets of a tree without settings: public, where there is one", async () => {
      const folder = (...folders: ReadonlyArray<string>) =>
        run(
          Effect.flatMap(AppBuilder, (builder) =>
            builder.assetsFolder({ settings: new Map(), folders: new Set(folders) })
          )
        )
      expect(await folder("src", "public", "public/deep")).toBe("public")
      expect(await folder("src", "static")).toBe(null)
    })

    it("names the command that comes before a build, as pawl.json says it, and none for a source that stands as it is", async () => {
      const command = (tree: Tree) =>
        run(Effect.flatMap(AppBuilder, (builder) => builder.commandOf(buildJob(tree).files)))
      expect(await command(app)).toEqual({ _tag: "None" })
      const pawl = JSON.stringify({ build: { command: "make site", output: "made/site" } })
      expect(await command({ ...app, "pawl.json": pawl })).toMatchObject({
        _tag: "Command",
        command: "make site",
        collect: expect.arrayContaining(["made/site"])
      })
    })

    it("builds what a build command left, over the files of the source", async () => {
      const generated = buildJob({ "src/index.js": `export default { fetch: () => new Response("made") }\n` }).files
      const result = built(await run(buildOnce(buildJob(app, { generated }))))
      expect(
        Object.values(result.bundle.modules)
          .map(({ content }) => content)
          .join()
      ).toContain("made")
      expect([...result.assets.keys()]).toEqual(expect.arrayContaining(["style.css"]))
    })

    it("builds the same whether it was told before that a build is expected, or not, or of another one", async () => {
      const generated = buildJob({ "public/made.css": "p {}\n" }).files
      const job = (id: string) => buildJob(app, { id, generated })
      const results = await run(
        Effect.gen(function* () {
          const builder = yield* AppBuilder
          yield* builder.expect(buildJob(app, { id: "expected" }))
          yield* builder.expect(buildJob({ ...app, "src/index.js": "not this" }, { id: "otherwise" }))
          return yield* Effect.forEach(["expected", "otherwise", "surprise"], (id) => buildOnce(job(id)))
        })
      )
      expect(new Set(results.map((result) => canonicalJson(built(result).bundle))).size).toBe(1)
    })

    it("gives up what is expected when that is cancelled, and builds it when it is started after all", async () => {
      const result = await run(
        Effect.gen(function* () {
          const builder = yield* AppBuilder
          const job = buildJob(app, { id: "given-up" })
          yield* builder.expect(job)
          yield* builder.cancel({ id: job.id })
          return yield* buildOnce(job)
        })
      )
      expect(result._tag).toBe("Built")
    })

    it("answers the handle of a build that it knows, and one result to everyone who polls", async () => {
      const results = await run(
        Effect.gen(function* () {
          const builder = yield* AppBuilder
          const job = buildJob(app)
          const handles = yield* Effect.all([builder.start(job), builder.start(job), builder.start(job)], {
            concurrency: "unbounded"
          })
          expect(new Set(handles.map((handle) => handle.id)).size).toBe(1)
          const first = yield* Effect.all(handles.map(awaitResult), { concurrency: "unbounded" })
          expect(yield* builder.start(job)).toEqual(handles[0])
          return [...first, yield* awaitResult({ id: job.id })]
        })
      )
      expect(results).toHaveLength(4)
      expect(new Set(results).size).toBe(1)
    })

    it("keeps builds with different ids apart", async () => {
      const [one, two] = await run(
        Effect.all(
          ["one", "two"].map((text) =>
            buildOnce(
              buildJob({ "src/index.js": `export default { fetch: () => new Response("${text}") }` }, { id: text })
            )
          ),
          { concurrency: "unbounded" }
        )
      )
      for (const [result, text] of [
        [one, "one"],
        [two, "two"]
      ] as const) {
        const modules = result === undefined ? {} : built(result).bundle.modules
        expect(Object.values(modules)[0]?.content).toContain(`"${text}"`)
      }
    })

    it("forgets a build that is cancelled, running or not, and lets it be started anew", async () => {
      const { lost, again } = await run(
        Effect.gen(function* () {
          const builder = yield* AppBuilder
          const handle = yield* builder.start(buildJob(app))
          yield* builder.cancel(handle)
          yield* builder.cancel(handle)
          const lost = yield* awaitResult(handle)
          return { lost, again: yield* buildOnce(buildJob(app)) }
        })
      )
      expect(lost._tag).toBe("Crashed")
      expect(again._tag).toBe("Built")
    })

    it("answers Crashed for a build that it does not know, and cancels it without complaint", async () => {
      const result = await run(
        Effect.gen(function* () {
          const builder = yield* AppBuilder
          yield* builder.cancel({ id: "never started" })
          return yield* awaitResult({ id: "never started" })
        })
      )
      expect(result._tag).toBe("Crashed")
    })
  })
}
