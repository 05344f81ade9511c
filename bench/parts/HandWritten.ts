/** Promotions as someone would write them by hand on better-sqlite3: the floors of the real commit. */
import Sqlite from "better-sqlite3"
import type { Commit } from "@pawl/core/ledger/Commit"
import type { Head } from "@pawl/core/model/Generation"
import type { Snapshot } from "@pawl/core/promotion/Canonical"
import { now } from "./PromotionWorld.ts"

type Db = InstanceType<typeof Sqlite>

/**
 * As durable as the real one. The rest is SQLite's own default, which is the fastest for transactions this small: a log
 * of 1,000 pages is soon used from its start again, and to write where a file has been is cheaper than to extend it.
 */
export const open = (filename: string): Db => {
  const db = new Sqlite(filename)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  return db
}

const createAll = (db: Db, tables: ReadonlyArray<string>): void => {
  for (const table of tables) db.prepare(`CREATE TABLE ${table}`).run()
}

export const createMinimal = (db: Db, heads: ReadonlyArray<Head>): void => {
  createAll(db, [
    `head (project_id TEXT PRIMARY KEY, generation INTEGER, "commit" TEXT, tree TEXT)`,
    `generation (project_id TEXT, generation INTEGER, "commit" TEXT, tree TEXT, candidate_id TEXT, at TEXT,
      PRIMARY KEY (project_id, generation))`,
    "outbox (position INTEGER PRIMARY KEY, project_id TEXT, type TEXT, data TEXT)"
  ])
  const insert = db.prepare("INSERT INTO head VALUES (?, ?, ?, ?)")
  for (const head of heads) insert.run(head.projectId, head.generation, head.commit, head.tree)
}

/** The least that a promotion can be: the head by compare-and-swap, its generation, one event. */
export const minimal = (db: Db): ((snapshot: Snapshot) => void) => {
  const begin = db.prepare("BEGIN IMMEDIATE")
  const swap = db.prepare(
    `UPDATE head SET generation = ?, "commit" = ?, tree = ? WHERE project_id = ? AND generation = ?`
  )
  const generation = db.prepare("INSERT INTO generation VALUES (?, ?, ?, ?, ?, ?)")
  const event = db.prepare("INSERT INTO outbox (project_id, type, data) VALUES (?, ?, ?)")
  const commit = db.prepare("COMMIT")
  return ({ candidate: { record } }) => {
    const next = record.baseGeneration + 1
    begin.run()
    const { changes } = swap.run(next, record.commit, record.tree, record.projectId, record.baseGeneration)
    if (changes !== 1) throw new Error(`generation ${next} was taken`)
    generation.run(record.projectId, next, record.commit, record.tree, record.id, now)
    const data = { generation: next, commit: record.commit, tree: record.tree, candidateId: record.id }
    event.run(record.projectId, "canonical.advanced", JSON.stringify(data))
    commit.run()
  }
}

const kinds = ["generation", "head", "candidate", "change", "release", "statement", "chain"] as const

const keyOf = (record: object): string => {
  if ("id" in record) return String(record.id)
  if ("chain" in record) return `${String(record.chain)}${"entry" in record ? `/${String(record.entry)}` : ""}`
  const project = "projectId" in record ? String(record.projectId) : ""
  return "candidateId" in record && "generation" in record ? `${project}/${String(record.generation)}` : project
}
const statusOf = (record: object): string | null => ("status" in record ? String(record.status) : null)

/** The rows that the promotions of these snapshots find. */
export const createSameRows = (db: Db, heads: ReadonlyArray<Head>, snapshots: ReadonlyArray<Snapshot>): void => {
  createAll(db, [
    ...kinds.map(
      (kind) => `r_${kind} (id TEXT PRIMARY KEY, project_id TEXT, revision INTEGER, status TEXT, data TEXT)`
    ),
    "sequence (project_id TEXT PRIMARY KEY, last INTEGER)",
    "event (project_id TEXT, sequence INTEGER, data TEXT, PRIMARY KEY (project_id, sequence))",
    "command (id TEXT PRIMARY KEY, project_id TEXT, kind TEXT, payload TEXT, due_at INTEGER)"
  ])
  db.prepare("BEGIN").run()
  const put = (kind: (typeof kinds)[number], projectId: string, record: object, revision: number) =>
    db
      .prepare(`INSERT INTO r_${kind} VALUES (?, ?, ?, ?, ?)`)
      .run(keyOf(record), projectId, revision, statusOf(record), JSON.stringify(record))
  for (const head of heads) put("head", head.projectId, head, 1)
  for (const { candidate, chain, change } of snapshots) {
    if (chain !== null && candidate.record.baseGeneration === 0) put("chain", chain.record.chain, chain.record, 1)
    put("candidate", candidate.record.projectId, candidate.record, candidate.revision)
    put("change", change.record.projectId, change.record, change.revision)
  }
  db.prepare("COMMIT").run()
}

/** Every row that the real commit writes, by hand. */
export const sameRows = (db: Db): ((commit: Commit) => void) => {
  const begin = db.prepare("BEGIN IMMEDIATE")
  const end = db.prepare("COMMIT")
  const inserts = new Map<string, ReturnType<Db["prepare"]>>()
  const updates = new Map<string, ReturnType<Db["prepare"]>>()
  for (const kind of kinds) {
    inserts.set(kind, db.prepare(`INSERT INTO r_${kind} VALUES (?, ?, 1, ?, ?)`))
    const set = `UPDATE r_${kind} SET revision = revision + 1, status = ?, data = ? WHERE id = ? AND revision = ?`
    updates.set(kind, db.prepare(set))
  }
  const count = db.prepare(
    "INSERT INTO sequence VALUES (?, ?) ON CONFLICT DO UPDATE SET last = last + excluded.last RETURNING last"
  )
  const event = db.prepare("INSERT INTO event VALUES (?, ?, ?)")
  const command = db.prepare("INSERT INTO command VALUES (?, ?, ?, ?, ?)")
  return ({ commands = [], events = [], projectId, writes = [] }) => {
    begin.run()
    for (const write of writes) {
      if (write._tag === "Delete") throw new Error("a promotion deletes nothing")
      const [status, data] = [statusOf(write.record), JSON.stringify(write.record)]
      if (write._tag === "Insert") inserts.get(write.kind)!.run(keyOf(write.record), projectId, status, data)
      else if (updates.get(write.kind)!.run(status, data, keyOf(write.record), write.revision).changes !== 1)
        throw new Error(`the ${write.kind} moved on`)
    }
    const last = Number(count.all(projectId, events.length)[0]!["last"])
    for (const [at, each] of events.entries()) event.run(projectId, last - events.length + at + 1, JSON.stringify(each))
    for (const each of commands) command.run(each.id, projectId, each.kind, JSON.stringify(each.payload), 1)
    end.run()
  }
}
