/**
 * Reviews: a model looks at Candidates that others' work meets, or whose risk is not low. It is advice for people: no
 * gate reads it, and a Change without budget left simply has none. Each Candidate has at most one.
 */
import { Effect, Schema } from "effect"
import { reviewerOf } from "../agent/Asker.ts"
import { Models } from "../agent/Models.ts"
import { sumOf } from "../agent/Reservation.ts"
import * as Turns from "../agent/Turns.ts"
import { isClosed } from "../change/Changes.ts"
import type { Candidate, CandidateStatus } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type { Review } from "../model/Review.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Records } from "../ledger/Records.ts"
import { system } from "../model/Actor.ts"
import { candidateFork, makeUuid, reviewId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Repositories } from "../project/Repositories.ts"
import { Process } from "../work/Processes.ts"
import { opinionIn, reviewAsk } from "./ReviewTalk.ts"

/** In which statuses a Candidate may have a review. */
export const reviewStatuses: ReadonlyArray<CandidateStatus> = ["verifying", "verified"]

/** Whether a Candidate is one to look at: others write what it writes, or its risk is not seen to be low. */
const isWorthReview = ({ plan, status }: Pick<Candidate, "plan" | "status">): boolean =>
  reviewStatuses.includes(status) && plan !== null && (plan.riskTier !== "low" || (plan.overlaps ?? []).length > 0)

const canPay = (change: Change): boolean =>
  !isClosed(change.status) && sumOf(change.budgetUsd, -sumOf(change.spentUsd, change.reservedUsd)) > 0

const reviewOf = ({ id }: Candidate): NewCommand => ({
  kind: "candidate.review",
  id: commandId("candidate.review", id),
  payload: { candidateId: id }
})

/** Whether there is a review of it, or it was asked for so often that there will be none. */
const isDone = Effect.fnUntraced(function* (candidate: Candidate) {
  if ((yield* find("review", reviewId(candidate.id))) !== null) return true
  const { subject } = reviewerOf(candidate, "balanced")
  const calls = yield* (yield* Records).list("modelCall", { where: { changeId: candidate.changeId }, limit: "all" })
  const own = calls.items.filter(({ record }) => record.id.startsWith(`mc_${subject}_`))
  return own.length >= Limits.reviewCalls
})

/** The body of `candidate.reviews`, sent every 5 minutes: asks for a review of the newest Candidates that are worth one. */
export const requestReviews = Effect.gen(function* () {
  if (!(yield* Models).available) return
  const newest = yield* (yield* Records).list("candidate", {
    where: { status: reviewStatuses },
    order: "newest",
    limit: Limits.pageSize
  })
  const ledger = yield* Ledger
  for (const { record } of newest.items) {
    if (!isWorthReview(record) || (yield* isDone(record))) continue
    if (!canPay((yield* demand("change", record.changeId)).record)) continue
    yield* ledger.commit({ name: "Reviews.request", projectId: record.projectId, commands: [reviewOf(record)] })
  }
}).pipe(Effect.withSpan("Reviews.request"))

const asking = Effect.fnUntraced(function* (candidate: Candidate, change: Change, tree: string) {
  const repositories = yield* Repositories
  const fork = { project: candidate.projectId, fork: candidateFork(candidate.id) }
  const patches = yield* repositories.diff(fork, candidate.baseTree, tree)
  const turns = yield* Turns.of(reviewerOf(candidate, "balanced"), (yield* Process).lease)
  const fence = yield* turns.remember(
    "fence",
    Schema.String,
    Effect.map(makeUuid, (uuid) => `data-${uuid}`)
  )
  const { overlaps = [], riskTier = "unknown" } = candidate.plan ?? {}
  return opinionIn(yield* turns.turn(1, reviewAsk({ fence, goal: change.goal, riskTier, overlaps, patches })))
})

/** The body of `candidate.review`: one question, and what came of it. A review that cannot be paid is none. */
export const review = (candidateId: string) =>
  Effect.gen(function* () {
    const candidate = (yield* demand("candidate", candidateId)).record
    const change = (yield* demand("change", candidate.changeId)).record
    if (candidate.tree === null || !isWorthReview(candidate) || isClosed(change.status)) return
    if ((yield* find("review", reviewId(candidate.id))) !== null) return
    const opinion = yield* asking(candidate, change, candidate.tree)
    yield* decideAndCommit(reviewing(candidate, opinion))
  }).pipe(
    // It stops nothing, so nobody waits for it: what cannot be asked, or read any more, has no review.
    Effect.catchTags({
      TurnStopped: ({ reason }) => Effect.logInfo("a Candidate has no review", reason),
      TurnFailed: ({ reason }) => Effect.logInfo("a Candidate has no review", reason),
      ModelRefused: ({ reason }) => Effect.logInfo("a Candidate has no review", reason),
      ObjectNotFound: (missing) => Effect.logInfo("a Candidate has no review", missing.message),
      TreeTooLarge: (large) => Effect.logInfo("a Candidate has no review", large.message)
    }),
    Effect.withSpan("Reviews.review", { attributes: { candidateId } })
  )

const reviewing = Effect.fnUntraced(function* (candidate: Candidate, opinion: Pick<Review, "verdict" | "text">) {
  const { changeId, id: candidateId, projectId } = candidate
  const id = reviewId(candidateId)
  if ((yield* find("review", id)) !== null) return { answer: undefined }
  const draft = Draft.begin(projectId, system("review"), yield* Time.now)
  Draft.insert(draft, "review", { id, projectId, candidateId, changeId, ...opinion, createdAt: draft.now })
  Draft.emit(draft, "review.completed", id, { changeId, candidateId, verdict: opinion.verdict })
  const { lease } = yield* Process
  return { answer: undefined, commit: Draft.end(draft, { name: "Reviews.completed", lease }) }
})
