/**
 * What of a database goes into a copy of it, and comes out of one again: rows by the names of their columns, so that it
 * does not matter which database they come from. What a database can make by itself, as places and columns to look up by,
 * and what is of the processes that run on it, is not copied.
 */
import { allTables } from "../Tables.ts"

/** A table as it is copied. */
export interface CopiedTable {
  readonly name: string
  /** Columns of text. */
  readonly texts: ReadonlyArray<string>
  /** Columns of whole numbers. */
  readonly numbers: ReadonlyArray<string>
  /** Columns in whose order its rows are copied, and made again. */
  readonly order: ReadonlyArray<string>
}

const fixed = (
  name: string,
  order: ReadonlyArray<string>,
  texts: ReadonlyArray<string>,
  numbers: ReadonlyArray<string> = []
): CopiedTable => ({ name: `pawl_${name}`, order, texts, numbers })

const commandTexts = ["id", "project_id", "kind", "payload", "last_problem"]
const commandNumbers = ["attempts", "max_attempts", "due_at", "created_at"]
const waits = ["ready_at", "again_at", "deaths", "waits", "waiting_since", "waited_until"]

/** Those that are no tables of records. */
const fixedTables: ReadonlyArray<CopiedTable> = [
  fixed("sequence", ["project_id"], ["project_id"], ["last", "oldest"]),
  fixed("event", ["project_id", "sequence"], ["project_id", "data"], ["sequence", "at"]),
  fixed("command", ["place"], [...commandTexts, "token", "again"], [...commandNumbers, ...waits]),
  fixed("turn", ["project_id"], ["project_id"], ["served"]),
  fixed("dead_letter", ["place"], commandTexts, [...commandNumbers, "died_at"]),
  fixed("journal", ["process", "step"], ["process", "step", "result"], ["place"]),
  fixed("history", ["project_id", "position"], ["project_id", "change_id", "data"], ["position", "at"]),
  fixed("daily_counter", ["day", "name"], ["day", "name"], ["used"]),
  fixed("app_store", ["project_id", "channel"], ["project_id", "channel"], ["keys"]),
  fixed("app_data", ["project_id", "channel", "key"], ["project_id", "channel", "key", "value"]),
  fixed("app_log_end", ["project_id"], ["project_id"], ["last"]),
  fixed("app_log", ["project_id", "sequence"], ["project_id", "channel", "data"], ["sequence", "at"]),
  fixed("repo", ["project_id", "fork"], ["project_id", "fork", "born", "main"], ["through", "hot_packs", "hot_bytes"]),
  fixed(
    "pack",
    ["project_id", "fork", "through"],
    ["project_id", "fork", "digest", "object", "body"],
    ["through", "base", "bytes", "objects"]
  ),
  fixed("trash", ["project_id", "object"], ["project_id", "object"], ["due"])
]

/** The tables of records: their columns to look up by are made of the records again. */
const recordTables: ReadonlyArray<CopiedTable> = allTables.map(({ name }) => ({
  name,
  order: ["position"],
  texts: ["project_id", "id", "data"],
  numbers: ["revision"]
}))

/** All that is copied, in the order in which it is. */
export const copiedTables: ReadonlyArray<CopiedTable> = [...recordTables, ...fixedTables]

/** The tables with git repositories, which are made otherwise where repositories are folders. */
export const repositoryTables: ReadonlySet<string> = new Set(["pawl_repo", "pawl_pack", "pawl_trash"])

/** What each database makes by itself, and what is of running processes. */
export const ownTables: ReadonlyArray<string> = [
  "pawl_migration",
  "pawl_transition",
  "pawl_contraction",
  "pawl_owed",
  "pawl_slot",
  "pawl_process"
]

/** Columns of copied tables that each database makes by itself. */
export const ownColumns: Readonly<Record<string, ReadonlyArray<string>>> = {
  pawl_command: ["place"],
  pawl_dead_letter: ["place"],
  pawl_history: ["place"],
  ...Object.fromEntries(allTables.map(({ columns, name }) => [name, ["position", ...columns]]))
}
