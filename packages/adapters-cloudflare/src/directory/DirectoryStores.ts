/**
 * The stores of the directory: its own records and copies of some of the Projects' on its SQLite. What a use case commits to
 * a Project from here goes to that Project's object, which decides.
 */
import { History } from "@pawl/core/ledger/History"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Commands } from "@pawl/core/work/Commands"
import type { Database } from "@pawl/sql/Database"
import { make as makeRecent } from "@pawl/sql/SqlRecency"
import type { Stores } from "@pawl/sql/SqlStores"
import { Context } from "effect"
import { mirroredTimes } from "./Mirror.ts"
import { asked, read, type StoreCalls } from "./Wire.ts"

/**
 * The stores of the directory, over what its own SQLite has. `project` is a stub of a Project's object. What moved last is
 * what Projects said of themselves: their histories are their own.
 */
export const directoryStores = (
  own: Context.Context<Stores>,
  database: Database["Service"],
  project: (id: string) => Pick<StoreCalls, "commit" | "lettersOf">
): Context.Context<Stores> => {
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
