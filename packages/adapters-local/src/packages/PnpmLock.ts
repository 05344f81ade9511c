/** pnpm-lock.yaml. */
import { packageProblem } from "@pawl/core/packages/PackageProblems"
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import type { ReadLock } from "@pawl/core/packages/PackageStore"

/** Refuses it, in words. */
export const readPnpmLock = (): ReadLock => ({
  _tag: "Refused",
  problems: [
    packageProblem("lock_version", "pnpm-lock.yaml is not read here. Commit a package-lock.json instead of it.", {
      file: pnpmLockFile,
      line: null
    })
  ]
})
