/** What takes long to come about: rows that a server reads as its own, written while none runs. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

const databaseIn = (folder: string): DatabaseSync => new DatabaseSync(join(folder, "pawl.db"))

/** Copies S0 until the line has so many generations, and moves the head. */
export const lengthen = (folder: string, projectId: string, count: number): void => {
  const db = databaseIn(folder)
  db.prepare(
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ? - 1)
     INSERT INTO pawl_generation (project_id, id, revision, data, tree)
     SELECT g.project_id, g.project_id || '/' || n.n, 1, json_set(g.data, '$.generation', n.n), g.tree
     FROM pawl_generation g, n WHERE g.id = ? || '/0' ORDER BY n.n`
  ).run(count, projectId)
  db.prepare(
    `UPDATE pawl_head SET revision = revision + 1,
       data = json_set(data, '$.generation', ?, '$.syncedGeneration', ?) WHERE project_id = ?`
  ).run(count - 1, count - 1, projectId)
  db.close()
}

/** Commands of a Project that failed too often, of these kinds. */
export const giveUp = (folder: string, projectId: string, kinds: ReadonlyArray<string>): void => {
  const db = databaseIn(folder)
  const letter = db.prepare(
    `INSERT INTO pawl_dead_letter
       (id, project_id, kind, payload, attempts, max_attempts, due_at, created_at, last_problem, died_at)
     VALUES (?, ?, ?, ?, 5, 5, ?, ?, ?, ?)`
  )
  const now = Date.now()
  for (const kind of kinds)
    letter.run(
      `${kind}:${projectId}`,
      projectId,
      kind,
      JSON.stringify({ projectId }),
      now,
      now,
      "the disk was full",
      now
    )
  db.close()
}

/** A command that waits or ran when the server ended failed too often instead. */
export const giveUpOn = (folder: string, commandId: string): void => {
  const db = databaseIn(folder)
  const { changes } = db
    .prepare(
      `INSERT INTO pawl_dead_letter
         (id, project_id, kind, payload, attempts, max_attempts, due_at, created_at, last_problem, died_at)
       SELECT id, project_id, kind, payload, max_attempts, max_attempts, due_at, created_at, 'the disk was full', ?
       FROM pawl_command WHERE id = ?`
    )
    .run(Date.now(), commandId)
  if (changes !== 1) throw new Error(`there is no command ${commandId}`)
  db.prepare(`DELETE FROM pawl_command WHERE id = ?`).run(commandId)
  db.close()
}
