/** The data folder: made when it is not there, and for nobody's eyes but its owner's. */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  statSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { InvalidOptions } from "./Options.ts"

/** What lies in the folder itself: the database with its log, locks, and what is secret. */
const files = ["pawl.db", "pawl.db-wal", "pawl.db-shm", "lock.db", "lock.pid", "start.db", "owner-token"]
const others = 0o077
/** A folder that everybody writes to, such as /tmp. */
const sticky = 0o1000

const refuse = (data: string, reason: string) => new InvalidOptions({ reason: `data: ${data} ${reason}` })
const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

/** Folder by folder: `recursive` spins for ever on paths of /proc, where nothing can be made. */
const makeFolders = (path: string): void => {
  if (existsSync(path)) return
  makeFolders(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** A link is left alone: what it leads to need not be ours. */
const tightenFile = (path: string): void => {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ELOOP") return
    throw error
  }
  try {
    const { mode } = fstatSync(file)
    if ((mode & constants.S_IFMT) === constants.S_IFREG && (mode & others) !== 0) fchmodSync(file, 0o600)
  } finally {
    closeSync(file)
  }
}

/** The folder first: from then on nobody else can put anything into it. */
const tighten = (data: string): InvalidOptions | null => {
  const { mode, uid } = statSync(data)
  const isOpen = (mode & others) !== 0
  if (isOpen && (mode & sticky) !== 0) return refuse(data, "is a folder that everybody shares. Use one of its own.")
  try {
    if (isOpen) chmodSync(data, 0o700)
    for (const name of files) tightenFile(join(data, name))
    return null
  } catch (error) {
    if (codeOf(error) !== "EPERM" && codeOf(error) !== "EACCES") throw error
    return refuse(
      data,
      `can be read by others, and it belongs to the user ${uid}, so that it cannot be closed to them. Use a folder of your own, or make its owner run chmod -R go= on it.`
    )
  }
}

/** Makes the folder, or takes from everybody else what they may do with it and with the files in it. */
export const prepare = (data: string): Effect.Effect<void, InvalidOptions> =>
  Effect.flatMap(
    Effect.try({
      try: () => {
        makeFolders(data)
        return tighten(data)
      },
      catch: (error) => refuse(data, `cannot be made: ${error instanceof Error ? error.message : String(error)}`)
    }),
    (refusal) => (refusal === null ? Effect.void : Effect.fail(refusal))
  )
