/**
 * What a Candidate waits for, kept where `why` finds it: a check that is tried again, and machinery that is away. It is
 * told and nothing else: no decision reads it, and that it could not be written ends no work.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Candidate, CandidateWait } from "../model/Candidate.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { describe, wordsOf } from "../primitives/Words.ts"
import type { MissedTry } from "../verification/Checks.ts"
import { Process } from "../work/Processes.ts"

const actor = system("verification")

const isOpen = ({ status }: Candidate): boolean => status === "composing" || status === "verifying"

/** What an open Candidate waits for; of one that is not open nothing. */
export const waitsOf = (candidate: Candidate): ReadonlyArray<CandidateWait> =>
  isOpen(candidate) ? (candidate.waits ?? []) : []

/** What a check waits for that has no evidence yet; null for nothing. */
export const waitOf = (candidate: Candidate, checkId: string): CandidateWait | null =>
  waitsOf(candidate).find((each) => each.checkId === checkId) ?? null

/** A wait in a line, where a check's summary stands. */
export const waitSummary = ({ attempt, attempts, reason }: CandidateWait): string =>
  attempt === null ? reason : `try ${attempt} of ${attempts ?? attempt} showed nothing, and the next runs: ${reason}`

/** Writes what a Candidate waits for. */
const changed = (
  candidateId: string,
  change: (waits: ReadonlyArray<CandidateWait>, now: Time.Timestamp) => ReadonlyArray<CandidateWait>
) =>
  decideAndCommit(
    Effect.gen(function* () {
      const candidate = yield* demand("candidate", candidateId)
      const now = yield* Time.now
      const before = candidate.record.waits ?? []
      const waits = change(before, now)
      if (!isOpen(candidate.record) || waits === before) return { answer: undefined }
      const draft = Draft.begin(candidate.record.projectId, actor, now)
      Draft.update(draft, "candidate", candidate, { waits })
      const { lease } = yield* Process
      return { answer: undefined, commit: { ...Draft.end(draft, { name: "Verification.waits" }), lease } }
    })
  ).pipe(Effect.ignore({ log: "Debug" }))

const replacing = (waits: ReadonlyArray<CandidateWait>, wait: CandidateWait) => [
  ...waits.filter(({ checkId }) => checkId !== wait.checkId),
  wait
]

/** A try of a check showed nothing, and the next one begins. */
export const missed = (candidateId: string, { attempt, checkId, reason, tookMs }: MissedTry) =>
  changed(candidateId, (waits, now) =>
    replacing(waits, { checkId, reason, attempt, attempts: Limits.checkGapAttempts, tookMs, at: now, again: now })
  )

/** A check has its evidence: what it waited for is over. */
export const settled = (candidateId: string, checkId: string) =>
  changed(candidateId, (waits) =>
    waits.some((each) => each.checkId === checkId) ? waits.filter((each) => each.checkId !== checkId) : waits
  )

/** The verification waits for machinery that is away: the packages' registry, the sandbox, the builder. */
export const waiting = (candidateId: string, problem: unknown, waitMs: number) =>
  changed(candidateId, (waits, now) => {
    const reason = (problem instanceof Error ? wordsOf(problem) : describe(problem)).slice(0, Limits.problemLength)
    const again = Time.fromMillis(Time.toMillis(now) + waitMs)
    return replacing(waits, { checkId: null, reason, attempt: null, attempts: null, tookMs: null, at: now, again })
  })
