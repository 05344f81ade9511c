/**
 * What must be so of every lane that has come to its end, however it came there: the invariants I1 to I10 of the lane, on
 * what the API tells of its records. Nobody is held any more then, so that I7 says that nobody waits.
 */
import type { CandidateJson } from "@pawl/server/api/RecordSchemas"
import type { LaneFacts } from "./LaneFacts.ts"

/** What a law finds wrong: a line for each case. */
type Law = (facts: LaneFacts) => ReadonlyArray<string>

const candidateOf = ({ candidates }: LaneFacts, id: string | null | undefined): CandidateJson | undefined =>
  candidates.find((candidate) => candidate.id === id)

/** Of each generation but S0, with its Candidate and the one before it. */
const eachStep = (
  facts: LaneFacts,
  wrong: (step: {
    readonly now: LaneFacts["generations"][number]
    readonly before: LaneFacts["generations"][number]
    readonly candidate: CandidateJson
  }) => string | null
): ReadonlyArray<string> =>
  facts.generations.flatMap((now, index) => {
    const before = facts.generations[index - 1]
    if (before === undefined) return []
    const candidate = candidateOf(facts, now.candidateId)
    if (candidate === undefined) return [`S${now.generation} has no Candidate of the race`]
    const problem = wrong({ now, before, candidate })
    return problem === null ? [] : [`S${now.generation}: ${problem}`]
  })

/** I1: each generation is made on the commit before it. */
const onTheOneBefore: Law = (facts) =>
  eachStep(facts, ({ before, candidate, now }) => {
    const isOn = candidate.base_commit === before.commit && candidate.base_generation === before.generation
    const isIts = candidate.commit === now.commit && candidate.tree === now.tree
    return isOn && isIts && now.generation === before.generation + 1 ? null : "is not made on the one before"
  })

/** I2: its exact tree has passing rows of all that was required. */
const proven: Law = (facts) =>
  eachStep(facts, ({ candidate, now }) => {
    const passes = (checkId: string) =>
      facts.evidence.some(
        (row) =>
          row.checkId === checkId &&
          row.result === "pass" &&
          row.subject.candidateId === candidate.id &&
          row.tree === now.tree &&
          row.commit === now.commit
      )
    return ["build", "test"].every(passes) ? null : "has no passing evidence of its own tree"
  })

/** I3: what a Change holds is in canonical when it landed, and only then. */
const onlyWhatLanded: Law = ({ changes, files, generations, racers }) =>
  racers.flatMap(({ change, path }, index) => {
    const landed = generations.filter(({ changeId }) => changeId === change.id).length
    const isDone = changes[index]?.status === "completed"
    const isIn = files.includes(path)
    return landed <= 1 && isIn === (landed === 1) && isDone === isIn
      ? []
      : [`${path}: landed ${landed} times, ${isIn ? "in" : "not in"} canonical, ${changes[index]?.status}`]
  })

/** I4: nobody is rejected for a tree that never was canonical. */
const fairBlame: Law = (facts) =>
  facts.line.ended.flatMap((entry) => {
    if (entry.state !== "rejected") return []
    const candidate = candidateOf(facts, entry.candidateId)
    const wasCanonical = facts.generations.some(({ commit }) => commit === candidate?.base_commit)
    return candidate?.status === "rejected" && wasCanonical ? [] : [`${entry.id} was rejected on a prediction`]
  })

/** I5: it landed under the active Policy version. */
const underItsPolicy: Law = (facts) =>
  eachStep(facts, ({ candidate, now }) =>
    now.policyVersion === facts.policyVersion && candidate.plan_json?.policyVersion === facts.policyVersion
      ? null
      : `landed under Policy ${now.policyVersion}, planned under ${candidate.plan_json?.policyVersion}`
  )

/** I6: none lands before one that it is based on. */
const afterItsBase: Law = (facts) =>
  eachStep(facts, ({ before, candidate }) =>
    candidate.ahead === null || candidate.ahead === undefined || candidate.ahead === before.candidateId
      ? null
      : `${candidate.ahead} did not land before it`
  )

/** I7: nobody waits where nothing holds them. */
const nobodyWaits: Law = ({ line, racers }) => [
  ...line.entries.map(({ id, state }) => `${id} is still ${state}`),
  ...racers.flatMap(({ change }) =>
    line.ended.some(({ changeId }) => changeId === change.id) ? [] : [`${change.id} never entered`]
  )
]

/** I8: one entry per Change, and one Candidate of it that still counts. */
const oneEach: Law = ({ candidates, line, racers }) =>
  racers.flatMap(({ change: { id } }) => {
    const entries = line.ended.filter(({ changeId }) => changeId === id).length
    const counting = candidates.filter(({ changeId, status }) => changeId === id && status === "promoted").length
    const open = candidates.filter(
      ({ changeId, status }) => changeId === id && !["promoted", "rejected", "stale"].includes(status)
    )
    return entries <= 1 && counting <= 1 && open.length === 0
      ? []
      : [`${id} has ${entries} entries, ${counting} promoted and ${open.length} open Candidates`]
  })

/** I9: each end has a code. */
const codes: Law = ({ line }) =>
  line.ended.flatMap(({ id, outcome, state }) => (outcome?.code === undefined ? [`${id} ${state} without a code`] : []))

/** The most rows of a check whose runs were under way at one moment. */
const atOnce = ({ evidence }: LaneFacts, checkId: string): number => {
  const rows = evidence.filter((row) => row.checkId === checkId)
  return Math.max(
    0,
    ...rows.map(
      ({ startedAt }) => rows.filter((row) => row.startedAt <= startedAt && startedAt < row.finishedAt).length
    )
  )
}

/** What the server was given. */
export interface Means {
  readonly slots: number
  readonly builds: number
}

/** I10: no more runs at a time than there are slots, and no more builds than remained. */
const withinMeans =
  ({ builds, slots }: Means): Law =>
  (facts) => [
    ...(atOnce(facts, "test") <= slots ? [] : [`${atOnce(facts, "test")} checks ran at once, in ${slots} slots`]),
    ...(facts.builds <= builds ? [] : [`${facts.builds} builds, of ${builds}`])
  ]

/** All that is wrong with a lane that has ended; nothing, when it is as it must be. */
export const broken = (facts: LaneFacts, means: Means): ReadonlyArray<string> => {
  const laws: Readonly<Record<string, Law>> = {
    I1: onTheOneBefore,
    I2: proven,
    I3: onlyWhatLanded,
    I4: fairBlame,
    I5: underItsPolicy,
    I6: afterItsBase,
    I7: nobodyWaits,
    I8: oneEach,
    I9: codes,
    I10: withinMeans(means)
  }
  return Object.entries(laws).flatMap(([name, law]) => law(facts).map((problem) => `${name} ${problem}`))
}
