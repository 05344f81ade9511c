/**
 * The stores of the directory: its own records and copies of some of the Projects' on its SQLite. What a use case commits to
 * a Project from here goes to that Project's object, which decides.
 */
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Commands } from "@pawl/core/work/Commands"
import type { Stores } from "@pawl/sql/SqlStores"
import { Context } from "effect"
import { asked, read, type StoreCalls } from "./Wire.ts"

/** The stores of the directory, over what its own SQLite has. `project` is a stub of a Project's object. */
export const directoryStores = (
  own: Context.Context<Stores>,
  project: (id: string) => Pick<StoreCalls, "commit" | "lettersOf">
): Context.Context<Stores> => {
  const ledger = Context.get(own, Ledger)
  const commands = Context.get(own, Commands)
  return own.pipe(
    Context.add(Ledger, {
      commit: (commit) => {
        const { projectId } = commit
        return projectId === null ? ledger.commit(commit) : asked("commit", () => project(projectId).commit(commit))
      }
    }),
    Context.add(Commands, {
      ...commands,
      deadLetters: (of, page) =>
        of === null
          ? commands.deadLetters(of, page)
          : read("read dead letters", () => project(of).lettersOf(page ?? {}))
    })
  )
}
