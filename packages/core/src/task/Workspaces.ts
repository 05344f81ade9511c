/** The source that a run works on: canonical, with the ChangeSets of the Tasks it depends on, in a fork of its own. */
import { Effect } from "effect"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { workspaceFork } from "../primitives/Ids.ts"
import { ensureSynced } from "../project/SourceSync.ts"
import { Repositories, type RepositoryRef, signedAt } from "../project/Repositories.ts"
import { isRepair, isWritable, type Task, type TaskRun } from "../model/Task.ts"
import { mergeApart } from "./ApartMerge.ts"
import { type LockedMerge, mergeLocked } from "./LockedMerge.ts"
import { mergeRefusal } from "./MergeRefusal.ts"

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

/** What a Task depends on, in one commit. Locks that two sides altered are merged without a registry. */
const mergedFor = Effect.fnUntraced(function* (task: Task, merge: LockedMerge) {
  const { base, changeSets, into, signature } = merge
  if (isRepair(task)) return yield* mergeApart({ into, base, changeSets, signature })
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
  return yield* mergedFor(task, { into, base: run.baseCommit, changeSets, signature }).pipe(
    Effect.map(({ commit, tree }): Workspace => ({ _tag: "Prepared", repository: into, commit, tree })),
    Effect.catchTag(["InvalidPath", "MergeConflict", "PackagesUnfit", "TreeTooLarge"], (failure) => {
      const { paths, reason } = mergeRefusal(failure)
      return Effect.succeed<Workspace>({
        _tag: "Impossible",
        reason: `what it depends on cannot be merged: ${reason}`,
        paths
      })
    })
  )
}, Effect.withSpan("Workspaces.prepare"))
