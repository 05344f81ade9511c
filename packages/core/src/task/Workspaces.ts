/** The source that a run works on: canonical, with the ChangeSets of the Tasks it depends on, in a fork of its own. */
import { Effect } from "effect"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { workspaceFork } from "../primitives/Ids.ts"
import { ensureSynced } from "../project/SourceSync.ts"
import { namePaths } from "../project/Paths.ts"
import { Repositories, type RepositoryRef, signedAt } from "../project/Repositories.ts"
import { isRepair, isWritable, type Task, type TaskRun } from "../model/Task.ts"
import { mergeApart } from "./ApartMerge.ts"
import { type LockedMerge, mergeLocked } from "./LockedMerge.ts"

/** Where a run works, or why there is no such place. */
export type Workspace =
  | {
      readonly _tag: "Prepared"
      readonly repository: RepositoryRef
      readonly commit: string
      readonly tree: string
    }
  /** The dependencies do not go together: no run of this Task can begin. */
  | { readonly _tag: "Impossible"; readonly reason: string; readonly paths: ReadonlyArray<string> }

/** The Tasks that a Task depends on, near and far, in the order of the list. */
export const dependenciesOf = (task: Task, tasks: ReadonlyArray<Task>): ReadonlyArray<Task> => {
  const needed = new Set(task.dependsOn)
  for (const key of needed)
    for (const further of tasks.find((each) => each.key === key)?.dependsOn ?? []) needed.add(further)
  return tasks.filter((each) => needed.has(each.key))
}

const impossible = (reason: string, paths: ReadonlyArray<string>): Workspace => ({ _tag: "Impossible", reason, paths })

/** What a Task depends on, in one commit. Locks that two sides altered are merged without a registry. */
const mergedFor = Effect.fnUntraced(function* (task: Task, merge: LockedMerge) {
  const { base, changeSets, into, signature } = merge
  if (isRepair(task)) return yield* mergeApart({ into, base: base.commit, changeSets, signature })
  return yield* mergeLocked({ ...merge, mergedOnly: true })
})

/** Prepares the source of a run. Repeating it gives the same commit. */
export const prepare = Effect.fnUntraced(function* (task: Task, run: TaskRun, changeSets: ReadonlyArray<ChangeSet>) {
  const repositories = yield* Repositories
  const canonical = { project: task.projectId }
  yield* ensureSynced(task.projectId)
  if (!isWritable(task.kind) && changeSets.length === 0) {
    const { commit, tree } = yield* repositories.resolve(canonical, run.baseCommit)
    return { _tag: "Prepared", repository: canonical, commit, tree } satisfies Workspace
  }
  const into = { project: task.projectId, fork: workspaceFork(run.id) }
  const signature = signedAt(run.startedAt)
  yield* repositories.fork(into)
  const base = yield* repositories.resolve(canonical, run.baseCommit)
  return yield* mergedFor(task, { into, base, changeSets, signature }).pipe(
    Effect.map(({ commit, tree }): Workspace => ({ _tag: "Prepared", repository: into, commit, tree })),
    Effect.catchTags({
      MergeConflict: ({ paths }) =>
        Effect.succeed(impossible(`what it depends on conflicts in ${namePaths(paths)}`, paths)),
      PackagesUnfit: ({ reason }) =>
        Effect.succeed(impossible(`the packages of what it depends on do not go together: ${reason}`, [])),
      InvalidPath: ({ path, reason }) => Effect.succeed(impossible(`${path}: ${reason}`, [path])),
      TreeTooLarge: (large) =>
        Effect.succeed(impossible(`what it depends on has ${large.actual} ${large.limit}, more than ${large.max}`, []))
    })
  )
}, Effect.withSpan("Workspaces.prepare"))
