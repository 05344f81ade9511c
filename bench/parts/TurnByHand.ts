/** What a turn of an agent must at least do: one request to its model, and two durable transactions around it. */
import Sqlite from "better-sqlite3"

/** The records that a turn writes, as JSON of the usual size. */
export interface TurnRows {
  readonly change: string
  readonly call: string
  readonly run: string
  readonly event: string
}

/** The rows of a turn by hand on better-sqlite3, as durable as the real ones: plain tables, no other index, no guard. */
export const openTurns = (filename: string, rows: TurnRows) => {
  const db = new Sqlite(filename)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  for (const table of ["change", "run", "call"])
    db.prepare(`CREATE TABLE r_${table} (id TEXT PRIMARY KEY, data TEXT)`).run()
  db.prepare("CREATE TABLE event (sequence INTEGER PRIMARY KEY, data TEXT)").run()
  db.prepare("INSERT INTO r_change VALUES ('c', ?)").run(rows.change)
  db.prepare("INSERT INTO r_run VALUES ('r', ?)").run(rows.run)
  const change = db.prepare("UPDATE r_change SET data = ? WHERE id = 'c'")
  const run = db.prepare("UPDATE r_run SET data = ? WHERE id = 'r'")
  const begun = db.prepare("INSERT INTO r_call VALUES (?, ?)")
  const ended = db.prepare("UPDATE r_call SET data = ? WHERE id = ?")
  const event = db.prepare("INSERT INTO event (data) VALUES (?)")
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")]
  return {
    /** Money is kept for the call. */
    reserve: (id: string): void => {
      begin.run()
      change.run(rows.change)
      begun.run(id, rows.call)
      commit.run()
    },
    /** It is booked. */
    settle: (id: string): void => {
      begin.run()
      change.run(rows.change)
      ended.run(rows.call, id)
      run.run(rows.run)
      event.run(rows.event)
      commit.run()
    },
    close: () => {
      db.close()
    }
  }
}
