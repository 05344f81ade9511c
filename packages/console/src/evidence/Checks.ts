/** What is known of each check of a Candidate: its plan and its Evidence, put together. */
import type { Answer } from "../api/Wire.ts"
import type { Candidate } from "../candidate/CandidateQuery.ts"

/** What one try of a check left behind, as the API answers it. */
export type Evidence = Answer<"candidates", "evidence">["items"][number]
type PlannedCheck = NonNullable<Candidate["plan_json"]>["checks"][number]

/** Where a check is. `running`: it was taken up; `owed`: nothing of it is there yet; `ended`: nothing will come. */
export type Verdict = "pass" | "fail" | "gap" | "running" | "owed" | "ended"

/** One check with its tries, oldest first. */
export interface CheckState {
  readonly id: string
  readonly title: string
  /** Null for a check that the plan does not name. */
  readonly planned: PlannedCheck | null
  readonly verdict: Verdict
  /** When it was taken up, while it runs; null while it does not. */
  readonly since: string | null
  readonly tries: ReadonlyArray<Evidence>
  /** It failed and passed on one tree. */
  readonly isFlaky: boolean
  readonly waiver: Evidence["waived"] | undefined
}

type Step = Answer<"history", "ofChange">["items"][number]

/** When each check was taken up that had not ended by the newest of these steps of the history, by its id. */
export const begunOf = (newestFirst: ReadonlyArray<Step>, candidateId: string): ReadonlyMap<string, string> => {
  const begun = new Map<string, string>()
  const ended = new Set<string>()
  for (const { at, id, kind, to } of newestFirst) {
    if (kind !== "check" || !id.startsWith(`${candidateId}/`)) continue
    const checkId = id.slice(candidateId.length + 1)
    if (to === "started" && !ended.has(checkId) && !begun.has(checkId)) begun.set(checkId, at)
    else ended.add(checkId)
  }
  return begun
}

const isUnderWay = ({ status }: Candidate): boolean => status === "composing" || status === "verifying"

const stateOf = (
  candidate: Candidate,
  id: string,
  planned: PlannedCheck | null,
  tries: ReadonlyArray<Evidence>,
  begunAt: string | undefined
): CheckState => {
  const last = tries.at(-1)
  // The rows may be newer than what was said of it: then it has ended.
  const runs = begunAt !== undefined && isUnderWay(candidate) && tries.every(({ finishedAt }) => finishedAt < begunAt)
  const failed = new Set(tries.filter(({ result }) => result === "fail").map((each) => each.id))
  return {
    id,
    planned,
    tries,
    title: planned?.title ?? id,
    verdict: runs ? "running" : (last?.result ?? (isUnderWay(candidate) ? "owed" : "ended")),
    since: runs ? begunAt : null,
    isFlaky: tries.some(({ result, retryOf }) => result === "pass" && retryOf !== undefined && failed.has(retryOf)),
    waiver: last?.waived ?? planned?.waived
  }
}

/** In the order of the plan; what it does not name comes last. `begun` is what `begunOf` says. */
export const checksOf = (
  candidate: Candidate,
  evidence: ReadonlyArray<Evidence>,
  begun: ReadonlyMap<string, string> = new Map()
): ReadonlyArray<CheckState> => {
  const planned = candidate.plan_json?.checks ?? []
  const ids = new Set([...planned.map(({ id }) => id), ...evidence.map(({ checkId }) => checkId)])
  return Array.from(ids, (id) =>
    stateOf(
      candidate,
      id,
      planned.find((check) => check.id === id) ?? null,
      evidence.filter(({ checkId }) => checkId === id),
      begun.get(id)
    )
  )
}

/** How long a try took, in words: `0.4 s`, `2 min 5 s`. */
export const tookWords = ({ finishedAt, startedAt }: Pick<Evidence, "finishedAt" | "startedAt">): string => {
  const tookMs = Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt))
  if (tookMs < 60_000) return `${(tookMs / 1000).toFixed(1)} s`
  const seconds = Math.round(tookMs / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** One sentence over all of them: what passed, and what did not. */
export const sumOf = (checks: ReadonlyArray<CheckState>): string => {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length
  const parts = [
    `${count("pass")} passed`,
    ...(count("fail") > 0 ? [`${count("fail")} failed`] : []),
    ...(count("gap") > 0 ? [`${count("gap")} could not run`] : []),
    ...(count("running") > 0 ? [`${count("running")} running`] : []),
    ...(count("owed") > 0 ? [`${count("owed")} to come`] : []),
    ...(count("ended") > 0 ? [`${count("ended")} never ran`] : [])
  ]
  return `${checks.length} ${checks.length === 1 ? "check" : "checks"}: ${parts.join(", ")}`
}
