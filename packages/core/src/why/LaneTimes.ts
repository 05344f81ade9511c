/** How long an entry of the lane still takes, by how long verifications took here. Pure but for the reading. */
import { Effect } from "effect"
import { Records } from "../ledger/Records.ts"
import type { Member } from "../lane/Line.ts"
import type { Candidate } from "../model/Candidate.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { evidenceOf } from "../verification/CandidateEvidence.ts"

/** Below so many verifications nothing is said: chance would speak. */
const least = 5

/** When an entry is likely to land, from now on. */
export interface Expected {
  readonly medianMs: number
  readonly p95Ms: number
}

/** The value below which a share of some sorted numbers lies. */
const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0

/** What is left of a verification that takes so long: in doubt it is made once more, and who is through needs nothing. */
const restOf = ({ entry }: Member, startedAt: Time.Timestamp | null, now: Time.Timestamp, tookMs: number): number => {
  if (entry.status === "ready" || entry.status === "aside") return 0
  if (entry.status !== "running" || startedAt === null) return tookMs
  return Math.max(0, tookMs - (Time.toMillis(now) - Time.toMillis(startedAt)))
}

/**
 * The longest rest of an entry and those ahead of it, in the middle and in all but one of twenty cases. Null where fewer
 * than five verifications are known.
 */
export const expectedOf = (
  upTo: ReadonlyArray<Member>,
  startedAt: (member: Member) => Time.Timestamp | null,
  tookMs: ReadonlyArray<number>,
  now: Time.Timestamp
): Expected | null => {
  if (tookMs.length < least) return null
  const sorted = [...tookMs].sort((one, other) => one - other)
  const longest = (each: number) => Math.max(0, ...upTo.map((member) => restOf(member, startedAt(member), now, each)))
  return { medianMs: longest(quantile(sorted, 0.5)), p95Ms: longest(quantile(sorted, 0.95)) }
}

const tookOf = Effect.fnUntraced(function* ({ id }: Candidate) {
  const rows = yield* evidenceOf(id)
  if (rows.length === 0) return []
  const from = Math.min(...rows.map(({ startedAt }) => Time.toMillis(startedAt)))
  return [Math.max(...rows.map(({ finishedAt }) => Time.toMillis(finishedAt))) - from]
})

/** How long the last verifications of a Project took, at most `Limits.laneOutcomes` of them. */
export const verificationTimes = Effect.fnUntraced(function* (projectId: string) {
  const listing = { projectId, order: "newest", limit: Limits.pageSize } as const
  const newest = (yield* (yield* Records).list("candidate", listing)).items
  const judged = newest.flatMap(({ record }) => (record.score === null ? [] : [record])).slice(0, Limits.laneOutcomes)
  return (yield* Effect.forEach(judged, tookOf)).flat()
})
