/** Canonical `main` follows the generations: fast-forward only, then the tree's file index is written. */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import { generationKey } from "../model/Entities.ts"
import { type CandidateId, candidateFork } from "../primitives/Ids.ts"
import { type KeyedTurns, makeTurns } from "../primitives/KeyedTurns.ts"
import { Repositories, type RepositoryRef } from "./Repositories.ts"
import type { Generation, Head } from "../model/Generation.ts"
import { writeSourceIndex } from "./SourceIndex.ts"

/** Of those who sync a Project in one process one is at it: the others find done what it did. By where repositories are. */
const turns = new WeakMap<Repositories["Service"], KeyedTurns>()

const turnsOf = (repositories: Repositories["Service"]): KeyedTurns => {
  const known = turns.get(repositories) ?? makeTurns()
  turns.set(repositories, known)
  return known
}

const syncTo = Effect.fnUntraced(function* (projectId: string, through: number) {
  const { syncedGeneration } = (yield* demand("head", projectId)).record
  for (let generation = syncedGeneration + 1; generation <= through; generation++) yield* syncOne(projectId, generation)
})

/** Brings `main` through a generation, one after the other. Repeating it is safe. */
export const syncSource = (projectId: string, through: number) =>
  Effect.flatMap(Repositories, (repositories) => turnsOf(repositories)(projectId, syncTo(projectId, through))).pipe(
    Effect.withSpan("SourceSync.sync")
  )

/** Whether another sync has brought `main` beyond this generation meanwhile. */
const isPast = Effect.fnUntraced(function* (projectId: string, generation: number) {
  const main = yield* Effect.flatMap(Repositories, (repositories) => repositories.main(projectId))
  const head = (yield* demand("head", projectId)).record
  for (let later = generation + 1; later <= head.generation; later++)
    if ((yield* demand("generation", generationKey(projectId, later))).record.commit === main.commit) return true
  return false
})

/** `main` begins at S0: which of several seeds that is, the history says. */
const beginMain = ({ commit, projectId: project }: Generation) =>
  Effect.flatMap(Repositories, (repositories) => repositories.begin({ project, commit }))

const advanceMain = Effect.fnUntraced(function* (step: Generation, candidateId: CandidateId) {
  const { generation, projectId } = step
  const before = (yield* demand("generation", generationKey(projectId, generation - 1))).record
  yield* Effect.flatMap(Repositories, (repositories) =>
    repositories
      .advance({
        project: projectId,
        from: { project: projectId, fork: candidateFork(candidateId) },
        expected: before.commit,
        commit: step.commit
      })
      .pipe(
        Effect.catchTag("NotFastForward", (refused) =>
          Effect.flatMap(isPast(projectId, generation), (past) => (past ? Effect.void : refused))
        )
      )
  )
})

const syncOne = Effect.fnUntraced(function* (projectId: string, generation: number) {
  const step = (yield* demand("generation", generationKey(projectId, generation))).record
  yield* step.candidateId === null ? beginMain(step) : advanceMain(step, step.candidateId)
  yield* writeSourceIndex(projectId, step)
  yield* decideAndCommit(
    Effect.map(demand("head", projectId), (head) =>
      head.record.syncedGeneration >= generation
        ? { answer: undefined }
        : {
            answer: undefined,
            commit: {
              name: "SourceSync.synced",
              projectId,
              writes: [Commit.update("head", head, { syncedGeneration: generation })]
            }
          }
    )
  )
})

/** Where the commit of a generation is when canonical `main` does not hold it yet: its Candidate's fork. */
export const beyondMain = (head: Head, step: Generation): ReadonlyArray<RepositoryRef> =>
  step.generation <= head.syncedGeneration || step.candidateId === null
    ? []
    : [{ project: step.projectId, fork: candidateFork(step.candidateId) }]

/** Where a generation is to be read: canonical, once `main` has been brought to it; its Candidate's fork may be swept then. */
export const placeOf = (
  head: Pick<Head, "syncedGeneration">,
  step: Pick<Generation, "projectId" | "generation" | "candidateId">
): RepositoryRef =>
  step.generation <= head.syncedGeneration || step.candidateId === null
    ? { project: step.projectId }
    : { project: step.projectId, fork: candidateFork(step.candidateId) }

/** Syncs before something composes on canonical. Fails while it cannot be done; the caller is tried again. */
export const ensureSynced = (projectId: string) =>
  Effect.flatMap(demand("head", projectId), ({ record }) =>
    record.syncedGeneration < record.generation ? syncSource(projectId, record.generation) : Effect.void
  )
