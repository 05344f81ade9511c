/** Promotion: the only way the canonical line moves. Safe to repeat; of two at once one advances it, both learn of it. */
import { Effect, Schema } from "effect"
import type { Actor } from "../access/Actor.ts"
import { decisionsOn } from "../approval/Standing.ts"
import { hasOtherVerified } from "../candidate/Staleness.ts"
import { evidenceOf } from "../evidence/CandidateEvidence.ts"
import { commandId } from "../event/Command.ts"
import { Commands } from "../event/Commands.ts"
import { decideAndCommit, demand, find } from "../ledger/Deciding.ts"
import { generationKey } from "../ledger/Entities.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { Waiting } from "../ledger/Processes.ts"
import type { Lease } from "../event/Command.ts"
import { candidateFork, makeUuid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { refuseArchived } from "../project/Archived.ts"
import { Repositories } from "../project/Repositories.ts"
import { releasesTo } from "../release/ReleaseTargets.ts"
import { Meters } from "../telemetry/Meters.ts"
import {
  type Ask,
  backCommit,
  decideSwap,
  promotingOther,
  requestCommit,
  type Snapshot,
  type SwapDecision
} from "./Canonical.ts"
import type { Trigger } from "./Generation.ts"
import { mustBuild } from "./RollbackPlan.ts"
import { syncSource } from "./SourceSync.ts"

/** What canonical is, and what a stale Candidate was made on, in words. */
export const behind = (at: { readonly baseGeneration: number; readonly canonicalGeneration: number }): string =>
  at.baseGeneration === at.canonicalGeneration
    ? `Canonical S${at.canonicalGeneration} has another tree than the one that this Candidate was made on.`
    : `Canonical is at S${at.canonicalGeneration}, this Candidate was made on S${at.baseGeneration}.`

/** Canonical is not what this Candidate was made on. It is stale now; ask for a new one on the new base. */
export class Stale extends Schema.TaggedError<Stale>()("Stale", {
  candidateId: Schema.String,
  baseGeneration: Schema.Finite,
  canonicalGeneration: Schema.Finite,
  /** A rollback is never composed anew. */
  rollback: Schema.Boolean
}) {
  override get message() {
    const after = this.rollback
      ? "Ask for the rollback anew."
      : "A new Candidate of the same ChangeSets takes its place."
    return `${behind(this)} ${after}`
  }
}

/** It cannot be promoted. Every block is named at once. */
export class Blocked extends Schema.TaggedError<Blocked>()("Blocked", {
  candidateId: Schema.String,
  blocks: Schema.Array(Schema.Struct({ code: Schema.String, detail: Schema.String }))
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
    return `${this.changeId} is promoting ${this.promotingCandidateId}.`
  }
}

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

/**
 * Reads all that a promotion is decided by, as it was at one instant. A swap is guarded by its commit, but a refusal
 * is not: what was read before and after a rival's swap would be told as a block that never was.
 */
export const snapshot = (candidateId: string) =>
  reading(candidateId).pipe(
    Effect.tap((read) =>
      Effect.gen(function* () {
        const again = [
          yield* demand("candidate", candidateId),
          yield* demand("change", read.change.record.id),
          yield* demand("head", read.head.record.projectId)
        ]
        const before = [read.candidate, read.change, read.head]
        if (again.some((each, index) => each.revision !== before[index]?.revision))
          return yield* Effect.fail(new Torn())
      })
    ),
    Effect.retry({ while: (error) => error._tag === "Torn", times: Limits.commitAttempts }),
    Effect.catchTag("Torn", () =>
      Effect.fail(
        new LedgerUnavailable({ operation: "read", reason: `${candidateId} kept changing while it was read` })
      )
    )
  )

const reading = Effect.fnUntraced(function* (candidateId: string) {
  const candidate = yield* demand("candidate", candidateId)
  const { projectId, commit, tree } = candidate.record
  const head = yield* demand("head", projectId)
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
  return {
    candidate,
    head,
    composedCommitExists,
    change,
    policy,
    decisions: yield* decisionsOn(candidate.record, change.record, policy.record),
    evidence: yield* evidenceOf(candidateId),
    releasable: to !== null,
    app,
    bundleStored: app && change.record.kind === "rollback" && tree !== null && !(yield* mustBuild(projectId, tree)),
    otherVerified: yield* hasOtherVerified(candidate.record, head.record.generation)
  } satisfies Snapshot
})

/** Promotes a Candidate. The actor comes from the session. */
export const promote = (actor: Actor, candidateId: string) =>
  Effect.gen(function* () {
    yield* refuseArchived((yield* demand("candidate", candidateId)).record.projectId)
    const token = yield* makeUuid
    const ask = { actor, trigger: yield* triggerOf(candidateId), now: yield* Time.now }
    const asked = yield* decideAndCommit(requesting(candidateId, ask, token))
    if (asked === "done") return yield* answer(candidateId, "alreadyPromoted")
    const ended = finishQuietly({ commandId: commandId("candidate.promote", candidateId), token })
    return yield* carryOn(candidateId, ask).pipe(
      // Unsynced, the command stays: a worker takes it over when the lease ends.
      Effect.tap((promoted) => (promoted.sourceSynced ? ended : Effect.void)),
      Effect.tapErrorTag("Stale", () => ended),
      Effect.tapErrorTag("Blocked", () => ended),
      Effect.tapErrorTag("AnotherPromoting", () => ended)
    )
  }).pipe(Effect.withSpan("Promotions.promote", { attributes: { candidateId } }))

/** What a person's promotion of this Candidate is called in the history. */
const triggerOf = Effect.fnUntraced(function* (candidateId: string) {
  const { changeId } = (yield* demand("candidate", candidateId)).record
  const trigger: Trigger = (yield* demand("change", changeId)).record.kind === "rollback" ? "rollback" : "user"
  return trigger
})

/** When the request of another promoter is under way, its command is not ours to finish: the token does not match. */
const finishQuietly = (lease: Lease) => Effect.flatMap(Commands, (commands) => Effect.ignore(commands.finish(lease)))

/** Refuses at once what cannot be promoted, else records that it was asked for: under `token`, or by its own command. */
const requesting = Effect.fnUntraced(function* (candidateId: string, ask: Ask, token: string | null) {
  const read = yield* snapshot(candidateId)
  const decision = decideSwap({ ...read, change: asPromoting(read) }, ask)
  if (decision._tag === "AlreadyPromoted") return { answer: "done" as const }
  const other = promotingOther(read)
  // Under way, whoever asked for it: `carryOn` decides, and takes the Change back when it is refused.
  if (read.change.record.status === "promoting" && other === null) return { answer: "go" as const }
  if (decision._tag === "Stale") return { answer: "go" as const }
  if (decision._tag === "Blocked") {
    yield* refused("blocked", ask)
    return yield* new Blocked({ candidateId, blocks: decision.blocks })
  }
  if (other !== null) return yield* busy(read.candidate, other)
  const commit = requestCommit(read, ask, token === null ? null : { token, leaseMs: Limits.commandLeaseMs })
  return { answer: "go" as const, ...(commit === null ? {} : { commit }) }
})

const busy = ({ record }: Snapshot["candidate"], promotingCandidateId: string) =>
  new AnotherPromoting({ candidateId: record.id, changeId: record.changeId, promotingCandidateId })

/** Counts a promotion that is not made. One that is made is counted by its commit. */
const refused = (outcome: "stale" | "blocked", { trigger }: Ask) =>
  Effect.map(Meters, ({ promotions }) => promotions.add(outcome, trigger))

/** The Change as it will be once the request is recorded, so that the decision looks at all else. */
const asPromoting = ({ change }: Snapshot): Snapshot["change"] => ({
  ...change,
  record: { ...change.record, status: "promoting", promotingCandidateId: null }
})

/** The swap, then the sync. */
export const carryOn = Effect.fnUntraced(function* (candidateId: string, ask: Ask) {
  const decision = yield* decideAndCommit(swapping(candidateId, ask))
  switch (decision._tag) {
    case "Swap":
      return yield* answer(candidateId, "promoted")
    case "AlreadyPromoted":
      return yield* answer(candidateId, "alreadyPromoted")
    case "Stale":
      yield* refused("stale", ask)
      return yield* staleness(candidateId)
    case "Blocked":
      yield* refused("blocked", ask)
      return yield* new Blocked({ candidateId, blocks: decision.blocks })
    case "Busy":
      return yield* busy(yield* demand("candidate", candidateId), decision.promotingCandidateId)
  }
})

/**
 * The body of `candidate.promote`: carries on a promotion that was requested, or requests it first, as auto-promotion
 * does. What was refused is done, what is not synced yet is tried again.
 */
export const resume = Effect.fnUntraced(
  function* (candidateId: string, ask: Ask) {
    const { changeId, projectId } = (yield* demand("candidate", candidateId)).record
    const { kind, status } = (yield* demand("change", changeId)).record
    // A rollback is called one in the history, also when nobody had to ask for its promotion.
    const asked: Ask = kind === "rollback" ? { ...ask, trigger: "rollback" } : ask
    // A Change that is promoting goes back by what `carryOn` commits; no request may refuse before that.
    if (status !== "promoting") yield* decideAndCommit(requesting(candidateId, asked, null))
    const promoted = yield* carryOn(candidateId, asked)
    // Once more, for its own problem: git that is away is waited for, a fault is not.
    if (!promoted.sourceSynced) yield* syncSource(projectId)
  },
  Effect.catchTags({
    Stale: () => Effect.void,
    Blocked: () => Effect.void,
    // It may still go out when that one is refused; when that one is promoted, this one is blocked or stale.
    AnotherPromoting: ({ message }) => Effect.fail(new Waiting(message, Limits.commandBackoffMs))
  })
)

/**
 * Reads and decides once. Archiving, removing and deploying touch the head, which the swap writes: none of them can
 * come between this reading and the swap.
 */
export const swapping = Effect.fnUntraced(function* (candidateId: string, ask: Ask) {
  const read = yield* snapshot(candidateId)
  const decision = decideSwap(read, ask)
  if (decision._tag === "Swap") yield* refuseArchived(read.head.record.projectId)
  const answer: SwapDecision = decision
  if (decision._tag === "AlreadyPromoted" || decision.commit === null) return { answer }
  return { answer, commit: decision.commit }
})

/** Gives a promotion up whose command died: the Change goes back to where it was. */
export const giveUp = (candidateId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const read = yield* snapshot(candidateId)
      const commit = backCommit(read, yield* Time.now)
      return commit === null ? { answer: undefined } : { answer: undefined, commit }
    })
  )

const staleness = Effect.fnUntraced(function* (candidateId: string) {
  const candidate = (yield* demand("candidate", candidateId)).record
  const head = (yield* demand("head", candidate.projectId)).record
  return yield* new Stale({
    candidateId,
    baseGeneration: candidate.base_generation,
    canonicalGeneration: head.generation,
    rollback: (yield* demand("change", candidate.changeId)).record.kind === "rollback"
  })
})

/** What became of a promoted Candidate, with the source synced if it can be. */
const answer = Effect.fnUntraced(function* (candidateId: string, outcome: Promoted["outcome"]) {
  const candidate = (yield* demand("candidate", candidateId)).record
  const step = (yield* demand("generation", generationKey(candidate.projectId, candidate.base_generation + 1))).record
  const sourceSynced = yield* syncSource(candidate.projectId).pipe(
    Effect.as(true),
    Effect.catch((problem) => Effect.as(Effect.logWarning("source not synced", problem), false))
  )
  const release = yield* find("release", `rel_${candidate.projectId}_${step.generation}`)
  return {
    outcome,
    generation: step.generation,
    commit: step.commit,
    tree: step.tree,
    sourceSynced,
    releaseId: release?.record.id ?? null
  } satisfies Promoted
})
