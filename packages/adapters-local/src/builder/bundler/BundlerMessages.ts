/** What a builder and the process of one build say to each other, over Node's "advanced" IPC, which carries maps and bytes. */
import { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { Schema } from "effect"
import type { Page } from "../assets/PageTexts.ts"

/** One build. Only the parent sends it. */
export interface BundlerOrder {
  /** Null for an app of assets alone: nothing is bundled, its files are looked through. */
  readonly main: string | null
  /** The assets directory. */
  readonly assets: string | null
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Assets that a browser could show as a page, by their path in the tree. */
  readonly pages: ReadonlyMap<string, Page>
  readonly flags: ReadonlyArray<string>
  readonly moduleBytes: number
  readonly problems: number
  /** What a compressed asset is unpacked to at most. */
  readonly unpackedBytes: number
  /** A longer text is looked through for real login without being parsed. */
  readonly parseCharacters: number
}

const Ready = Schema.TaggedStruct("Ready", { version: Schema.String })
const Bundled = Schema.TaggedStruct("Bundled", {
  /** The bundled ECMAScript module; null without a main. */
  code: Schema.NullOr(Schema.Uint8Array),
  /** Files that stay modules of their own, by the name the code imports them under. */
  kept: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      type: Schema.Literals(["text", "data", "wasm"]),
      content: Schema.Uint8Array
    })
  ),
  warnings: Schema.Array(BuildProblem)
})
const Refused = Schema.TaggedStruct("Refused", { problems: Schema.Array(BuildProblem) })
/** The bundler itself died; the reason is on standard error. */
const Died = Schema.TaggedStruct("Died", {})

/** What the process sends once for its order. */
export const BundlerAnswer = Schema.Union([Bundled, Refused, Died])
export type BundlerAnswer = typeof BundlerAnswer.Type
/** All that the process may send: `Ready` with esbuild's version, then one answer. */
export const BundlerMessage = Schema.Union([Ready, Bundled, Refused, Died])
export type BundlerMessage = typeof BundlerMessage.Type
