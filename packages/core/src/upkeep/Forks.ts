/** Deleting forks that are not needed any more. The record says so afterwards, so that a repeat finds nothing to do. */
import { Effect } from "effect"
import type { Candidate } from "../model/Candidate.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import { candidateFork } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import { Repositories } from "../project/Repositories.ts"
import type { TaskRun } from "../model/Task.ts"

/** Deletes the fork `cand-…` of a Candidate and stores when. */
export const deleteCandidateFork = Effect.fnUntraced(function* ({
  id,
  projectId
}: Pick<Candidate, "id" | "projectId">) {
  yield* (yield* Repositories).remove({ project: projectId, fork: candidateFork(id) })
  yield* decideAndCommit(
    Effect.gen(function* () {
      const candidate = yield* demand("candidate", id)
      if (candidate.record.forkDeletedAt !== null) return { answer: undefined }
      const writes = [Commit.update("candidate", candidate, { forkDeletedAt: yield* Time.now })]
      return { answer: undefined, commit: { name: "Forks.candidate", projectId, writes } }
    })
  )
})

/** Deletes the fork `ws-…` of a Task run and stores when. A run without one is left alone. */
export const deleteRunFork = Effect.fnUntraced(function* ({
  id,
  projectId,
  workspaceFork
}: Pick<TaskRun, "id" | "projectId" | "workspaceFork">) {
  if (workspaceFork === null) return
  yield* (yield* Repositories).remove({ project: projectId, fork: workspaceFork })
  yield* decideAndCommit(
    Effect.gen(function* () {
      const run = yield* demand("taskRun", id)
      if (run.record.forkDeletedAt !== null) return { answer: undefined }
      const writes = [Commit.update("taskRun", run, { forkDeletedAt: yield* Time.now })]
      return { answer: undefined, commit: { name: "Forks.run", projectId, writes } }
    })
  )
})
