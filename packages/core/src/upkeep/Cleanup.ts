/**
 * Cleaning an archived Project away, body of `project.cleanup` (specification, rules 2 and 14). First what is open ends,
 * 20 Changes a message. Then one message deletes at most 20 forks and goes back into the queue while more remain; the
 * last one deletes the rest in the specified order.
 * Every step may be repeated: what is gone stays gone, and `cleanedAt` is set when nothing is left.
 */
import { Effect } from "effect"
import { cleanApp } from "../app/Removal.ts"
import { forgetAll } from "../worker/DeadLetters.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { Process, Waiting } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import { Retention } from "../ledger/Retention.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Repositories } from "../project/Repositories.ts"
import { archivePrefix } from "./EventArchive.ts"
import { deleteCandidateFork, deleteRunFork } from "./Forks.ts"
import { endOpenWork } from "./OpenWork.ts"

/** Objects of a Project that go with it, beside those of its app. */
export const projectKinds = ["source", "context", "changesets", "work-graphs"]

/** The body of `project.cleanup`, one message. A Project that is not archived, or is clean already, is left alone. */
export const clean = (projectId: string) =>
  Effect.gen(function* () {
    const project = (yield* find("project", projectId))?.record
    if (project === undefined || project.status !== "archived" || project.cleanedAt !== null) return
    if (yield* endOpenWork(projectId)) return yield* Effect.fail(new Waiting("more is open", 0))
    if (yield* deleteForks(projectId)) return yield* Effect.fail(new Waiting("more forks remain", 0))
    yield* Effect.flatMap(Repositories, (repositories) => repositories.remove({ project: projectId }))
    const objects = yield* ObjectStore
    for (const kind of projectKinds)
      yield* objects.removePrefix(`${kind}/${projectId}/`).pipe(Effect.catchTag("InvalidKey", Effect.die))
    yield* cleanApp(projectId)
    yield* objects.removePrefix(archivePrefix(projectId)).pipe(Effect.catchTag("InvalidKey", Effect.die))
    // The feed goes as its archive did; that the Project was archived, and what followed, is told for as long as any event is.
    yield* (yield* Retention).forget(projectId, project.updatedAt)
    yield* forgetAll(projectId)
    yield* decideAndCommit(cleaned(projectId))
  }).pipe(Effect.withSpan("Cleanup.clean", { attributes: { projectId } }))

/** Deletes a message's worth of recorded forks, and answers whether there may be more. */
const deleteForks = Effect.fnUntraced(function* (projectId: string) {
  const records = yield* Records
  const where = { fork: "kept" }
  const runs = yield* records.list("taskRun", { projectId, where, limit: Limits.sweepRepositories })
  yield* Effect.forEach(runs.items, ({ record }) => deleteRunFork(record), { discard: true })
  const left = Limits.sweepRepositories - runs.items.length
  if (left === 0) return true
  const candidates = yield* records.list("candidate", { projectId, where, limit: left })
  yield* Effect.forEach(candidates.items, ({ record }) => deleteCandidateFork(record), { discard: true })
  return candidates.items.length === left
})

const cleaned = Effect.fnUntraced(function* (projectId: string) {
  const project = yield* demand("project", projectId)
  if (project.record.cleanedAt !== null) return { answer: undefined }
  const writes = [Commit.update("project", project, { cleanedAt: yield* Time.now })]
  return {
    answer: undefined,
    commit: { name: "Cleanup.cleaned", projectId, lease: (yield* Process).lease, writes }
  }
})
