/**
 * An AppBuilder without a bundler, for tests: `src/index.js` or `index.js` is the app as it stands, `public/` its
 * assets. It reads no settings but the build command of `pawl.json`, and parses no code: a package whose name stands in
 * quotes in the app counts as held by it.
 */
import { Effect, Layer, Result, Schema } from "effect"
import { sha256 } from "@pawl/core/primitives/Digest"
import * as Time from "@pawl/core/primitives/Time"
import { parsePawlFile } from "@pawl/core/project/PawlFile"
import { AppBuilder, type BuildCommand, type BuildJob, type BuildResult } from "@pawl/core/bundle/AppBuilder"
import { Bundle } from "@pawl/core/bundle/Bundle"
import { textOf } from "@pawl/core/primitives/Utf8"

const version = { name: "memory", version: "1.0.0" }
/** As a builder may have it: a source that asks for it needs no lock. Nothing of it is bundled here. */
const vendored = [{ name: "hono", version: "4.0.0" }]
const unknownBuild: BuildResult = {
  _tag: "Crashed",
  reason: "This build was cancelled, or this builder does not know it: start it again."
}
const nothing: BuildResult = {
  _tag: "Refused",
  problems: [{ code: "nothing_to_serve", message: "There is nothing to serve.", file: null, line: null, column: null }]
}

const build = Effect.fnUntraced(function* (job: BuildJob): Effect.fn.Return<BuildResult> {
  const files = new Map([...job.files, ...(job.generated ?? [])])
  const main = files.get("src/index.js") ?? files.get("index.js")
  const assets = new Map<string, Uint8Array>()
  for (const [path, { content }] of files)
    if (path.startsWith("public/")) assets.set(path.slice("public/".length), content)
  if (main === undefined && assets.size === 0) return nothing
  const entries = yield* Effect.forEach(assets, ([path, content]) =>
    Effect.map(
      sha256(content),
      (digest) => [path, { sha256: digest, size: content.byteLength, contentType: "application/octet-stream" }] as const
    )
  )
  const modules =
    main === undefined
      ? {}
      : {
          "index.js": {
            type: "esm",
            sha256: yield* sha256(main.content),
            content: textOf(main.content)
          }
        }
  const bundle = yield* Schema.decodeUnknownEffect(Bundle)({
    version: 1,
    project: job.project,
    commit: job.commit,
    tree: job.tree,
    builtAt: Time.fromMillis(job.builtAtMs),
    builder: version,
    mainModule: main === undefined ? null : "index.js",
    modules,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: [],
    assets: {
      ...(assets.size === 0 ? {} : { directory: "public" }),
      notFoundHandling: "none",
      htmlHandling: "auto-trailing-slash",
      runWorkerFirst: false,
      manifest: Object.fromEntries(entries)
    }
  }).pipe(Effect.orDie)
  const text = main === undefined ? "" : textOf(main.content)
  const named = (job.packages?.packages ?? []).filter(({ name }) => text.includes(`"${name}"`))
  const packages = named.map(({ path }) => ({ path }))
  return { _tag: "Built", bundle, assets, objects: new Map(), warnings: [], packages }
})

const commandOf = (files: BuildJob["files"]): BuildCommand => {
  const file = files.get("pawl.json")
  const read = file === undefined ? null : parsePawlFile(textOf(file.content))
  if (read === null || Result.isFailure(read) || read.success.build === undefined) return { _tag: "None" }
  const { command, output } = read.success.build
  return { _tag: "Command", command, collect: [output ?? "public"] }
}

/** `answer` may decide a build itself, to play a bundler that refuses or dies; `null` leaves it to the builder. */
export const layerMemoryWith = (answer: (job: BuildJob) => BuildResult | null): Layer.Layer<AppBuilder> =>
  Layer.sync(AppBuilder, () => {
    const results = new Map<string, BuildResult>()
    return AppBuilder.of({
      version,
      vendored,
      assetsFolder: ({ folders }) => Effect.succeed(folders.has("public") ? "public" : null),
      commandOf: (files) => Effect.sync(() => commandOf(files)),
      expect: () => Effect.void,
      start: (job) =>
        Effect.gen(function* () {
          if (!results.has(job.id)) results.set(job.id, answer(job) ?? (yield* build(job)))
          return { id: job.id }
        }),
      poll: (handle) => Effect.sync(() => ({ _tag: "Finished", result: results.get(handle.id) ?? unknownBuild })),
      cancel: (handle) => Effect.sync(() => void results.delete(handle.id))
    })
  })

/** Builds every job as it comes: no answer is scripted. */
export const layerMemory: Layer.Layer<AppBuilder> = layerMemoryWith(() => null)
