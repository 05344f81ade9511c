/** From what the bundler answered to a Bundle. */
import type { BuildJob, BuildProblem, BuildResult } from "@pawl/core/bundle/AppBuilder"
import { Bundle, type BundleModule, type ModuleType } from "@pawl/core/bundle/Bundle"
import type { HeldPackage } from "@pawl/core/packages/Sbom"
import { sha256 } from "@pawl/core/primitives/Digest"
import { LocalLimits } from "../../LocalLimits.ts"
import * as Time from "@pawl/core/primitives/Time"
import { exactText } from "@pawl/core/primitives/Utf8"
import { Effect, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { manifestOf, type SplitTree } from "../assets/AppAssets.ts"
import type { AppSettings } from "../settings/AppSettings.ts"
import { bundler } from "./Bundler.ts"

interface Part {
  readonly name: string
  readonly type: typeof ModuleType.Type
  readonly content: Uint8Array
  /** Its source map, as JSON. */
  readonly map: Uint8Array | null
}

const isText = (type: Part["type"]): boolean => type !== "data" && type !== "wasm"

const moduleOf = (part: Part) =>
  Effect.map(
    sha256(part.content),
    (
      digest
    ): {
      readonly name: string
      readonly module: BundleModule
      readonly object: readonly [string, Uint8Array] | null
    } => {
      const { name, type, content } = part
      if (content.byteLength > LocalLimits.bundleInlineBytes) {
        const object = `modules/${digest}`
        return { name, module: { type, sha256: digest, object }, object: [object, content] }
      }
      const inline = isText(type) ? (exactText(content) ?? "") : Base64.encode(content)
      return { name, module: { type, sha256: digest, content: inline }, object: null }
    }
  )

/** Where a module's source map lies under the bundle's prefix: beside assets and modules, where nothing is served from. */
const mapOf = ({ map, name }: Part) =>
  map === null
    ? Effect.succeed([])
    : Effect.map(sha256(map), (digest) => [{ name, map, entry: { sha256: digest, object: `maps/${name}.map` } }])

/** The finished build. Equal jobs give equal bundles: nothing here depends on the machine or the time. */
export const assemble = Effect.fnUntraced(function* (options: {
  readonly job: BuildJob
  readonly settings: AppSettings
  readonly split: Pick<SplitTree, "assets" | "headers" | "redirects">
  /** The module that runs; null for an app of assets alone. */
  readonly main: string | null
  readonly parts: ReadonlyArray<Part>
  readonly packages: ReadonlyArray<HeldPackage>
  readonly warnings: ReadonlyArray<BuildProblem>
}): Effect.fn.Return<BuildResult> {
  const { job, settings, split, main, packages, parts, warnings } = options
  const { assets, headers, redirects } = split
  const modules = yield* Effect.forEach(parts, moduleOf)
  const maps = (yield* Effect.forEach(parts, mapOf)).flat()
  const bundle = yield* Schema.decodeUnknownEffect(Bundle)({
    version: 1,
    project: job.project,
    commit: job.commit,
    tree: job.tree,
    builtAt: Time.fromMillis(job.builtAtMs),
    builder: bundler,
    mainModule: main,
    modules: Object.fromEntries(modules.map(({ name, module }) => [name, module])),
    ...(maps.length === 0 ? {} : { maps: Object.fromEntries(maps.map(({ entry, name }) => [name, entry])) }),
    compatibilityDate: settings.compatibilityDate,
    compatibilityFlags: settings.compatibilityFlags,
    assets: {
      ...(settings.assets.directory === null ? {} : { directory: settings.assets.directory }),
      notFoundHandling: settings.assets.notFoundHandling,
      htmlHandling: settings.assets.htmlHandling,
      runWorkerFirst: settings.assets.runWorkerFirst,
      ...(headers.length === 0 ? {} : { headers }),
      ...(redirects.length === 0 ? {} : { redirects }),
      manifest: yield* manifestOf(assets)
    },
    ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, LocalLimits.buildProblems) })
    // The ids are the caller's own: ones that do not fit are a defect.
  }).pipe(Effect.orDie)
  return {
    _tag: "Built",
    bundle,
    assets,
    objects: new Map([
      ...modules.flatMap(({ object }) => (object === null ? [] : [object])),
      ...maps.map(({ entry, map }) => [entry.object, map] as const)
    ]),
    packages,
    warnings
  }
})
