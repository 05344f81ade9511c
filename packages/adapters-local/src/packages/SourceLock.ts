/** Reads the lock file of a source, wherever that is done. Packages of real login are refused at once. */
import { type LockReaders, readLock } from "@pawl/core/packages/LockFiles"
import type { ManifestFiles, PackageProblem, ReadLock } from "@pawl/core/packages/PackageStore"
import { wholeText } from "@pawl/core/primitives/Utf8"
import within from "semver/functions/satisfies.js"
import validRange from "semver/ranges/valid.js"
import { dependencyFindings } from "../builder/auth/AuthDependencies.ts"
import { authPackageProblem } from "../builder/auth/AuthProblem.ts"

/** Whether a version is one of a range. A range that is none is a tag: whatever npm took for it stands in the lock. */
export const satisfies = (version: string, range: string): boolean =>
  validRange(range, { loose: true }) === null || within(version, range, { loose: true, includePrerelease: true })

/** Names of real login that package.json depends on. */
const authProblems = (text: string): ReadonlyArray<PackageProblem> =>
  dependencyFindings(text).flatMap((finding) => {
    if (finding._tag !== "Package") return []
    const place = { file: "package.json", line: finding.line, column: finding.column }
    const named = `This names ${JSON.stringify(finding.specifier)}`
    const { column: _, ...problem } = authPackageProblem(named, finding.found.kind, place)
    return [problem]
  })

/** `PackageStore.read`, by these readers. */
export const sourceLock =
  (readers: LockReaders) =>
  (files: ManifestFiles): ReadLock => {
    const read = readLock(files, readers)
    if (read._tag === "None") return read
    const auth = authProblems(wholeText(files.get("package.json") ?? new Uint8Array()) ?? "")
    if (auth.length === 0) return read
    return { _tag: "Refused", problems: read._tag === "Refused" ? [...auth, ...read.problems] : auth }
  }
