/** What is known of a lane, altered in one place, so that each of its laws is seen to find what it looks for. */
import type { CandidateJson } from "@pawl/server/api/RecordSchemas"
import type { Entry, LaneFacts } from "./LaneFacts.ts"

type Lie = (facts: LaneFacts) => LaneFacts

const elsewhere = "f".repeat(40)

const altered =
  (
    about: (candidate: CandidateJson, facts: LaneFacts) => boolean,
    alter: (candidate: CandidateJson) => CandidateJson
  ) =>
  (facts: LaneFacts): LaneFacts => ({
    ...facts,
    candidates: facts.candidates.map((candidate) => (about(candidate, facts) ? alter(candidate) : candidate))
  })

/** The Candidate of the newest generation. */
const isNewest = ({ id }: CandidateJson, { generations }: LaneFacts): boolean => generations.at(-1)?.candidateId === id

/** The Candidate that an entry was rejected for. */
const isRejected = ({ id }: CandidateJson, { line }: LaneFacts): boolean =>
  line.ended.some(({ candidateId, state }) => state === "rejected" && candidateId === id)

const withEnded = (facts: LaneFacts, alter: (entry: Entry) => Entry): LaneFacts => ({
  ...facts,
  line: { ...facts.line, ended: facts.line.ended.map(alter) }
})

/** Of a lane in which one was rejected and others landed: what each law must find, by its name. */
export const lies: ReadonlyArray<readonly [law: string, lie: Lie]> = [
  ["I1", altered(isNewest, (candidate) => ({ ...candidate, base_commit: elsewhere }))],
  ["I2", (facts) => ({ ...facts, evidence: facts.evidence.filter(({ checkId }) => checkId !== "test") })],
  ["I2", (facts) => ({ ...facts, evidence: facts.evidence.map((row) => ({ ...row, tree: elsewhere })) })],
  ["I3", (facts) => ({ ...facts, files: [] })],
  ["I3", (facts) => ({ ...facts, files: facts.racers.map(({ path }) => path) })],
  ["I4", altered(isRejected, (candidate) => ({ ...candidate, base_commit: elsewhere }))],
  ["I5", (facts) => ({ ...facts, policyVersion: facts.policyVersion + 1 })],
  ["I6", altered(isNewest, (candidate) => ({ ...candidate, ahead: candidate.id }))],
  ["I7", (facts) => ({ ...facts, line: { ...facts.line, entries: facts.line.ended.slice(0, 1) } })],
  ["I7", (facts) => ({ ...facts, line: { ...facts.line, ended: facts.line.ended.slice(1) } })],
  ["I8", (facts) => ({ ...facts, line: { ...facts.line, ended: [...facts.line.ended, ...facts.line.ended] } })],
  ["I8", altered(isRejected, (candidate) => ({ ...candidate, status: "verified" }))],
  ["I9", (facts) => withEnded(facts, ({ outcome: _, ...entry }) => entry)],
  ["I10", (facts) => ({ ...facts, builds: facts.builds + 1000 })],
  [
    "I10",
    (facts) => ({
      ...facts,
      evidence: facts.evidence.map((row) => ({ ...row, startedAt: facts.evidence[0]!.startedAt, finishedAt: "9999" }))
    })
  ]
]
