/**
 * The daily sweep of forks, body of `forks.sweep` (specification, rule 15). One message deletes at most 20 repositories
 * and goes back into the queue while more may remain. A fork that cannot be deleted waits for the next day's sweep: it
 * must not keep the others.
 */
import { Effect, Schema } from "effect"
import type { Candidate, CandidateStatus } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import { isClosed } from "../change/Changes.ts"
import { demand, find } from "../ledger/Decision.ts"
import { generationKey } from "../model/Entities.ts"
import { Records } from "../ledger/Records.ts"
import { changeSetId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { Repositories } from "../project/Repositories.ts"
import type { TaskRun } from "../model/Task.ts"
import { deleteCandidateFork, deleteRunFork } from "./Forks.ts"
import { pass, passes } from "./Pass.ts"

const Cursor = Schema.Struct({
  stage: Schema.Literals(["candidates", "runs"]),
  /** The cursor of the last page that was looked at; null before the first. */
  after: Schema.NullOr(Schema.String)
})
interface Cursor extends Schema.Schema.Type<typeof Cursor> {}

/** The pieces of this sweep in the journal: each says where the next one begins. */
export const forkPasses = passes(Cursor)

const pageOf = (after: string | null) => ({
  limit: Limits.sweepRepositories,
  ...(after === null ? {} : { cursor: after })
})

/** The body of `forks.sweep`, one message. */
export const sweepForks = Effect.gen(function* () {
  const { environment } = yield* Settings
  const days = environment === "production" ? Limits.forkDaysProduction : Limits.forkDaysDevelopment
  const before = Time.fromMillis((yield* Time.nowMillis) - days * Time.dayMs)
  yield* pass(forkPasses, { stage: "candidates", after: null }, ({ stage, after }) =>
    stage === "candidates" ? sweepCandidates(after, before) : sweepRuns(after, before)
  )
}).pipe(Effect.withSpan("ForkSweep.sweepForks"))

/** Goes through pages until one had something to delete. Answers where to go on, and `then` after the last page. */
const sweepPages = Effect.fnUntraced(function* <E, R>(
  stage: Cursor["stage"],
  first: string | null,
  then: Cursor | null,
  sweepPage: (after: string | null) => Effect.Effect<{ readonly deleted: number; readonly next: string | null }, E, R>
) {
  let after = first
  for (let pages = 0; pages < Limits.sweepPages; pages++) {
    const { deleted, next } = yield* sweepPage(after)
    if (next === null) return then
    after = next
    if (deleted > 0) break
  }
  return { stage, after } satisfies Cursor
})

const closedStatuses: ReadonlyArray<CandidateStatus> = ["rejected", "stale", "blocked", "promoted"]

const sweepCandidates = (first: string | null, before: Time.Timestamp) =>
  sweepPages("candidates", first, { stage: "runs", after: null }, (after) =>
    Effect.gen(function* () {
      const page = yield* (yield* Records).list("candidate", {
        where: { fork: "kept", status: closedStatuses },
        ...pageOf(after)
      })
      const deleted = yield* Effect.forEach(page.items, ({ record }) =>
        unneededCandidate(record, before).pipe(
          Effect.tap((unneeded) => (unneeded ? deleteCandidateFork(record) : Effect.void)),
          tolerated(`candidate ${record.id}`)
        )
      )
      return { deleted: deleted.filter((each) => each).length, next: page.nextCursor }
    })
  )

/** A promoted Candidate's fork is needed until canonical main contains its commit. */
const unneededCandidate = Effect.fnUntraced(function* (candidate: Candidate, before: Time.Timestamp) {
  if (candidate.updatedAt > before) return false
  if (candidate.status !== "promoted") return true
  const { projectId, baseGeneration } = candidate
  const step = (yield* demand("generation", generationKey(projectId, baseGeneration + 1))).record
  const head = (yield* demand("head", projectId)).record
  if (step.candidateId !== candidate.id || head.syncedGeneration < step.generation) return false
  const canonical = yield* Effect.flatMap(Repositories, (repositories) =>
    repositories.resolve({ project: projectId }, step.commit)
  ).pipe(Effect.catchTag("ObjectNotFound", () => Effect.succeed(null)))
  return canonical?.tree === step.tree
})

const sweepRuns = (first: string | null, before: Time.Timestamp) =>
  sweepPages("runs", first, null, (after) =>
    Effect.gen(function* () {
      const page = yield* (yield* Records).list("taskRun", { where: { fork: "kept" }, ...pageOf(after) })
      const deleted = yield* Effect.forEach(page.items, ({ record }) =>
        unneededRun(record, before).pipe(
          Effect.tap((unneeded) => (unneeded ? deleteRunFork(record) : Effect.void)),
          tolerated(`task run ${record.id}`)
        )
      )
      return { deleted: deleted.filter((each) => each).length, next: page.nextCursor }
    })
  )

/** The run failed, or completed without a ChangeSet, or its Change has ended; each long enough ago. */
const unneededRun = Effect.fnUntraced(function* (run: TaskRun, before: Time.Timestamp) {
  if (run.startedAt > before) return false
  const change: Change = (yield* demand("change", run.changeId)).record
  if (isClosed(change.status) && change.updatedAt <= before) return true
  if (run.endedAt === null || run.endedAt > before) return false
  return run.outcome !== "completed" || (yield* find("changeSet", changeSetId(run.id))) === null
})

/** What one fork meets is logged, and no reason to leave the others. A store that is away ends the message. */
const tolerated =
  (what: string) =>
  <E, R>(sweeping: Effect.Effect<boolean, E, R>) =>
    Effect.catchIf(
      sweeping,
      (problem) => !isAway(problem),
      (problem) => Effect.as(Effect.logWarning(`fork of ${what} not swept`, problem), false)
    )

const isAway = (problem: unknown): boolean =>
  typeof problem === "object" && problem !== null && "_tag" in problem && problem._tag === "LedgerUnavailable"
