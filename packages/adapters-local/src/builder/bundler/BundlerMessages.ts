/** What a builder and the process of one build say to each other, in frames (`spawner/Frames.ts`), which carry maps and bytes. */
import { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { Schema } from "effect"
import type { Page } from "../assets/PageTexts.ts"
import type { ModuleRule } from "../settings/ModuleRules.ts"
import type { JsxDefaults } from "./TypeScriptSettings.ts"

/** One build. */
export interface BundlerOrder {
  /** Null for an app of assets alone: nothing is bundled, its files are looked through. */
  readonly main: string | null
  /** The assets directory. */
  readonly assets: string | null
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Files that a build command made, of `files`. */
  readonly generated: ReadonlySet<string>
  /** The folder of the packages that the lock file names, on this machine; null for none. */
  readonly layer: string | null
  /** What may be read of the packages. */
  readonly packageBytes: number
  /** Assets that a browser could show as a page, by their path in the tree. */
  readonly pages: ReadonlyMap<string, Page>
  readonly flags: ReadonlyArray<string>
  /** How files are imported by their path; the first that fits counts, before what their extension says. */
  readonly rules: ReadonlyArray<ModuleRule>
  /** The folder below which all files that a rule fits stay modules as they are; null to bundle. */
  readonly modules: string | null
  readonly jsx: JsxDefaults
  /** The tsconfig that the settings name. */
  readonly tsconfig: string | null
  readonly moduleBytes: number
  readonly problems: number
  /** What a compressed asset is unpacked to at most. */
  readonly unpackedBytes: number
  /** A longer text is looked through for real login without being parsed. */
  readonly parseCharacters: number
}

/**
 * What the parent sends: the order of the build, and before it perhaps the order that is foreseen while the build command
 * runs.
 */
export interface BundlerRequest {
  readonly _tag: "Begin" | "Build"
  readonly order: BundlerOrder
}

const Ready = Schema.TaggedStruct("Ready", { version: Schema.String })
const Bundled = Schema.TaggedStruct("Bundled", {
  /** The module that runs; null without a main. */
  main: Schema.NullOr(Schema.String),
  /** Every module, the main one first. */
  modules: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      type: Schema.Literals(["esm", "text", "data", "wasm", "json"]),
      content: Schema.Uint8Array,
      /** Its source map, as JSON. */
      map: Schema.NullOr(Schema.Uint8Array)
    })
  ),
  /** The packages of which the modules hold something. */
  packages: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      brought: Schema.optionalKey(
        Schema.Struct({ name: Schema.String, version: Schema.String, license: Schema.NullOr(Schema.String) })
      )
    })
  ),
  warnings: Schema.Array(BuildProblem)
})
const Refused = Schema.TaggedStruct("Refused", { problems: Schema.Array(BuildProblem) })
/** The bundler itself died; the reason is on standard error. */
const Died = Schema.TaggedStruct("Died", {})

/** What was begun is not what the order asks for. It is forgotten: asked once more, the process does all of it. */
const Stale = Schema.TaggedStruct("Stale", {})
/** What can be done of a foreseen order is done. */
const Begun = Schema.TaggedStruct("Begun", {})

/** What the process sends for its order. */
export const BundlerAnswer = Schema.Union([Bundled, Refused, Died, Stale])
export type BundlerAnswer = typeof BundlerAnswer.Type
/** All that the process may send: `Ready` with esbuild's version, `Begun` for a foreseen order, then its answers. */
export const BundlerMessage = Schema.Union([Ready, Begun, Bundled, Refused, Died, Stale])
export type BundlerMessage = typeof BundlerMessage.Type
