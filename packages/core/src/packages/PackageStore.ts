/**
 * npm packages, by lock file: fetched once by trusted code, checked, kept for good, and unpacked into layers that builds
 * and sandboxes see as `node_modules`. No script of a package ever runs.
 */
import { Context, type Effect, Schema } from "effect"
import type { PackageGraph } from "./PackageGraph.ts"
import type { LockFormat, PackageLock } from "./PackageLock.ts"

/** One reason why packages cannot be used: what, where and what to do instead. */
export const PackageProblem = Schema.Struct({
  /** A snake_case word for programs. */
  code: Schema.String,
  /** For people; it names the package. */
  message: Schema.String,
  /** The file of the source that it is about; null for none. */
  file: Schema.NullOr(Schema.String),
  /** From 1 on; null when unknown. */
  line: Schema.NullOr(Schema.Finite)
})
export interface PackageProblem extends Schema.Schema.Type<typeof PackageProblem> {}

/** The packages themselves are at fault: asking again changes nothing. */
export class PackagesRefused extends Schema.TaggedError<PackagesRefused>()("PackagesRefused", {
  problems: Schema.Array(PackageProblem)
}) {
  override get message() {
    return this.problems.map(({ message }) => message).join("\n")
  }
}

/** The registry, or the machine's own store of packages, could not be used: try again. */
export class PackagesUnavailable extends Schema.TaggedError<PackagesUnavailable>()("PackagesUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `the packages cannot be had now: ${this.reason}`
  }
}

/** The files of a source that say which packages it has, by name: package.json and lock files, at the root. */
export type ManifestFiles = ReadonlyMap<string, Uint8Array>

/** What the lock file of a source says. */
export type ReadLock =
  /** No lock file: the source stands on its own files and on what is vendored. */
  | { readonly _tag: "None" }
  | { readonly _tag: "Locked"; readonly lock: PackageLock }
  | { readonly _tag: "Refused"; readonly problems: ReadonlyArray<PackageProblem> }

/** One package of a layer, as its own package.json has it. */
export const LayeredPackage = Schema.Struct({
  path: Schema.String,
  name: Schema.String,
  version: Schema.String,
  integrity: Schema.String,
  dev: Schema.Boolean,
  /** The `license` of its package.json, when that is one word or an SPDX expression. */
  license: Schema.NullOr(Schema.String),
  /** Names of its scripts that an install would have run: `preinstall`, `install`, `postinstall`. */
  scripts: Schema.Array(Schema.String)
})
export interface LayeredPackage extends Schema.Schema.Type<typeof LayeredPackage> {}

/** The `node_modules` of one lock, unpacked on this machine and shared by all who have the same. */
export interface PackageLayer {
  /** SHA-256 of what is in it: equal locks have one layer. Builders and sandboxes find it by this. */
  readonly id: string
  /** By path. */
  readonly packages: ReadonlyArray<LayeredPackage>
  /** Who needs whom, by the lock that it was asked for with; equal layers may have others. */
  readonly graph?: PackageGraph
}

/** What is asked for when a lock is to be made. */
export interface LockRequest {
  /** Whose form it has: a package-lock.json (version 3) or a pnpm-lock.yaml (version 9). `locks` have the same. */
  readonly format: LockFormat
  /** The package.json that the lock must fit. */
  readonly manifest: Uint8Array
  /** Locks whose versions are kept where they fit, the first before the second. */
  readonly locks: ReadonlyArray<Uint8Array>
  /** pnpm-workspace.yaml, whose settings a lock of pnpm keeps to; null for none, and for npm. */
  readonly workspace: Uint8Array | null
  /** Only versions that stand in one of `locks` may be taken; no registry is asked. */
  readonly offline: boolean
}

/** What a registry says of one version. */
export interface PackageFacts {
  readonly name: string
  readonly version: string
  /** When it was published; null when the registry does not say. */
  readonly publishedAtMs: number | null
  readonly deprecated: string | null
  /** Whether it asks for scripts when it is installed; null when the registry does not say. */
  readonly installScript: boolean | null
  /** What is known against it; null when the registry did not say. */
  readonly advisories: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly severity: string
    readonly url: string
  }> | null
}

/** Packages by lock file. Only this reaches the registry. */
export class PackageStore extends Context.Service<
  PackageStore,
  {
    /** The registry's URL, without credentials, for sentences. */
    readonly registry: string
    /** Reads the lock file of a source. Asks no registry. Fails where what reads it is away. */
    readonly read: (files: ManifestFiles) => Effect.Effect<ReadLock, PackagesUnavailable>
    /**
     * The layer of a lock: the one that is there, else unpacked from kept tarballs, fetching those that are not kept yet.
     * Fails with `PackagesRefused` when a package is not what the lock says or cannot be unpacked safely.
     */
    readonly layer: (lock: PackageLock) => Effect.Effect<PackageLayer, PackagesRefused | PackagesUnavailable>
    /**
     * The text of a lock for a package.json, in the form that is asked for. Equal requests that are `offline` get equal bytes.
     * Fails with `PackagesRefused` when none can fit.
     */
    readonly lock: (request: LockRequest) => Effect.Effect<Uint8Array, PackagesRefused | PackagesUnavailable>
    /** What the registry says of some versions, in their order. What it does not know has no facts in it. */
    readonly facts: (
      packages: ReadonlyArray<{ readonly name: string; readonly version: string }>
    ) => Effect.Effect<ReadonlyArray<PackageFacts>, PackagesUnavailable>
  }
>()("@pawl/core/packages/PackageStore") {}
