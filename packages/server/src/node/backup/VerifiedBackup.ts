/**
 * A backup as `pawl verify` judges it: each file has the bytes that were written, and what comes of it when it is restored is
 * judged as any data folder. It is restored aside, on SQLite, and removed afterwards.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wordsOf } from "@pawl/core/primitives/Words"
import { Effect, Result, type Scope } from "effect"
import * as Options from "../Options.ts"
import { type BackupUnusable, manifestDigestName, unusable } from "./BackupFormat.ts"
import { placeOf } from "./BackupPlace.ts"
import { open, problemsOf } from "./BackupReader.ts"
import { restoring } from "./Restore.ts"

const isBegun = (folder: string): boolean => {
  const tables = join(folder, "tables")
  return existsSync(tables) && readdirSync(tables).some((name) => name.startsWith("pawl_"))
}

/** Whether this names a backup: a bucket, or a folder with what is written last, or what one left that was cut off. */
export const isBackup = (what: string): boolean =>
  what.startsWith("s3://") || existsSync(join(what, manifestDigestName)) || isBegun(what)

/** A backup, judged. */
export interface JudgedBackup {
  /** What is missing or has other bytes. */
  readonly problems: ReadonlyArray<string>
  /** The data folder that was made of it, until the scope ends; null where there are problems. */
  readonly folder: string | null
  /** In words. */
  readonly told: string
}

const temporary = Effect.acquireRelease(
  Effect.try({
    try: () => mkdtempSync(join(tmpdir(), "pawl-verify-")),
    catch: (error) => unusable(`a folder to restore into: ${String(error)}`)
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Judges the files of a backup, and restores it aside. Fails for one that cannot be read at all. */
export const judged = (what: string): Effect.Effect<JudgedBackup, BackupUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const own = yield* Options.read({}, undefined)
    const place = yield* placeOf(what, own)
    const opened = yield* Effect.result(open(place))
    if (Result.isFailure(opened)) {
      const { failure } = opened
      return failure.isDamage === true ? { problems: [failure.reason], folder: null, told: place.text } : yield* failure
    }
    const backup = opened.success
    const problems = yield* problemsOf(backup)
    const { counts, at } = backup.manifest
    const told = `${place.text}: as of ${at}, ${counts.rows} rows, ${counts.objects} objects, ${counts.repositories} repositories`
    if (problems.length > 0) return { problems, folder: null, told }
    const folder = join(yield* temporary, "data")
    const options: Options.Options = {
      ...own,
      data: folder,
      databaseUrl: null,
      objects: { _tag: "Folder" },
      repositories: backup.manifest.repositories,
      cache: join(folder, "cache"),
      signer: { _tag: "File" }
    }
    yield* restoring(options, backup, "as it is")
    return { problems, folder, told }
  }).pipe(Effect.mapError((error) => unusable(wordsOf(error))))
