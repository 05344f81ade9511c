/** Reads the lock file of a source, for the kind of machine that this is. */
import type { Machine } from "@pawl/core/packages/PackageMachine"
import { readPnpmLock } from "./PnpmLock.ts"
import { satisfies, sourceLock } from "./SourceLock.ts"

/** What packages are chosen for: sandboxes run on Linux with glibc, whatever the processor. */
export const machine: Machine = { os: "linux", cpu: process.arch, libc: "glibc" }

const reading = { machine, satisfies }

/** `PackageStore.read`. */
export const readSourceLock = sourceLock({
  ...reading,
  pnpm: (lock, manifest) => readPnpmLock(lock, manifest, reading)
})
