/**
 * One process per data folder. The lock is SQLite's own on `<folder>/lock.db`: the kernel drops it when the process
 * dies, however it dies, and a child that is started does not inherit it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import Sqlite from "better-sqlite3"
import { Context, Effect, Layer, Schema } from "effect"
import { makePrivate } from "./PrivateFile.ts"

/** Another process works in this folder. Stop it, or use another folder. */
export class FolderInUse extends Schema.TaggedError<FolderInUse>()("FolderInUse", {
  folder: Schema.String,
  /** The process that holds it; null when it did not say. */
  pid: Schema.NullOr(Schema.Finite)
}) {
  override get message() {
    const holder = this.pid === null ? "another process" : `the process ${this.pid}`
    return `The data folder ${this.folder} is in use by ${holder}. Stop it, or choose another folder.`
  }
}

/** The folder cannot be made or written to. */
export class FolderUnavailable extends Schema.TaggedError<FolderUnavailable>()("FolderUnavailable", {
  folder: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The data folder ${this.folder} cannot be used: ${this.reason}`
  }
}

/** A data folder that is this process's own for as long as the scope lasts. */
export class DataFolder extends Context.Service<DataFolder, { readonly path: string }>()(
  "@pawl/adapters-local/sqlite/DataFolder"
) {}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
const isBusy = (cause: unknown): boolean =>
  typeof cause === "object" &&
  cause !== null &&
  "code" in cause &&
  typeof cause.code === "string" &&
  cause.code.startsWith("SQLITE_BUSY")

/** Who said that it holds the folder; null when nobody did, or it is dead. */
const holderOf = (pidFile: string): number | null => {
  try {
    const pid = Number(readFileSync(pidFile, "utf8"))
    if (!Number.isInteger(pid) || pid < 1) return null
    process.kill(pid, 0)
    return pid
  } catch (cause) {
    // A process that may not be signalled is alive all the same.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
      ? Number(readFileSync(pidFile, "utf8"))
      : null
  }
}

const open = (folder: string): Effect.Effect<Sqlite, FolderInUse | FolderUnavailable> =>
  Effect.suspend((): Effect.Effect<Sqlite, FolderInUse | FolderUnavailable> => {
    const pidFile = join(folder, "lock.pid")
    let db: Sqlite | undefined
    try {
      mkdirSync(folder, { recursive: true })
      makePrivate(join(folder, "lock.db"))
      db = new Sqlite(join(folder, "lock.db"), { timeout: 0 })
      db.prepare("BEGIN EXCLUSIVE").run()
      writeFileSync(pidFile, String(process.pid), { mode: 0o600 })
      return Effect.succeed(db)
    } catch (cause) {
      db?.close()
      return isBusy(cause)
        ? Effect.fail(new FolderInUse({ folder, pid: holderOf(pidFile) }))
        : Effect.fail(new FolderUnavailable({ folder, reason: textOf(cause) }))
    }
  })

/** Makes the folder when it is not there, and holds it until the scope ends. */
export const lock = (folder: string) => {
  const path = resolve(folder)
  return Effect.as(
    Effect.acquireRelease(open(path), (db) =>
      Effect.sync(() => {
        rmSync(join(path, "lock.pid"), { force: true })
        db.close()
      })
    ),
    { path }
  )
}

/** Holds the folder until the scope ends. Fails with `FolderInUse` when another process has it. */
export const layer = (folder: string): Layer.Layer<DataFolder, FolderInUse | FolderUnavailable> =>
  Layer.effect(DataFolder, lock(folder))
