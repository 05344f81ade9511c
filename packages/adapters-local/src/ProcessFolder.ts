/** A folder of this process alone, for sockets and what goes with them. What processes that are gone left is swept. */
import { randomBytes } from "node:crypto"
import { chmodSync, closeSync, openSync } from "node:fs"
import { mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"

/** Where it is. */
export interface ProcessFolder {
  readonly folder: string
  /** The same folder by a short path: a socket's name is at most 107 bytes. */
  readonly reach: string
}

/** A path of this length leaves room for the names of sockets below it. */
const shortLength = 60

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const make = async (parent: string): Promise<string> => {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  chmodSync(parent, 0o700)
  for (const name of await readdir(parent)) {
    const pid = /^run-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1]
    if (pid !== undefined && Number(pid) !== process.pid && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true })
  }
  const folder = join(parent, `run-${process.pid}-${randomBytes(4).toString("hex")}`)
  await mkdir(folder, { mode: 0o700 })
  return folder
}

/** A new one below `parent`, mode 0700, which goes with the scope. Fails with the reason in words. */
export const processFolder = (parent: string): Effect.Effect<ProcessFolder, string, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => make(parent),
        catch: (error) => (error instanceof Error ? error.message : String(error))
      }),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }).catch(() => undefined))
    )
    const descriptor = yield* Effect.acquireRelease(
      Effect.sync(() => openSync(folder, "r")),
      (one) => Effect.sync(() => closeSync(one))
    )
    // A long path is reached through a descriptor of its folder.
    return { folder, reach: folder.length > shortLength ? `/proc/${process.pid}/fd/${descriptor}` : folder }
  })
