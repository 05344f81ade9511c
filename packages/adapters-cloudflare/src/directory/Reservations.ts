/**
 * Of which Project an id is, said before the Project commits the record: so whoever has an id finds its object. One that no
 * record came for is harmless: the Project says that there is none.
 */
import type { ObjectStorage } from "../sqlite/ObjectStorage.ts"
import type { Reserved } from "./Wire.ts"

/** Makes the table. To be called when the directory is made. */
export const prepare = ({ sql }: Pick<ObjectStorage, "sql">): void =>
  void sql.exec(
    "CREATE TABLE IF NOT EXISTS pawl_reservation (kind TEXT NOT NULL, id TEXT NOT NULL, project_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID"
  )

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

/** Ids of a Project that were reserved before a moment, after the last of the page before. */
export const older = (
  { sql }: Pick<ObjectStorage, "sql">,
  beforeMs: number,
  after: Reserved | null,
  limit: number
): ReadonlyArray<Reserved & { readonly projectId: string }> =>
  sql
    .exec(
      "SELECT kind, id, project_id FROM pawl_reservation WHERE at < ? AND (kind, id) > (?, ?) ORDER BY kind, id LIMIT ?",
      beforeMs,
      after?.kind ?? "",
      after?.id ?? "",
      limit
    )
    .toArray()
    .map((row) => ({ kind: String(row["kind"]), id: String(row["id"]), projectId: String(row["project_id"]) }))

/** Forgets an id that no record came for, unless it was reserved since that moment. */
export const forget = ({ sql }: Pick<ObjectStorage, "sql">, { id, kind }: Reserved, beforeMs: number): void =>
  void sql.exec("DELETE FROM pawl_reservation WHERE kind = ? AND id = ? AND at < ?", kind, id, beforeMs)
