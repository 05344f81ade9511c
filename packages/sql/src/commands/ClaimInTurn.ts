/**
 * Claims on Postgres, where many processes claim at once: one statement takes the first command that nobody else is
 * taking (`FOR UPDATE SKIP LOCKED`) of the Project that waited longest, so that claimers neither wait for each other
 * nor find the same command, also when one of them is frozen in the middle of its claim.
 */
import type { Claim as Asked } from "@pawl/core/work/Commands"
import type { Query } from "../Database.ts"

/** Leaps from Project to Project in the index, so that a crowded one costs no more than another. */
export const eachProject = `project (id) AS (
  SELECT (SELECT min(project_id) FROM pawl_command)
  UNION ALL SELECT (SELECT min(c.project_id) FROM pawl_command c WHERE c.project_id > project.id) FROM project WHERE project.id IS NOT NULL)`

/** So many places for parameters, with commas between them. */
export const marks = (count: number): string => (count === 0 ? "" : `?${", ?".repeat(count - 1)}`)

/** What is claimed, in ms since 1970, and the token that marks it. */
export interface Claim extends Pick<Asked, "kinds" | "except"> {
  readonly now: number
  readonly token: string
  /** When the lease ends. */
  readonly until: number
}

/** Which commands are asked for, as a condition on a table `name`, and its parameters. */
const wanted = (name: string, { except = [], kinds }: Pick<Asked, "kinds" | "except">): Query => ({
  sql: [
    `${name}.kind IN (${marks(kinds.length)})`,
    ...except.map((each) => `NOT (${name}.project_id = ? AND ${name}.kind IN (${marks(each.kinds.length)}))`)
  ].join(" AND "),
  params: [...kinds, ...except.flatMap((each) => [each.projectId ?? "", ...each.kinds])]
})

/** Whoever holds a due command is gone: that try goes on as this one. */
export const counted =
  "attempts = attempts + CASE WHEN token IS NULL THEN 1 ELSE 0 END, deaths = deaths + CASE WHEN token IS NULL THEN 0 ELSE 1 END"

/** Leases one command, or none, and answers its row. Its Project goes to the end of the line. */
export const claimInTurn = ({ now, token, until, ...asked }: Claim): Query => {
  const { params, sql } = wanted("c", asked)
  const due = `c.project_id = project.id AND c.ready_at <= ? AND ${sql}`
  return {
    sql: `WITH RECURSIVE ${eachProject}, line (id) AS (
        SELECT project.id FROM project
        JOIN LATERAL (SELECT c.ready_at, c.place FROM pawl_command c WHERE ${due} ORDER BY c.ready_at, c.place LIMIT 1) oldest ON true
        LEFT JOIN pawl_turn ON pawl_turn.project_id = project.id
        ORDER BY coalesce(pawl_turn.served, 0), oldest.ready_at, oldest.place
      ), free (place) AS (
        SELECT found.place FROM line project CROSS JOIN LATERAL (
          SELECT c.place FROM pawl_command c WHERE ${due} ORDER BY c.ready_at, c.place LIMIT 1 FOR UPDATE SKIP LOCKED) found
        LIMIT 1
      ), taken AS (
        UPDATE pawl_command SET token = ?, ready_at = ?, ${counted} WHERE place = (SELECT place FROM free) RETURNING *
      ), turn AS (
        INSERT INTO pawl_turn (project_id, served)
        SELECT taken.project_id, coalesce((SELECT max(served) FROM pawl_turn), 0) + 1 FROM taken
        ON CONFLICT (project_id) DO UPDATE SET served = greatest(excluded.served, pawl_turn.served + 1)
      )
      SELECT * FROM taken`,
    params: [now, ...params, now, ...params, token, until]
  }
}
