/**
 * How deep a lane may predict with what is left of today's builds and of the month's time in sandboxes: what every entry
 * needs that is still to be made is kept for it first. The rest may be lost on predictions that fall.
 */
import { Effect } from "effect"
import { buildBudget } from "../bundle/Builds.ts"
import * as Shares from "../bundle/Shares.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { Candidate } from "../model/Candidate.ts"
import { pointerKey } from "../model/Entities.ts"
import type { Evidence, GapCode } from "../model/Evidence.ts"
import { gapOf, rejectionOf } from "../model/StoredReasons.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { evidenceOf } from "../verification/CandidateEvidence.ts"
import { sandboxBudget } from "../verification/SandboxBudget.ts"

/** What is left of both, and what one verification takes. */
export interface Means {
  /** Infinite where nothing is built. */
  readonly buildsLeft: number
  readonly sandboxMsLeft: number
  /** Of the Project's own last verifications (`Limits.laneMeansChecks`); 0 where there was none. */
  readonly medianMs: number
}

/**
 * Pure: how many entries may be predicted at once, while so many wait without a Candidate. At least 1 while anything is
 * left: the first in the line loses nothing. 0 when nothing is: then its checks could not run.
 */
export const affordableDepth = ({ buildsLeft, medianMs, sandboxMsLeft }: Means, waiting: number): number => {
  if (buildsLeft <= 0 || sandboxMsLeft <= 0) return 0
  const bySandbox = medianMs <= 0 ? Number.POSITIVE_INFINITY : Math.floor(sandboxMsLeft / medianMs) - waiting
  return Math.max(1, Math.min(buildsLeft - waiting, bySandbox))
}

/** The middle of what the checks of a Candidate took together in sandboxes, in ms; 0 of none. */
const medianOf = (rows: ReadonlyArray<Evidence>): number => {
  const took = new Map<string, number>()
  for (const { bundleDigest, finishedAt, startedAt, subject } of rows) {
    if (subject.candidateId === undefined || bundleDigest !== undefined) continue
    const ms = Time.toMillis(finishedAt) - Time.toMillis(startedAt)
    took.set(subject.candidateId, (took.get(subject.candidateId) ?? 0) + ms)
  }
  const sorted = [...took.values()].toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** A share may be a fraction: whoever has any of it left may take one more. */
const leftOf = (budget: Shares.Budget, payer: string) => Effect.map(Shares.amountLeft(budget, payer), Math.ceil)

/** What a Project's lane has to go on with, as it is now. */
export const meansOf = Effect.fnUntraced(function* (projectId: string) {
  const records = yield* Records
  const last = yield* records.list("evidence", { projectId, order: "newest", limit: Limits.laneMeansChecks })
  const payer = yield* Shares.payerOf(projectId)
  const pointer = yield* find("pointer", pointerKey(projectId, "production"))
  const isBuilt = pointer?.record.status !== "removed"
  return {
    buildsLeft: isBuilt ? yield* leftOf(yield* buildBudget, payer) : Number.POSITIVE_INFINITY,
    sandboxMsLeft: yield* leftOf(yield* sandboxBudget, payer),
    medianMs: medianOf(last.items.map(({ record }) => record))
  } satisfies Means
})

const usedUp: ReadonlySet<GapCode | null> = new Set(["sandbox_budget_used_up", "builds_used_up"])

/** Ids of those that were rejected because builds or sandbox time were used up while they were checked. */
export const ranOut = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>) {
  const found = new Set<string>()
  for (const candidate of candidates) {
    const isShort =
      rejectionOf(candidate) === "checks_could_not_run" &&
      (yield* evidenceOf(candidate.id)).some((row) => usedUp.has(gapOf(row)))
    if (isShort) found.add(candidate.id)
  }
  return found as ReadonlySet<string>
})
