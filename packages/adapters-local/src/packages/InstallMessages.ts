/** What a package store and the process of one installation say to each other. */
import type { PackageLink } from "@pawl/core/packages/PackageLock"
import { PackageProblem } from "@pawl/core/packages/PackageStore"
import { Schema } from "effect"

/** One package at its place. */
export interface OrderedPackage {
  readonly path: string
  readonly name: string
  readonly version: string
  readonly integrity: string
  /** What cannot be used without its script is left out. */
  readonly optional: boolean
  readonly line: number | null
}

/** One layer. Only the store sends it. */
export interface InstallOrder {
  /** The registry's address, by `registryAddress`. */
  readonly registry: string
  readonly backoffMs: number
  /** Certificates that count beside Node's own, as PEM; empty for none. */
  readonly certificates: string
  /** The lock file, for problems. */
  readonly file: string
  readonly packages: ReadonlyArray<OrderedPackage>
  readonly links: ReadonlyArray<PackageLink>
  /** Names of package.json's own dependencies: their programs go before others of the same name. */
  readonly direct: ReadonlyArray<string>
  /** Written into `layer.json`. */
  readonly boot: string
  /** A folder of this installation alone. Archives that are kept lie in it, as `<digest>.tgz`. The layer becomes its `layer`. */
  readonly work: string
  /** Unpacked archives, by digest. */
  readonly unpacked: string
  /** Digests of archives that are not kept yet, so that they are to be fetched. */
  readonly missing: ReadonlyArray<string>
}

/** What the process says: of each archive that it fetched, which lies in `work` and was checked; then one answer. */
export const InstallMessage = Schema.Union([
  Schema.TaggedStruct("Fetched", { digest: Schema.String }),
  Schema.TaggedStruct("Installed", {}),
  Schema.TaggedStruct("Refused", { problems: Schema.Array(PackageProblem) }),
  Schema.TaggedStruct("Unavailable", { reason: Schema.String })
])
export type InstallMessage = typeof InstallMessage.Type
