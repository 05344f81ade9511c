/** The rows of commits that were made, written by hand on better-sqlite3: one transaction each, and nothing else. */
import type { Commit } from "@pawl/core/ledger/Commit"
import { open } from "./HandWritten.ts"

const tables = [
  "record (kind TEXT, id TEXT, project_id TEXT, data TEXT, PRIMARY KEY (kind, id))",
  "event (position INTEGER PRIMARY KEY, project_id TEXT, type TEXT, data TEXT)",
  "command (id TEXT PRIMARY KEY, project_id TEXT, kind TEXT, payload TEXT)"
]

/** What tells a record from others of its kind, near enough: rows that are written twice are one row. */
const keyOf = (record: object): string => {
  const [id, project, chain] = ["id", "projectId", "chain"].map((name) => Reflect.get(record, name) ?? "")
  const [generation, entry, nth] = ["generation", "entry", "nth"].map((name) => Reflect.get(record, name) ?? "")
  return `${String(id || project || chain)}/${String(generation)}/${String(entry)}/${String(nth)}`
}

/** Writes the rows of each commit; answers what each transaction took, in ms. The rows are made ready beforehand. */
export const replay = (filename: string, commits: ReadonlyArray<Commit>): ReadonlyArray<number> => {
  const db = open(filename)
  for (const table of tables) db.prepare(`CREATE TABLE ${table}`).run()
  const [begin, end] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")]
  const record = db.prepare("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)")
  const event = db.prepare("INSERT INTO event (project_id, type, data) VALUES (?, ?, ?)")
  const command = db.prepare("INSERT OR REPLACE INTO command VALUES (?, ?, ?, ?)")
  const times = commits.map(({ commands = [], events = [], projectId, writes = [] }) => {
    const began = performance.now()
    begin.run()
    for (const write of writes)
      if (write._tag !== "Delete") record.run(write.kind, keyOf(write.record), projectId, JSON.stringify(write.record))
    for (const each of events) event.run(projectId, each.type, JSON.stringify(each))
    for (const each of commands) command.run(each.id, projectId, each.kind, JSON.stringify(each.payload))
    end.run()
    return performance.now() - began
  })
  db.close()
  return times
}
