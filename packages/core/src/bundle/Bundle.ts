/** A built application, as `bundle.json` holds it. The commit is its content address. */
import { Schema } from "effect"
import { ObjectId, ProjectId, Sha256 } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { BuildProblem } from "./AppBuilder.ts"

/** How the runtime loads a module. */
export const ModuleType = Schema.Literals(["esm", "text", "json", "data", "wasm"])
/** One module of the app, inline or as an object of its own. */
export const BundleModule = Schema.Struct({
  type: ModuleType,
  sha256: Sha256,
  /** The text; for `data` and `wasm` base64. */
  content: Schema.optional(Schema.String),
  /** The key of the object that holds it, when it is not inline. */
  object: Schema.optional(Schema.String)
})
export interface BundleModule extends Schema.Schema.Type<typeof BundleModule> {}

/** Where the source map of a module lies: under the bundle's prefix, and served to nobody. */
const BundleMap = Schema.Struct({ sha256: Sha256, object: Schema.String })

/** What a path without an asset gets, where no code of the app runs. */
export const NotFoundHandling = Schema.Literals(["none", "404-page", "single-page-application"])
/** Which URL an HTML file is shown at, and which ones redirect to it. */
export const HtmlHandling = Schema.Literals([
  "auto-trailing-slash",
  "force-trailing-slash",
  "drop-trailing-slash",
  "none"
])

/** One static file: its digest, its size in bytes, and the `content-type` it is served with. */
export const AssetEntry = Schema.Struct({ sha256: Sha256, size: Schema.Finite, contentType: Schema.String })
export interface AssetEntry extends Schema.Schema.Type<typeof AssetEntry> {}

/** All paths or none; or patterns of paths, those with `!` in front being exceptions. `*` is any run of characters. */
export const RunWorkerFirst = Schema.Union([Schema.Boolean, Schema.Array(Schema.String)])
export type RunWorkerFirst = typeof RunWorkerFirst.Type

/** One block of a `_headers` file: what responses with a file at a path of this pattern get and lose. */
export const HeaderRule = Schema.Struct({
  /** Of the URL's path, or `https://<host><path>`; one `*` and `:name` placeholders. */
  path: Schema.String,
  /** Names in lower case. `:splat` and `:name` in a value stand for what the pattern matched. */
  set: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
  /** Names in lower case. */
  unset: Schema.Array(Schema.String)
})
export interface HeaderRule extends Schema.Schema.Type<typeof HeaderRule> {}

/** One line of a `_redirects` file. 200 shows the file at `to` where the visitor is. */
export const RedirectRule = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  status: Schema.Literals([200, 301, 302, 303, 307, 308])
})
export interface RedirectRule extends Schema.Schema.Type<typeof RedirectRule> {}

/** The static files of an app, and the rules by which they are served. */
export const BundleAssets = Schema.Struct({
  /** The folder of the source that the files are from; absent for none. */
  directory: Schema.optional(Schema.String),
  notFoundHandling: NotFoundHandling,
  htmlHandling: HtmlHandling,
  runWorkerFirst: RunWorkerFirst,
  /** Of the app's `_headers`, in its order. */
  headers: Schema.optional(Schema.Array(HeaderRule)),
  /** Of the app's `_redirects`, in its order: the first that fits wins. */
  redirects: Schema.optional(Schema.Array(RedirectRule)),
  /** By path under the assets directory, without a leading slash. */
  manifest: Schema.Record(Schema.String, AssetEntry)
})
export interface BundleAssets extends Schema.Schema.Type<typeof BundleAssets> {}

/** The content of `bundle.json`: what it was built from and by what, and all that a runtime needs to serve it. */
export const Bundle = Schema.Struct({
  version: Schema.Literal(1),
  project: ProjectId,
  commit: ObjectId,
  tree: ObjectId,
  /** Derived from the domain, so that building again gives the same bytes. */
  builtAt: Timestamp,
  /** Name and exact version of the bundler. */
  builder: Schema.Struct({ name: Schema.String, version: Schema.String }),
  /** Null for an app of static assets alone. */
  mainModule: Schema.NullOr(Schema.String),
  /** By module path. */
  modules: Schema.Record(Schema.String, BundleModule),
  /** By module path; absent where a build made none. */
  maps: Schema.optional(Schema.Record(Schema.String, BundleMap)),
  /** `YYYY-MM-DD`, from the settings of the app. */
  compatibilityDate: Schema.String,
  compatibilityFlags: Schema.Array(Schema.String),
  assets: BundleAssets,
  /** What the build had to say; absent when that is nothing. */
  warnings: Schema.optional(Schema.Array(BuildProblem)),
  /** The list of the packages in it (CycloneDX), as an object of its own; absent in bundles of earlier versions. */
  sbom: Schema.optional(Schema.Struct({ sha256: Sha256, object: Schema.String }))
})
export interface Bundle extends Schema.Schema.Type<typeof Bundle> {}

/** The first parts of the keys of bundles: what is served live, and what Candidates show. */
export const bundleKinds = ["apps", "app-previews"] as const
/** The app of a generation, or the preview of a Candidate. */
export type BundleKind = (typeof bundleKinds)[number]

/** Where a bundle of a commit lives. `prefix` ends with a slash. */
export const bundlePrefix = (kind: BundleKind, project: string, commit: string): string =>
  `${kind}/${project}/${commit}/`
/** The key of `bundle.json` under a bundle's prefix. */
export const bundleKey = (prefix: string): string => `${prefix}bundle.json`
/** The name of the list of packages under a bundle's prefix. */
export const sbomName = "sbom.json"
/** The key of an asset under a bundle's prefix; `path` as the manifest names it. */
export const assetKey = (prefix: string, path: string): string => `${prefix}assets/${path}`
