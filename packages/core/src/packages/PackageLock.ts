/** A lock file, read: exactly which packages stand at which places, whatever tool wrote it. */

/** Whose form a lock has. */
export type LockFormat = "npm" | "pnpm"

/** One package at its place. */
export interface LockedPackage {
  /** Its folder below the root of the source: `node_modules/a`, `node_modules/a/node_modules/b`. */
  readonly path: string
  /** Its name in the registry; under an alias not the last part of `path`. */
  readonly name: string
  readonly version: string
  /** What its tarball is checked by (w3.org/TR/SRI): `sha512-<base64>`, or weaker where the lock has no better. */
  readonly integrity: string
  /** Only needed while the project is built and checked. */
  readonly dev: boolean
  /** May be left out where it does not fit the machine. */
  readonly optional: boolean
  /** Whether it asks for scripts when it is installed; null where the lock does not say, as pnpm's. None ever runs. */
  readonly installScript: boolean | null
  /** The names that it imports other packages by: what it needs, what it may have, and its peers. Not there for none. */
  readonly needs?: ReadonlyArray<string>
  /** Where the lock file names it, from 1 on; null when unknown. */
  readonly line: number | null
}

/** A link inside `node_modules`, as pnpm lays packages out. Both are paths below the root of the source. */
export interface PackageLink {
  readonly path: string
  readonly target: string
}

/** All packages of a lock that fit this kind of machine (Linux, its processor, glibc), by path. */
export interface PackageLock {
  /** The lock file's path in the source. */
  readonly file: string
  readonly format: LockFormat
  readonly packages: ReadonlyArray<LockedPackage>
  readonly links: ReadonlyArray<PackageLink>
  /** The names of package.json's own dependencies of every kind, with `dev` for those that only building needs. */
  readonly direct: ReadonlyArray<{ readonly name: string; readonly range: string; readonly dev: boolean }>
}
