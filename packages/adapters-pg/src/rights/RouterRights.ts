/**
 * What a process that only routes does with the database: it serves apps, keeps their data and their lines, checks
 * statements by the history of keys, and stands in the list of processes. A user of the database can be given this and
 * nothing else, for strangers' code runs beside that process.
 */

/** What Postgres lets somebody do with a table, or with single columns of it. */
export type Privilege = "SELECT" | "INSERT" | "UPDATE" | "DELETE"

/** A table that a router reaches. */
export interface TableRights {
  readonly name: string
  /** Each privilege with the columns that it is for: all of the table, or those. `DELETE` is always for all. */
  readonly privileges: Readonly<Partial<Record<Privilege, "all" | ReadonlyArray<string>>>>
  /** The rows, as a condition of SQL. Without it all of them. */
  readonly rows?: string
}

/** The history of keys is the chain of the instance. Those of Projects name people, and are nobody's here. */
const ofInstance = "'instance'"

/** All that a router reaches. What is not named here it may not even see. */
export const routerRights: ReadonlyArray<TableRights> = [
  { name: "pawl_pointer", privileges: { SELECT: "all" } },
  { name: "pawl_app_data", privileges: { SELECT: "all", INSERT: "all", UPDATE: ["value"], DELETE: "all" } },
  { name: "pawl_app_store", privileges: { SELECT: "all", INSERT: "all", UPDATE: ["keys"] } },
  // Lines are written, and the oldest dropped. They are read by who serves the API.
  { name: "pawl_app_log", privileges: { SELECT: ["project_id", "sequence"], INSERT: "all", DELETE: "all" } },
  { name: "pawl_app_log_end", privileges: { SELECT: "all", INSERT: "all", UPDATE: ["last"] } },
  { name: "pawl_migration", privileges: { SELECT: "all" } },
  { name: "pawl_contraction", privileges: { SELECT: "all" } },
  { name: "pawl_chain", privileges: { SELECT: "all" }, rows: `id = ${ofInstance}` },
  { name: "pawl_statement", privileges: { SELECT: "all" }, rows: `split_part(id, '/', 1) = ${ofInstance}` },
  {
    name: "pawl_process",
    privileges: {
      SELECT: "all",
      INSERT: ["id", "version", "roles", "started_at", "seen_at", "shape"],
      UPDATE: ["version", "roles", "seen_at"],
      DELETE: "all"
    },
    rows: "owner = CURRENT_USER"
  }
]

/** Rows are kept apart by a policy of this name: the number is that of the role, which may be renamed. */
export const policyOf = (role: number): string => `pawl_router_${role}`

/** Where rows are kept apart, all other users who have rights reach all of them, by a policy of this name. */
export const everybodysPolicy = "pawl_everybody"
