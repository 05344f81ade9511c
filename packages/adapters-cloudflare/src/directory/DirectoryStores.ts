/**
 * The stores of the directory: its own records and copies of some of the Projects' on its SQLite. What a use case commits to
 * a Project from here goes to that Project's object, which decides.
 */
import { History } from "@pawl/core/ledger/History"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { type Listing, Records } from "@pawl/core/ledger/Records"
import type { Kind } from "@pawl/core/model/Entities"
import { Commands } from "@pawl/core/work/Commands"
import type { Database } from "@pawl/sql/Database"
import { make as makeRecent } from "@pawl/sql/SqlRecency"
import type { Stores } from "@pawl/sql/SqlStores"
import { Context } from "effect"
import { mirroredTimes } from "./Mirror.ts"
import { taskTokenKind } from "./Scopes.ts"
import { asked, read, type Reserved, type StoreCalls } from "./Wire.ts"

/** What the directory's stores ask beside its own SQLite. */
export interface Around {
  /** The object of a Project; a stub. */
  readonly project: (id: string) => Pick<StoreCalls, "commit" | "lettersOf" | "pageOf">
  /** Of which Project something that was reserved is; null for nothing. */
  readonly whereIs: (reserved: Reserved) => string | null
}

/** The digest of the token that a run is looked for by; null for another question. */
const tokenIn = <K extends Kind>(kind: K, listing: Listing<K>): string | null => {
  const { where = {} } = listing as Listing<"taskRun">
  return kind === "taskRun" && typeof where.token === "string" ? where.token : null
}

/** Runs are their Projects' own: whose token one is, its Project says. */
const records = (own: Records["Service"], { project, whereIs }: Around): Records["Service"] => ({
  ...own,
  list: (kind, listing) => {
    const token = tokenIn(kind, listing)
    const where = token === null ? null : whereIs({ kind: taskTokenKind, id: token })
    return where === null
      ? own.list(kind, listing)
      : (read("list", () => project(where).pageOf(kind, listing)) as never)
  }
})

/**
 * The stores of the directory, over what its own SQLite has. What moved last is what Projects said of themselves: their
 * histories are their own.
 */
export const directoryStores = (
  own: Context.Context<Stores>,
  database: Database["Service"],
  around: Around
): Context.Context<Stores> => {
  const { project } = around
  const ledger = Context.get(own, Ledger)
  const commands = Context.get(own, Commands)
  const history = Context.get(own, History)
  return own.pipe(
    Context.add(Ledger, {
      commit: (commit) => {
        const { projectId } = commit
        return projectId === null ? ledger.commit(commit) : asked("commit", () => project(projectId).commit(commit))
      }
    }),
    Context.add(Records, records(Context.get(own, Records), around)),
    Context.add(History, { ...history, recent: makeRecent(database, mirroredTimes) }),
    Context.add(Commands, {
      ...commands,
      deadLetters: (of, page) =>
        of === null
          ? commands.deadLetters(of, page)
          : read("read dead letters", () => project(of).lettersOf(page ?? {}))
    })
  )
}
