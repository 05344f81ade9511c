/** The end of a leased command, in statements: it is gone, or begins anew when it was sent again meanwhile. */
import type { Lease } from "@pawl/core/model/Command"
import type { Row, Statement } from "../Database.ts"

/** The end of one that was not sent again meanwhile. The fence: touches one row while the lease is held. */
export const finished = ({ commandId, token }: Lease, now: number): readonly [Statement, Statement] => [
  {
    sql: "DELETE FROM pawl_command WHERE id = ? AND token = ? AND ready_at > ? AND again IS NULL",
    params: [commandId, token, now],
    rows: 1
  },
  journalOf(commandId)
]

const journalOf = (commandId: string): Statement => ({
  sql: "DELETE FROM pawl_journal WHERE process = ?",
  params: [commandId]
})

/**
 * The fence: touches one row while the lease is held. A command that was sent again lets go of its token and begins
 * anew; another keeps it, for `removed` to find.
 */
export const restarted = ({ commandId, token }: Lease, now: number): Statement => ({
  sql: `UPDATE pawl_command SET token = CASE WHEN again IS NULL THEN token END, payload = coalesce(again, payload), attempts = 0,
      due_at = coalesce(again_at, due_at), ready_at = coalesce(again_at, ready_at), created_at = ?, last_problem = NULL, again = NULL, again_at = NULL,
      deaths = 0, waits = 0, waiting_since = NULL, waited_until = NULL
    WHERE id = ? AND token = ? AND ready_at > ? RETURNING token`,
  params: [now, commandId, token, now],
  rows: 1
})

/** Deletes the command that has this lease's token, and its journal, also when the lease has run out. */
export const removed = ({ commandId, token }: Lease): ReadonlyArray<Statement> => [
  { sql: "DELETE FROM pawl_command WHERE id = ? AND token = ?", params: [commandId, token] },
  journalOf(commandId)
]

/** Whether the command is to run again, from what `restarted` answered. */
export const isRestarted = (answer: ReadonlyArray<Row> | undefined): boolean =>
  answer?.[0] !== undefined && answer[0]["token"] === null
