/**
 * Files that are there whole or not at all, also after a power cut. Only the disk itself is waited for: a name takes the file
 * system some microseconds, and an answer from another thread waits for all that this one does meanwhile.
 */
import {
  closeSync,
  constants,
  fsync,
  linkSync,
  mkdirSync,
  openSync,
  type PathLike,
  renameSync,
  unlinkSync,
  writeFile,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"
import { promisify } from "node:util"
import type { Keeping } from "@pawl/core/ledger/Commit"

/** The code of a file system's refusal (`ENOENT`, `ENOSPC`, …), without the path that the message would name. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown"

/** What the file system answers at once, or `fallback` when that is one of these codes. */
export const unlessNow = <A, B>(act: () => A, codes: ReadonlyArray<string>, fallback: B): A | B => {
  try {
    return act()
  } catch (cause) {
    if (codes.includes(codeOf(cause))) return fallback
    throw cause
  }
}

/** The promise's value, or `fallback` when the file system answers with one of these codes. */
export const unless = async <A, B>(promise: Promise<A>, codes: ReadonlyArray<string>, fallback: B): Promise<A | B> => {
  try {
    return await promise
  } catch (cause) {
    if (codes.includes(codeOf(cause))) return fallback
    throw cause
  }
}

/** What a name that leads nowhere answers. */
export const absent = ["ENOENT", "ENOTDIR"]

const fsyncAside = promisify(fsync)
const writeAside = promisify(writeFile)
/** Above this the bytes are written by another thread; below, the way there costs more. */
const writeHereBytes = 64 * 1024

const synced = async (path: PathLike, flags: number): Promise<void> => {
  const file = openSync(path, flags)
  try {
    await fsyncAside(file)
  } finally {
    closeSync(file)
  }
}

/** Makes the names in a folder outlast a power cut. Rejects with the file system's own error. */
export const syncDirectory = (path: PathLike): Promise<void> => synced(path, constants.O_RDONLY | constants.O_DIRECTORY)

/** Makes what was written to a file outlast a power cut; its name needs a sync of its folder. */
export const syncFile = (path: string): Promise<void> => synced(path, constants.O_RDONLY | constants.O_NOFOLLOW)

/** Writes a new file through to the disk, unless it is passing. A file that could not be written whole is removed. */
export const writeSynced = async (
  path: string,
  body: Uint8Array | string,
  keeping: Keeping = "lasting"
): Promise<void> => {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    if (body.length > writeHereBytes) await writeAside(file, body)
    else writeFileSync(file, body)
    if (keeping === "lasting") await fsyncAside(file)
  } catch (cause) {
    unlessNow(() => unlinkSync(path), absent, undefined)
    throw cause
  } finally {
    closeSync(file)
  }
}

/** Makes a folder and those above it, each one's name on the disk. */
export const makeDirectory = async (path: string): Promise<void> => {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const top = dirname(first)
  const parents: Array<string> = []
  for (let folder = dirname(path); folder.length >= top.length; folder = dirname(folder)) parents.push(folder)
  await Promise.all(parents.map(syncDirectory))
}

// Another writer may remove an empty folder between the making and the use of it.
const intoFolder = async <A>(target: string, act: () => A): Promise<A> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return act()
    } catch (cause) {
      if (codeOf(cause) !== "ENOENT" || attempt > 16) throw cause
      await makeDirectory(dirname(target))
    }
  }
}

/** Gives a finished file its name, in place of what had that name. */
export const publish = async (temporary: string, target: string, keeping: Keeping = "lasting"): Promise<void> => {
  await intoFolder(target, () => renameSync(temporary, target))
  if (keeping === "lasting") await syncDirectory(dirname(target))
}

/** Gives a finished file its name when that is free. Of many at once one is answered `true`. */
export const publishNew = async (temporary: string, target: string): Promise<boolean> => {
  const made = await intoFolder(target, () => unlessNow(() => (linkSync(temporary, target), true), ["EEXIST"], false))
  // Also for the one who lost: what it was told is there must stay there.
  await syncDirectory(dirname(target))
  return made
}
