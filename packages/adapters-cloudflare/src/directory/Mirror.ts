/**
 * Copies of a Project's records in the directory. Triggers note what changed in the transaction that changes it, so nothing
 * can be missed; what is sent is the record as it stands then, so sending it again, or late, does no harm.
 */
import { type Kind, kinds } from "@pawl/core/model/Entities"
import { quoted, type Table, table } from "@pawl/sql/Tables"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { ObjectStorage } from "../sqlite/ObjectStorage.ts"
import { mirroredKinds } from "./Scopes.ts"
import type { MirroredRow } from "./Wire.ts"

const mirrored: ReadonlyArray<Table> = mirroredKinds.map(table)
const kindNames = new Map(kinds.map((kind) => [String(kind), kind]))

/** Has the object note from now on what changes. To be called when the object is made, after its tables are there. */
export const noteChanges = (storage: ObjectStorage): void =>
  storage.transactionSync(() => {
    const { sql } = storage
    sql.exec(
      "CREATE TABLE IF NOT EXISTS pawl_mirror (position INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL)"
    )
    for (const { kind, name } of mirrored)
      for (const [what, row] of [
        ["INSERT", "NEW"],
        ["UPDATE", "NEW"],
        ["DELETE", "OLD"]
      ] as const)
        sql.exec(
          `CREATE TRIGGER IF NOT EXISTS ${name}_mirror_${what.toLowerCase()} AFTER ${what} ON ${name}
          BEGIN INSERT INTO pawl_mirror (kind, id) VALUES ('${kind}', ${row}.id); END`
        )
  })

/** What is to be sent, and up to which position it is known then. */
export interface Changed {
  readonly position: number
  readonly rows: ReadonlyArray<MirroredRow>
}

const rowOf = ({ sql }: ObjectStorage, kind: Kind, id: string): MirroredRow => {
  const { columns, name } = table(kind)
  const names = ["revision", "data", ...columns.map(quoted)].join(", ")
  const [found] = sql.exec(`SELECT ${names} FROM ${name} WHERE id = ?`, id).toArray()
  if (found === undefined) return { kind, id, row: null }
  return {
    kind,
    id,
    row: {
      revision: Number(found["revision"]),
      data: String(found["data"]),
      values: columns.map((column) => (found[column] ?? null) as string | number | null)
    }
  }
}

/** The records that changed and were not sent, the first first; null when there are none. */
export const changed = (storage: ObjectStorage): Changed | null => {
  const noted = storage.sql
    .exec("SELECT position, kind, id FROM pawl_mirror ORDER BY position LIMIT ?", CloudflareLimits.mirrorRowsAtOnce)
    .toArray()
  const last = noted.at(-1)
  if (last === undefined) return null
  const each = new Map(
    noted.flatMap(({ id, kind }) => {
      const known = kindNames.get(String(kind))
      return known === undefined ? [] : [[`${String(kind)} ${String(id)}`, { kind: known, id: String(id) }] as const]
    })
  )
  return {
    position: Number(last["position"]),
    rows: Array.from(each.values(), ({ id, kind }) => rowOf(storage, kind, id))
  }
}

/** Whether something changed and was not sent. */
export const isBehind = ({ sql }: ObjectStorage): boolean =>
  sql.exec("SELECT 1 FROM pawl_mirror LIMIT 1").toArray().length > 0

/** Forgets what was sent. */
export const sent = ({ sql }: ObjectStorage, position: number): void =>
  void sql.exec("DELETE FROM pawl_mirror WHERE position <= ?", position)

/**
 * Makes the directory's tables ready for copies: which lives they lead is judged where they live, so a copy may be in any
 * status when it comes.
 */
export const takeCopies = (storage: ObjectStorage): void =>
  storage.transactionSync(() => {
    const { sql } = storage
    sql.exec(
      "CREATE TABLE IF NOT EXISTS pawl_mirrored (project_id TEXT PRIMARY KEY, position INTEGER NOT NULL, due INTEGER) WITHOUT ROWID"
    )
    sql.exec("CREATE INDEX IF NOT EXISTS pawl_mirrored_due ON pawl_mirrored (due)")
    for (const { name } of mirrored)
      for (const trigger of [`${name}_begin`, `${name}_move`]) sql.exec(`DROP TRIGGER IF EXISTS ${trigger}`)
  })

const put = ({ sql }: ObjectStorage, projectId: string, { id, kind, row }: MirroredRow): void => {
  const { columns, name } = table(kind)
  if (row === null) {
    sql.exec(`DELETE FROM ${name} WHERE id = ? AND project_id = ?`, id, projectId)
    return
  }
  const all = ["project_id", "id", "revision", "data", ...columns.map(quoted)]
  const set = all.slice(2).map((column) => `${column} = excluded.${column}`)
  sql.exec(
    `INSERT INTO ${name} (${all.join(", ")}) VALUES (${all.map(() => "?").join(", ")})
    ON CONFLICT (id) DO UPDATE SET ${set.join(", ")} WHERE ${name}.project_id = excluded.project_id`,
    projectId,
    id,
    row.revision,
    row.data,
    ...row.values
  )
}

/** Takes over what a Project sent, whole or not at all. Rows that are not newer than what is here change nothing. */
export const take = (
  storage: ObjectStorage,
  projectId: string,
  { position, rows }: Changed,
  dueMs: number | null
): void =>
  storage.transactionSync(() => {
    const [known] = storage.sql.exec("SELECT position FROM pawl_mirrored WHERE project_id = ?", projectId).toArray()
    const isNewer = known === undefined || Number(known["position"]) < position
    for (const each of isNewer ? rows : []) if (mirroredKinds.includes(each.kind)) put(storage, projectId, each)
    storage.sql.exec(
      `INSERT INTO pawl_mirrored (project_id, position, due) VALUES (?, ?, ?)
      ON CONFLICT (project_id) DO UPDATE SET position = max(position, excluded.position), due = excluded.due`,
      projectId,
      position,
      dueMs
    )
  })

/** The Projects whose work was due before a moment and which said nothing since. */
export const overdue = ({ sql }: ObjectStorage, beforeMs: number): ReadonlyArray<string> =>
  sql
    .exec("SELECT project_id FROM pawl_mirrored WHERE due < ? ORDER BY due", beforeMs)
    .toArray()
    .map((row) => String(row["project_id"]))

/** The Projects that sent something. */
export const projects = ({ sql }: ObjectStorage): ReadonlyArray<string> =>
  sql
    .exec("SELECT project_id FROM pawl_mirrored ORDER BY project_id")
    .toArray()
    .map((row) => String(row["project_id"]))
