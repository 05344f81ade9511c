/** Promotion: the only way the canonical line moves. Safe to repeat; of two at once one advances it, both learn of it. */
import { Effect, Schema } from "effect"
import { refuseAgents } from "../access/Access.ts"
import type { Actor } from "../model/Actor.ts"
import { decisionsOn } from "../approval/Standing.ts"
import { behindInShort, hasOtherVerified, isBehind } from "../candidate/Staleness.ts"
import { evidenceOf, repeatedBy } from "../verification/CandidateEvidence.ts"
import type { Change } from "../model/Change.ts"
import { LaneEntryLifecycle } from "../model/LaneEntryLifecycle.ts"
import { isFinal } from "../model/Lifecycle.ts"
import { commandId } from "../model/Command.ts"
import { Commands } from "../work/Commands.ts"
import type { Commit } from "../ledger/Commit.ts"
import { type Decided, decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { generationKey } from "../model/Entities.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { Waiting } from "../work/Processes.ts"
import type { Lease } from "../model/Command.ts"
import { candidateFork, makeUuid, releaseId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { refuseArchived } from "../project/ArchivedProject.ts"
import { Repositories } from "../project/Repositories.ts"
import { releasesTo } from "../project/ReleaseTargets.ts"
import { Meters } from "../telemetry/Meters.ts"
import { type Ask, swapDecision, promotingOther, requested, type Snapshot, type SwapDecision } from "./Canonical.ts"
import type { Generation, Head } from "../model/Generation.ts"
import type { Policy } from "../model/Policy.ts"
import { chainOf } from "../provenance/Chains.ts"
import { madeBefore } from "../candidate/Origin.ts"
import { mustBuild } from "../candidate/RollbackPlan.ts"
import { heldBack } from "./HeldBack.ts"
import { asNamed, heldLaneOf, inLaneOf, OutOfTurn } from "./LaneOrder.ts"
import { awaitingThaw, BlockShape, putOffQuietly, untilThaw } from "./Thaw.ts"
import { syncSource } from "../project/SourceSync.ts"

/** Canonical is not what this Candidate was made on. It is stale now: a new one of the same ChangeSets takes its place. */
export class Stale extends Schema.TaggedError<Stale>()("Stale", {
  candidateId: Schema.String,
  baseGeneration: Schema.Finite,
  canonicalGeneration: Schema.Finite,
  /** A rollback is never composed anew. */
  rollback: Schema.Boolean
}) {
  override get message() {
    const after = this.rollback
      ? "Look at what is live now, and ask for the rollback anew."
      : "A new Candidate of the same ChangeSets takes its place."
    return `${behindInShort(this)} ${after}`
  }
}

/** It cannot be promoted. Every block is named at once. */
export class Blocked extends Schema.TaggedError<Blocked>()("Blocked", {
  candidateId: Schema.String,
  blocks: Schema.Array(BlockShape)
}) {
  override get message() {
    return this.blocks.map((block) => `${block.code}: ${block.detail}`).join("; ")
  }
}

/** Its Change is promoting another of its Candidates. What becomes of that one decides whether this one still can be. */
export class AnotherPromoting extends Schema.TaggedError<AnotherPromoting>()("AnotherPromoting", {
  candidateId: Schema.String,
  changeId: Schema.String,
  promotingCandidateId: Schema.String
}) {
  override get message() {
    return `${this.changeId} is promoting ${this.promotingCandidateId}. If that is refused, promote ${this.candidateId} again.`
  }
}

/** What a promotion came to. `alreadyPromoted`: the Candidate was canonical before this request. */
export interface Promoted {
  readonly outcome: "promoted" | "alreadyPromoted"
  readonly generation: number
  readonly commit: string
  readonly tree: string
  /** Whether canonical `main` and the tree's file index follow. Promoting again repairs it. */
  readonly sourceSynced: boolean
  readonly releaseId: string | null
}

/** Something moved while it was being read. */
class Torn {
  readonly _tag = "Torn"
}

/** Fails with `Torn` unless the records that all else hangs on are still as they were read. */
const requireUnmoved = Effect.fnUntraced(function* (read: Snapshot) {
  const before = [read.candidate, read.change, read.head]
  const again = [
    yield* demand("candidate", read.candidate.record.id),
    yield* demand("change", read.change.record.id),
    yield* demand("head", read.head.record.projectId)
  ]
  if (again.some((each, index) => each.revision !== before[index]?.revision)) return yield* Effect.fail(new Torn())
})

/** Works on what is read, which may be found torn: then it is read anew. */
const retryTorn = <A, E, R>(candidateId: string, work: Effect.Effect<A, E | Torn, R>) =>
  work.pipe(
    Effect.retry({ while: (error) => error instanceof Torn, times: Limits.commitAttempts }),
    Effect.catchIf(
      (error): error is Torn => error instanceof Torn,
      () =>
        Effect.fail(
          new LedgerUnavailable({ operation: "read", reason: `${candidateId} kept changing while it was read` })
        )
    )
  )

/** All that a promotion is decided by, as it was at one instant. */
export const snapshot = (candidateId: string) =>
  retryTorn(candidateId, Effect.tap(reading(candidateId, noRefusal), requireUnmoved))

/**
 * Reads each thing once, and decides. A swap needs no second look, for its commit guards what it was decided by; a
 * refusal does: what was read before and after a rival's swap would be told as a block that never was.
 */
const deciding = (candidateId: string, ask: Ask, first: typeof refuseArchived) =>
  retryTorn(
    candidateId,
    Effect.gen(function* () {
      const read = yield* reading(candidateId, first)
      const named = asNamed(ask, read)
      const decision = swapDecision({ ...read, change: asPromoting(read) }, named)
      if (decision._tag !== "Swap" || promotingOther(read) !== null) yield* requireUnmoved(read)
      return { read, ask: named, decision }
    })
  )

/**
 * `first` may refuse the Project before anything is read of its repository. It comes after the head: archiving, removing
 * and deploying touch the head, which the swap writes, so that none of them can come between this reading and the swap.
 */
const reading = (candidateId: string, first: typeof refuseArchived) =>
  Effect.gen(function* () {
    const candidate = yield* demand("candidate", candidateId)
    const { projectId, commit, tree } = candidate.record
    const head = yield* demand("head", projectId)
    yield* first(projectId)
    const change = yield* demand("change", candidate.record.changeId)
    const to = yield* releasesTo(projectId)
    const app = to?._tag === "App"
    const policy = yield* demand("policy", projectId)
    const composedCommitExists =
      commit !== null &&
      (yield* Effect.flatMap(Repositories, (repositories) =>
        repositories.resolve({ project: projectId, fork: candidateFork(candidate.record.id) }, commit)
      ).pipe(
        Effect.map((found) => found.tree === tree),
        Effect.catchTag("ObjectNotFound", () => Effect.succeed(false))
      ))
    const evidence = yield* evidenceOf(candidateId)
    return {
      candidate,
      head,
      composedCommitExists,
      change,
      policy,
      decisions: yield* decisionsOn(candidate.record, change.record, policy.record),
      evidence,
      repeated: yield* repeatedBy(evidence),
      chain: yield* chainOf(projectId),
      ...(yield* standingInLane(change.record, head.record, policy.record)),
      ...(yield* heldLaneOf(change.record, policy.record)),
      made: candidate.record.made ?? (yield* madeBefore(candidate.record, change.record)),
      releasable: to !== null,
      app,
      bundleStored: app && change.record.kind === "rollback" && tree !== null && !(yield* mustBuild(projectId, tree)),
      // Only a Candidate that is behind leaves its Change to another one.
      otherVerified: isBehind(candidate.record, head.record) && (yield* hasOtherVerified(candidate.record, head.record))
    } satisfies Snapshot
  })

/**
 * What a swap is decided by of the lane, as of one instant. An entry ends in the commit that takes it off its Change: one
 * that has ended says that the Change was read before that.
 */
const standingInLane = Effect.fnUntraced(function* (change: Change, head: Head, policy: Policy) {
  const read = yield* inLaneOf(change, head, policy)
  if (read.inLane !== undefined && isFinal(LaneEntryLifecycle, read.inLane.entry.record.status))
    return yield* Effect.fail(new Torn())
  return read
})

const noRefusal: typeof refuseArchived = () => Effect.void

/**
 * Promotes a Candidate, and answers what it came to; a repeat answers `alreadyPromoted`. The actor comes from the session.
 * Fails with `Stale`, `Blocked`, `AnotherPromoting`, `ProjectArchived` or `Unknown`, and for an agent with
 * `InsufficientScope`.
 */
export const promote = (actor: Actor, candidateId: string) =>
  Effect.gen(function* () {
    yield* refuseAgents(actor, "promote")
    const token = yield* makeUuid
    const ask: Ask = { actor, trigger: "user", now: yield* Time.now }
    const asked = yield* decideAndCommit(requesting(candidateId, ask, token))
    if (asked === "done") return yield* promotedBefore(candidateId)
    if (asked instanceof Blocked) return yield* asked
    const lease = { commandId: commandId("candidate.promote", candidateId), token }
    const ended = finishQuietly(lease)
    return yield* swapAndSync(candidateId, ask, asked).pipe(
      // Unsynced, the command stays: a worker takes it over when the lease ends.
      Effect.tap((promoted) => (promoted.sourceSynced ? ended : Effect.void)),
      Effect.tapErrorTag("Stale", () => ended),
      // Frozen since it was asked for: the command waits for the thaw.
      Effect.tapErrorTag("Blocked", ({ blocks }) => putOffQuietly(lease, blocks, ended)),
      Effect.tapErrorTag("AnotherPromoting", () => ended)
    )
    // What a person asks for needs no turn.
  }).pipe(
    Effect.catchTag("OutOfTurn", Effect.die),
    Effect.withSpan("Promotions.promote", { attributes: { candidateId } })
  )

/** When the request of another promoter is under way, its command is not ours to finish: the token does not match. */
const finishQuietly = (lease: Lease) => Effect.flatMap(Commands, (commands) => Effect.ignore(commands.finish(lease)))

/**
 * Refuses at once what cannot be promoted, else records that it was asked for: under `token`, or by its own command.
 * Answers what the swap may be decided by, as it is after that; null when it is to be read anew.
 */
const requesting = Effect.fnUntraced(function* (candidateId: string, asked: Ask, token: string | null) {
  const { ask, decision, read } = yield* deciding(candidateId, asked, token === null ? noRefusal : refuseArchived)
  if (decision._tag === "AlreadyPromoted") return answerOf("done")
  const other = promotingOther(read)
  const isOurs = read.change.record.status === "promoting" && other === null
  if (decision._tag === "OutOfTurn" && !isOurs) return yield* Effect.fail(new OutOfTurn())
  // Under way, whoever asked for it: `swapAndSync` decides, and takes the Change back when it is refused.
  if (decision._tag === "Stale" || (isOurs && decision._tag !== "Swap")) return answerOf(null)
  if (decision._tag === "Blocked") {
    yield* refused("blocked", ask)
    const blocked = new Blocked({ candidateId, blocks: decision.blocks })
    const delayMs = token === null ? null : yield* untilThaw(decision.blocks)
    if (delayMs === null) return yield* blocked
    // Whoever asked need not ask again: at the thaw it is promoted in their name.
    return answerOf(blocked, awaitingThaw(read, ask, delayMs))
  }
  if (other !== null) return yield* anotherPromoting(read.candidate, other)
  if (token === null) yield* refuseArchived(read.head.record.projectId)
  if (isOurs) return answerOf(read)
  const commit = requested(read, ask, token === null ? null : { token, leaseMs: Limits.commandLeaseMs })
  return commit === null ? answerOf(null) : answerOf(asRequested(read, commit), commit)
})

/** What a request came to: read and recorded, promoted before, to be read anew, or held back until the thaw. */
type Requested = Snapshot | "done" | null | Blocked

/** What is known after a request, with the commit that records it. */
const answerOf = (known: Requested, commit?: Commit): Decided<Requested> =>
  commit === undefined ? { answer: known } : { answer: known, commit }

/** What was read, with the Change as its request writes it. */
const asRequested = (read: Snapshot, { writes = [] }: Commit): Snapshot | null => {
  const [write] = writes
  if (write?._tag !== "Update" || write.kind !== "change") return null
  return { ...read, change: { record: write.record, revision: write.revision + 1 } }
}

const anotherPromoting = ({ record }: Snapshot["candidate"], promotingCandidateId: string) =>
  new AnotherPromoting({ candidateId: record.id, changeId: record.changeId, promotingCandidateId })

/** Counts a promotion that is not made. One that is made is counted by its commit. */
const refused = (outcome: "stale" | "blocked", { trigger }: Ask) =>
  Effect.map(Meters, ({ promotions }) => promotions.add(outcome, trigger))

/** The Change as it will be once the request is recorded, so that the decision looks at all else. */
const asPromoting = ({ change }: Snapshot): Snapshot["change"] => ({
  ...change,
  record: { ...change.record, status: "promoting", promotingCandidateId: null }
})

/** The swap, then the sync. `known` is what the swap is first decided by: what a request has read, and made of it. */
const swapAndSync = Effect.fnUntraced(function* (candidateId: string, asked: Ask, known: Snapshot | null) {
  const { ask, decision } = yield* decideAndCommit(swapping(candidateId, asked, known))
  switch (decision._tag) {
    case "Swap":
      return { ...(yield* synced(decision.step, "promoted")), releaseId: decision.releaseId }
    case "AlreadyPromoted":
      return yield* promotedBefore(candidateId)
    case "OutOfTurn":
      return yield* Effect.fail(new OutOfTurn())
    case "Stale":
      yield* refused("stale", ask)
      return yield* staleness(candidateId)
    case "Blocked":
      yield* refused("blocked", ask)
      return yield* new Blocked({ candidateId, blocks: decision.blocks })
    case "Busy":
      return yield* anotherPromoting(yield* demand("candidate", candidateId), decision.promotingCandidateId)
  }
})

/**
 * The body of `candidate.promote`: carries on a promotion that was requested, or requests it first, as auto-promotion
 * does. What was refused is done, what is not synced yet is tried again.
 */
export const resume = Effect.fnUntraced(
  function* (candidateId: string, ask: Ask) {
    const known = yield* decideAndCommit(requesting(candidateId, ask, null))
    if (known instanceof Blocked) return yield* known
    const promoted = yield* swapAndSync(candidateId, ask, known === "done" ? null : known)
    // Once more, for its own problem: git that is away is waited for, a fault is not.
    if (!promoted.sourceSynced)
      yield* syncSource((yield* demand("candidate", candidateId)).record.projectId, promoted.generation)
  },
  Effect.catchTags({
    Stale: () => Effect.void,
    OutOfTurn: () => Effect.void,
    // What a freeze holds back goes on by itself when it ends. In the lane, whatever else it is, it is told.
    Blocked: (blocked) => whenBlocked(blocked),
    // It may still go out when that one is refused; when that one is promoted, this one is blocked or stale.
    AnotherPromoting: ({ message }) => Effect.fail(new Waiting(message, Limits.commandBackoffMs))
  })
)

const whenBlocked = Effect.fnUntraced(function* ({ blocks, candidateId, message }: Blocked) {
  const delayMs = yield* untilThaw(blocks)
  if (delayMs !== null) return yield* Effect.fail(new Waiting(message, delayMs))
  yield* heldBack(candidateId, blocks)
})

/** Decides by what is known already, if that is a swap. After a Conflict, as in every other case, all is read anew. */
const swapping = (candidateId: string, asked: Ask, known: Snapshot | null) => {
  let first = known === null ? null : swapOf(known, asked)
  return Effect.suspend(() => {
    const decided = first
    first = null
    return decided?.answer.decision._tag === "Swap" ? Effect.succeed(decided) : swappingAnew(candidateId, asked)
  })
}

const swappingAnew = Effect.fnUntraced(function* (candidateId: string, asked: Ask) {
  const read = yield* snapshot(candidateId)
  const decided = swapOf(read, asked)
  if (decided.answer.decision._tag === "Swap") yield* refuseArchived(read.head.record.projectId)
  return decided
})

const swapOf = (read: Snapshot, asked: Ask) => {
  const ask = asNamed(asked, read)
  const decision: SwapDecision = swapDecision(read, ask)
  const answer = { ask, decision }
  if (decision._tag === "AlreadyPromoted" || decision.commit === null) return { answer }
  return { answer, commit: decision.commit }
}

const staleness = Effect.fnUntraced(function* (candidateId: string) {
  const candidate = (yield* demand("candidate", candidateId)).record
  const head = (yield* demand("head", candidate.projectId)).record
  return yield* new Stale({
    candidateId,
    baseGeneration: candidate.baseGeneration,
    canonicalGeneration: head.generation,
    rollback: (yield* demand("change", candidate.changeId)).record.kind === "rollback"
  })
})

/** What became of a Candidate that was promoted before. */
const promotedBefore = Effect.fnUntraced(function* (candidateId: string) {
  const { baseGeneration, projectId } = (yield* demand("candidate", candidateId)).record
  const step = (yield* demand("generation", generationKey(projectId, baseGeneration + 1))).record
  const promoted = yield* synced(step, "alreadyPromoted")
  const release = yield* find("release", releaseId(projectId, step.generation))
  return { ...promoted, releaseId: release?.record.id ?? null }
})

/** What a generation says of its promotion, with the source synced if it can be. */
const synced = (step: Generation, outcome: Promoted["outcome"]) =>
  syncSource(step.projectId, step.generation).pipe(
    Effect.as(true),
    Effect.catch((problem) => Effect.as(Effect.logWarning("source not synced", problem), false)),
    Effect.map((sourceSynced) => {
      const { commit, generation, tree } = step
      return { outcome, generation, commit, tree, sourceSynced }
    })
  )
