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
  readdirSync,
  statSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { InvalidOptions } from "./Options.ts"

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
    if (["ENOENT", "ELOOP", "ENXIO"].includes(String(codeOf(error)))) return
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
  if (uid !== process.geteuid?.()) return notOurs(data, uid, isOpen)
  try {
    if (isOpen) chmodSync(data, 0o700)
    // What lies in the folder itself: the database with its log, locks, and what is secret.
    for (const name of readdirSync(data)) tightenFile(join(data, name))
    return null
  } catch (error) {
    if (codeOf(error) !== "EPERM" && codeOf(error) !== "EACCES") throw error
    return notOurs(data, uid, isOpen)
  }
}

/** Whoever owns the folder can read it, and put other files in the place of ours. */
const notOurs = (data: string, uid: number, isOpen: boolean): InvalidOptions =>
  refuse(
    data,
    `${isOpen ? "can be read by others, and it belongs" : "belongs"} to the user ${uid}, so that it cannot be kept from them. Use a folder of your own, or give it to the user who runs the server.`
  )

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
