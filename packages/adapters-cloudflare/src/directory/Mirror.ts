/**
 * Copies of a Project's records in the directory. Triggers note what changed in the transaction that changes it, so nothing
 * can be missed; what is sent is the record as it stands then, so sending it again, or late, does no harm.
 */
import { Result } from "effect"
import { type Kind, kinds } from "@pawl/core/model/Entities"
import type { Generation } from "@pawl/core/model/Generation"
import { toMillis } from "@pawl/core/primitives/Time"
import { madeAt, type RecencyTimes } from "@pawl/sql/SqlRecency"
import type { Row } from "@pawl/sql/Database"
import { quoted, type Table, table } from "@pawl/sql/Tables"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { ObjectStorage } from "../sqlite/ObjectStorage.ts"
import { mirroredKinds } from "./Scopes.ts"
import type { MirroredMove, MirroredNews, MirroredRow } from "./Wire.ts"

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
    // What moves is told as it was written: the directory puts Projects in order by it, and tells it to who follows them all.
    sql.exec("DROP TRIGGER IF EXISTS pawl_history_mirror")
    sql.exec(
      `CREATE TRIGGER IF NOT EXISTS pawl_history_moves AFTER INSERT ON pawl_history
      BEGIN INSERT INTO pawl_mirror (kind, id) VALUES ('history', NEW.place); END`
    )
  })

/** What is to be sent, and up to which position it is known then. */
export interface Changed {
  readonly position: number
  readonly rows: ReadonlyArray<MirroredRow>
  readonly news?: MirroredNews
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

/** The rows of the history at these places, in order. Those of an older version's notes are known by their times alone. */
const movesAt = ({ sql }: ObjectStorage, places: ReadonlyArray<number>): ReadonlyArray<MirroredMove> =>
  places.length === 0
    ? []
    : sql
        .exec(
          "SELECT position, change_id, data FROM pawl_history WHERE place BETWEEN ? AND ? ORDER BY place",
          Math.min(...places),
          Math.max(...places)
        )
        .toArray()
        .map((row) => ({
          position: Number(row["position"]),
          changeId: typeof row["change_id"] === "string" ? row["change_id"] : null,
          data: String(row["data"])
        }))

/** As they are now: sending them again, or late, does no harm either. */
const timesOf = ({ sql }: ObjectStorage): Pick<MirroredNews, "moved" | "promoted"> => {
  const [row] = sql.exec("SELECT at FROM pawl_history ORDER BY place DESC LIMIT 1").toArray()
  const [newest] = sql.exec("SELECT data FROM pawl_generation ORDER BY position DESC LIMIT 1").toArray()
  const generation = newest === undefined ? null : Result.getOrNull(table("generation").decode(newest["data"]))
  return {
    moved: row === undefined ? null : Number(row["at"]),
    promoted: generation === null ? null : toMillis((generation as Generation).promotedAt)
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
    rows: Array.from(each.values(), ({ id, kind }) => rowOf(storage, kind, id)),
    news: { ...timesOf(storage), moves: movesAt(storage, placesIn(noted)) }
  }
}

/** The places of rows of the history that were noted. */
const placesIn = (noted: ReadonlyArray<Row>): ReadonlyArray<number> =>
  noted.flatMap(({ id, kind }) => (kind === "history" && Number.isSafeInteger(Number(id)) ? [Number(id)] : []))

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
    sql.exec(
      "CREATE TABLE IF NOT EXISTS pawl_recency (project_id TEXT PRIMARY KEY, moved INTEGER, promoted INTEGER) WITHOUT ROWID"
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

/**
 * What moved stands here at the moment when it came: whoever was told all that was here up to a moment goes on from there,
 * however late a Project told of itself.
 */
const keep = ({ sql }: ObjectStorage, projectId: string, news: MirroredNews, nowMs: number): void => {
  const { moved, moves, promoted } = news
  sql.exec(
    `INSERT INTO pawl_recency (project_id, moved, promoted) VALUES (?, ?, ?)
    ON CONFLICT (project_id) DO UPDATE SET moved = excluded.moved, promoted = excluded.promoted`,
    projectId,
    moved,
    promoted
  )
  for (const { changeId, data, position } of moves.slice(-CloudflareLimits.mirroredMoves))
    sql.exec(
      `INSERT INTO pawl_history (project_id, position, change_id, at, data) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (project_id, position) DO NOTHING`,
      projectId,
      position,
      changeId,
      nowMs,
      data
    )
  const last = moves.at(-1)?.position
  if (last !== undefined)
    sql.exec(
      "DELETE FROM pawl_history WHERE project_id = ? AND position <= ?",
      projectId,
      last - CloudflareLimits.mirroredMoves
    )
}

/** Where the directory has the times of Projects, for `recent` of its history. */
export const mirroredTimes: RecencyTimes = {
  moved: `coalesce((SELECT moved FROM pawl_recency WHERE project_id = p.id), ${madeAt("sqlite")})`,
  promoted: "(SELECT promoted FROM pawl_recency WHERE project_id = p.id)"
}

/**
 * Takes over what a Project sent, whole or not at all, and answers whether something moved there. Rows that are not newer
 * than what is here change nothing. Of what moved the newest are kept (`CloudflareLimits.mirroredMoves`).
 */
export const take = (
  storage: ObjectStorage,
  projectId: string,
  { news, position, rows }: Changed,
  dueMs: number | null,
  nowMs: number
): boolean =>
  storage.transactionSync(() => {
    const [known] = storage.sql.exec("SELECT position FROM pawl_mirrored WHERE project_id = ?", projectId).toArray()
    const isNewer = known === undefined || Number(known["position"]) < position
    for (const each of isNewer ? rows : []) if (mirroredKinds.includes(each.kind)) put(storage, projectId, each)
    if (isNewer && news !== undefined) keep(storage, projectId, news, nowMs)
    storage.sql.exec(
      `INSERT INTO pawl_mirrored (project_id, position, due) VALUES (?, ?, ?)
      ON CONFLICT (project_id) DO UPDATE SET position = max(position, excluded.position), due = excluded.due`,
      projectId,
      position,
      dueMs
    )
    return isNewer && news !== undefined && news.moves.length > 0
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
