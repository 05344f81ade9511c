/**
 * Of which Project an id is, said before the Project commits the record: so whoever has an id finds its object. One that no
 * record came for is harmless: the Project says that there is none.
 */
import { Effect } from "effect"
import type { ObjectStorage } from "../sqlite/ObjectStorage.ts"
import type { Reserved } from "./Wire.ts"

/** Since when an id is reserved whose record was found, and is never deleted: nobody looks for it again. */
const forGood = Number.MAX_SAFE_INTEGER

/** Kinds whose records go again: dead letters are dealt with, webhooks removed, deliveries forgotten. */
const passing: ReadonlySet<string> = new Set(["deadLetter", "webhook", "webhookDelivery"])

/** Makes the table. To be called when the directory is made. */
export const prepare = ({ sql }: Pick<ObjectStorage, "sql">): void => {
  sql.exec(
    "CREATE TABLE IF NOT EXISTS pawl_reservation (kind TEXT NOT NULL, id TEXT NOT NULL, project_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID"
  )
  sql.exec(`CREATE INDEX IF NOT EXISTS pawl_reservation_at ON pawl_reservation (at) WHERE at < ${forGood}`)
}

/** An id is of one Project for ever. */
export class ReservedElsewhere extends Error {
  override readonly name = "ReservedElsewhere"
}

/** The Project that an id is of; null for one that nobody reserved. */
export const projectOf = ({ sql }: Pick<ObjectStorage, "sql">, { id, kind }: Reserved): string | null => {
  const [row] = sql.exec("SELECT project_id FROM pawl_reservation WHERE kind = ? AND id = ?", kind, id).toArray()
  return row === undefined ? null : String(row["project_id"])
}

/** Reserves all of them, those that are reserved already anew, or throws `ReservedElsewhere` and changes none. */
export const reserve = (storage: ObjectStorage, projectId: string, ids: ReadonlyArray<Reserved>, nowMs: number): void =>
  storage.transactionSync(() => {
    for (const each of ids) {
      storage.sql.exec(
        // It is as young as the last who asked: a record may come for that one.
        `INSERT INTO pawl_reservation (kind, id, project_id, at) VALUES (?, ?, ?, ?)
        ON CONFLICT (kind, id) DO UPDATE SET at = max(at, excluded.at) WHERE project_id = excluded.project_id`,
        each.kind,
        each.id,
        projectId,
        nowMs
      )
      const known = projectOf(storage, each)
      if (known !== projectId)
        throw new ReservedElsewhere(`${each.kind} ${each.id} is reserved by another Project than ${projectId}`)
    }
  })

/** What is to be swept. */
export interface Swept {
  /** Ids that were reserved before it, in ms since 1970. */
  readonly beforeMs: number
  readonly nowMs: number
  /** When one is looked for again whose record was found and may go, in ms since 1970. */
  readonly againMs: number
  /** Ids that are read at once, and Projects that are asked at once. */
  readonly atOnce: number
  readonly projectsAtOnce: number
}

type Old = Reserved & { readonly projectId: string }

const older = ({ sql }: ObjectStorage, { atOnce, beforeMs }: Swept): ReadonlyArray<Old> =>
  sql
    .exec(
      `SELECT kind, id, project_id FROM pawl_reservation WHERE at < ? AND at < ${forGood} ORDER BY at LIMIT ?`,
      beforeMs,
      atOnce
    )
    .toArray()
    .map((row) => ({ kind: String(row["kind"]), id: String(row["id"]), projectId: String(row["project_id"]) }))

/** Forgets it, or puts it off (`at`, in ms since 1970), unless it was reserved anew meanwhile: then a record may come for it. */
const put = ({ sql }: ObjectStorage, { beforeMs }: Swept, { id, kind }: Reserved, at: number | null): void => {
  const same = "kind = ? AND id = ? AND at < ?"
  if (at === null) sql.exec(`DELETE FROM pawl_reservation WHERE ${same}`, kind, id, beforeMs)
  else sql.exec(`UPDATE pawl_reservation SET at = ? WHERE ${same}`, at, kind, id, beforeMs)
}

/**
 * Forgets old ids that no record came for, as their Projects say: `has` answers those that there is something for. One
 * whose record stays is not looked for again. Those of a Project that does not answer are left for the next day, and
 * nothing has to be begun anew when this is cut off.
 */
export const sweep = Effect.fnUntraced(function* (
  storage: ObjectStorage,
  swept: Swept,
  has: (projectId: string, ids: ReadonlyArray<Reserved>) => Promise<ReadonlyArray<Reserved>>
) {
  const askOne = Effect.fnUntraced(function* (projectId: string, ids: ReadonlyArray<Old>) {
    const found = yield* Effect.tryPromise(() => has(projectId, ids))
    const there = new Set(found.map(({ id, kind }) => `${kind} ${id}`))
    for (const each of ids) {
      const at = passing.has(each.kind) ? swept.againMs : forGood
      put(storage, swept, each, there.has(`${each.kind} ${each.id}`) ? at : null)
    }
  })
  for (;;) {
    const page = older(storage, swept)
    if (page.length === 0) return
    yield* Effect.forEach(
      Map.groupBy(page, ({ projectId }) => projectId),
      ([projectId, ids]) =>
        Effect.catch(askOne(projectId, ids), (problem) => {
          for (const each of ids) put(storage, swept, each, swept.nowMs)
          return Effect.annotateLogs(Effect.logWarning("a Project did not say what is reserved", problem), {
            projectId
          })
        }),
      { concurrency: swept.projectsAtOnce, discard: true }
    )
  }
})
