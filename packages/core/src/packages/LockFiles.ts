/** Which lock file of a source counts, and what it says. */
import { Limits } from "../primitives/Limits.ts"
import { type LockReading, npmLockFile, readNpmLock } from "./NpmLock.ts"
import { type PackageManifest, readManifest } from "./PackageManifest.ts"
import { packageProblem, packageProblems } from "./PackageProblems.ts"
import type { ManifestFiles, ReadLock } from "./PackageStore.ts"

/** The name of pnpm's lock. */
export const pnpmLockFile = "pnpm-lock.yaml"

/** The files of the root of a source that say which packages it has. */
export const manifestFiles: ReadonlyArray<string> = ["package.json", npmLockFile, pnpmLockFile]

/** What reads locks, beside npm's own form. */
export interface LockReaders extends LockReading {
  readonly pnpm: (lock: Uint8Array, manifest: PackageManifest) => ReadLock
}

const refusal = (code: string, message: string, file: string): ReadLock => ({
  _tag: "Refused",
  problems: [packageProblem(code, message, { file, line: null })]
})

/** Reads the one lock of a source; a source without any stands on its own files and on what is vendored. */
export const readLock = (files: ManifestFiles, readers: LockReaders): ReadLock => {
  const npm = files.get(npmLockFile)
  const pnpm = files.get(pnpmLockFile)
  const lock = npm ?? pnpm
  if (lock === undefined) return { _tag: "None" }
  const file = npm === undefined ? pnpmLockFile : npmLockFile
  if (npm !== undefined && pnpm !== undefined)
    return refusal(
      "two_locks",
      `There are two lock files, ${npmLockFile} and ${pnpmLockFile}: which packages are meant is not clear. Remove one.`,
      pnpmLockFile
    )
  if (lock.length > Limits.packageLockBytes)
    return refusal("lock_over_limit", `${file} is larger than ${Limits.packageLockBytes} bytes.`, file)
  const own = files.get("package.json")
  if (own === undefined)
    return refusal("lock_behind", `There is ${file}, and no package.json. Add one, or remove the lock.`, file)
  const manifest = readManifest(own)
  if ("wrong" in manifest)
    return refusal("manifest_unreadable", `package.json cannot be read: ${manifest.wrong}.`, "package.json")
  const read = npm === undefined ? readers.pnpm(lock, manifest) : readNpmLock(lock, manifest, readers)
  return read._tag === "Refused" ? { ...read, problems: packageProblems(read.problems) } : read
}
