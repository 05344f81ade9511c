/** Reads the lock file of a source, for the kind of machine that this is. Packages of real login are refused at once. */
import { type LockReaders, readLock } from "@pawl/core/packages/LockFiles"
import type { Machine } from "@pawl/core/packages/PackageMachine"
import type { ManifestFiles, PackageProblem, ReadLock } from "@pawl/core/packages/PackageStore"
import semver from "semver"
import { dependencyFindings } from "../builder/auth/AuthDependencies.ts"
import { authPackageProblem } from "../builder/auth/RealAuth.ts"
import { readPnpmLock } from "./PnpmLock.ts"
import { wholeText } from "@pawl/core/primitives/Utf8"

/** What packages are chosen for: sandboxes run on Linux with glibc, whatever the processor. */
export const machine: Machine = { os: "linux", cpu: process.arch, libc: "glibc" }

/** A range that is none is a tag: whatever npm took for it stands in the lock. */
const satisfies = (version: string, range: string): boolean =>
  semver.validRange(range, { loose: true }) === null ||
  semver.satisfies(version, range, { loose: true, includePrerelease: true })

/** Names of real login that package.json depends on. */
const authProblems = (text: string): ReadonlyArray<PackageProblem> =>
  dependencyFindings(text).flatMap((finding) => {
    if (finding._tag !== "Package") return []
    const place = { file: "package.json", line: finding.line, column: finding.column }
    const named = `This names ${JSON.stringify(finding.specifier)}`
    const { column: _, ...problem } = authPackageProblem(named, finding.found.kind, place)
    return [problem]
  })

const reading = { machine, satisfies }
const readers: LockReaders = { ...reading, pnpm: (lock, manifest) => readPnpmLock(lock, manifest, reading) }

/** `PackageStore.read`. */
export const readSourceLock = (files: ManifestFiles): ReadLock => {
  const read = readLock(files, readers)
  if (read._tag === "None") return read
  const auth = authProblems(wholeText(files.get("package.json") ?? new Uint8Array()) ?? "")
  if (auth.length === 0) return read
  return { _tag: "Refused", problems: read._tag === "Refused" ? [...auth, ...read.problems] : auth }
}
