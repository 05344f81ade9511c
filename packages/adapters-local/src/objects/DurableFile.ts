/** Files that are there whole or not at all, also after a power cut. */
import { constants, type PathLike } from "node:fs"
import { link, mkdir, open, rename, unlink } from "node:fs/promises"
import { dirname } from "node:path"

/** The code of a file system's refusal (`ENOENT`, `ENOSPC`, …), without the path that the message would name. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown"

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

/** Makes the names in a folder outlast a power cut. Rejects with the file system's own error. */
export const syncDirectory = async (path: PathLike): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes what was written to a file outlast a power cut; its name needs a sync of its folder. */
export const syncFile = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** What becomes of files in a power cut: they last, or are of no use after it anyway and wait for no disk. */
export type Keeping = "lasting" | "passing"

/** Writes a new file through to the disk, unless it is passing. A file that could not be written whole is removed. */
export const writeSynced = async (
  path: string,
  body: Uint8Array | string,
  keeping: Keeping = "lasting"
): Promise<void> => {
  const handle = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600
  )
  try {
    await handle.writeFile(body)
    if (keeping === "lasting") await handle.sync()
  } catch (cause) {
    await unlink(path).catch(() => undefined)
    throw cause
  } finally {
    await handle.close()
  }
}

/** Makes a folder and those above it, each one's name on the disk. */
export const makeDirectory = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const top = dirname(first)
  const parents: Array<string> = []
  for (let folder = dirname(path); folder.length >= top.length; folder = dirname(folder)) parents.push(folder)
  await Promise.all(parents.map(syncDirectory))
}

// Another writer may remove an empty folder between the making and the use of it.
const intoFolder = async <A>(target: string, act: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (cause) {
      if (codeOf(cause) !== "ENOENT" || attempt > 16) throw cause
      await makeDirectory(dirname(target))
    }
  }
}

/** Gives a finished file its name, in place of what had that name. */
export const publish = async (temporary: string, target: string, keeping: Keeping = "lasting"): Promise<void> => {
  await intoFolder(target, () => rename(temporary, target))
  if (keeping === "lasting") await syncDirectory(dirname(target))
}

/** Gives a finished file its name when that is free. Of many at once one is answered `true`. */
export const publishNew = async (temporary: string, target: string): Promise<boolean> => {
  const made = await intoFolder(target, () =>
    unless(
      link(temporary, target).then(() => true),
      ["EEXIST"],
      false
    )
  )
  // Also for the one who lost: what it was told is there must stay there.
  await syncDirectory(dirname(target))
  return made
}
