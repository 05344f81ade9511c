/** A built application, as `bundle.json` holds it. The commit is its content address. */
import { Schema } from "effect"
import { ObjectId, ProjectId, Sha256 } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

export const ModuleType = Schema.Literal("esm", "text", "json", "data", "wasm")
export const BundleModule = Schema.Struct({
  type: ModuleType,
  sha256: Sha256,
  /** The text; for `data` and `wasm` base64. */
  content: Schema.optional(Schema.String),
  /** The key of the object that holds it, when it is not inline. */
  object: Schema.optional(Schema.String)
})
export interface BundleModule extends Schema.Schema.Type<typeof BundleModule> {}

export const NotFoundHandling = Schema.Literal("none", "404-page", "single-page-application")
export const HtmlHandling = Schema.Literal("auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none")

export const AssetEntry = Schema.Struct({ sha256: Sha256, size: Schema.Number, contentType: Schema.String })
export interface AssetEntry extends Schema.Schema.Type<typeof AssetEntry> {}

export const BundleAssets = Schema.Struct({
  directory: Schema.optional(Schema.String),
  notFoundHandling: NotFoundHandling,
  htmlHandling: HtmlHandling,
  runWorkerFirst: Schema.Boolean,
  /** By path under the assets directory, without a leading slash. */
  manifest: Schema.Record({ key: Schema.String, value: AssetEntry })
})
export interface BundleAssets extends Schema.Schema.Type<typeof BundleAssets> {}

export const Bundle = Schema.Struct({
  version: Schema.Literal(1),
  project: ProjectId,
  commit: ObjectId,
  tree: ObjectId,
  builtAt: Timestamp,
  builder: Schema.Struct({ name: Schema.String, version: Schema.String }),
  /** Null for an app of static assets alone. */
  mainModule: Schema.NullOr(Schema.String),
  modules: Schema.Record({ key: Schema.String, value: BundleModule }),
  compatibilityDate: Schema.String,
  compatibilityFlags: Schema.Array(Schema.String),
  assets: BundleAssets
})
export interface Bundle extends Schema.Schema.Type<typeof Bundle> {}

/** Where a bundle of a commit lives. `prefix` ends with a slash. */
export const bundlePrefix = (kind: "apps" | "app-previews", project: string, commit: string): string =>
  `${kind}/${project}/${commit}/`
export const bundleKey = (prefix: string): string => `${prefix}bundle.json`
export const assetKey = (prefix: string, path: string): string => `${prefix}assets/${path}`
