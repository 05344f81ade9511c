/** What holds of a lane (I1 to I9 of its design), on what is stored: after each commit, and at the end. */
import type { MemoryState } from "@pawl/adapters-memory/MemoryState"
import { rowsOf } from "@pawl/adapters-memory/MemoryState"
import type { Candidate } from "@pawl/core/model/Candidate"
import { generationKey, type Kind, type RecordOf } from "@pawl/core/model/Entities"
import type { Generation } from "@pawl/core/model/Generation"
import { type LaneEntry, openStatuses } from "@pawl/core/model/LaneEntry"

/** All records of a kind, oldest first. */
export const allOf = <K extends Kind>(state: MemoryState, kind: K): ReadonlyArray<RecordOf<K>> =>
  Array.from(rowsOf(state, kind).values(), ({ record }) => record as RecordOf<K>)

const isOpen = ({ status }: LaneEntry): boolean => openStatuses.some((open) => open === status)
const inFlight = ({ status }: Candidate): boolean => ["composing", "verifying", "verified"].includes(status)

/** I8, which is of every moment: null while each Change has one open entry, and each entry one open Candidate. */
export const twoOfOne = (entries: ReadonlyArray<LaneEntry>, candidates: ReadonlyArray<Candidate>): string | null => {
  const open = entries.filter(isOpen).map(({ changeId }) => changeId)
  const busy = candidates.flatMap((each) => (open.includes(each.changeId) && inFlight(each) ? [each.changeId] : []))
  if (new Set(open).size < open.length) return `I8: of ${open.join(", ")} one has two open entries`
  return new Set(busy).size < busy.length ? `I8: of ${busy.join(", ")} one has two open Candidates` : null
}

/** I5: the Policy's version that was active when a generation was written. */
const activeVersion = (state: MemoryState, { generation, projectId }: Generation): number => {
  const at = rowsOf(state, "generation").get(generationKey(projectId, generation))?.position ?? 0
  const before = Array.from(rowsOf(state, "policyVersion").values()).filter(({ position }) => position < at)
  return Math.max(...before.map(({ record }) => (record as RecordOf<"policyVersion">).version))
}

const lineOf = (state: MemoryState) => allOf(state, "generation").toSorted((a, b) => a.generation - b.generation)

/** I1, I2, I5, I6: each generation by its Candidate. */
const brokenStep = (state: MemoryState, before: Generation, step: Generation): string | null => {
  const candidate = allOf(state, "candidate").find(({ id }) => id === step.candidateId)
  if (candidate?.status !== "promoted" || candidate.tree !== step.tree)
    return `I2: S${step.generation} was not verified`
  if (candidate.baseCommit !== before.commit || candidate.baseGeneration !== before.generation)
    return `I1: S${step.generation} is not made on S${before.generation}`
  if ((candidate.ahead ?? null) !== null && candidate.ahead !== before.candidateId)
    return `I6: S${step.generation} landed before ${candidate.ahead}`
  const active = activeVersion(state, step)
  if (candidate.plan?.policyVersion !== active || step.policyVersion !== active)
    return `I5: S${step.generation} was planned under Policy ${candidate.plan?.policyVersion}, active was ${active}`
  const proofs = allOf(state, "evidence").filter(({ id }) => step.evidenceIds.includes(id))
  const required = candidate.plan?.checks.filter((check) => check.required).map(({ id }) => id) ?? []
  const proved = (id: string) =>
    proofs.some(({ checkId, result, tree }) => checkId === id && result === "pass" && tree === step.tree)
  return required.length > 0 && required.every(proved) ? null : `I2: S${step.generation} has no evidence for its tree`
}

/** I4 and I9: how each entry ended. */
const brokenEnd = (state: MemoryState, entry: LaneEntry): string | null => {
  if (isOpen(entry)) return null
  const { candidateId, endedAt, id, outcome, status } = entry
  if (outcome === null || endedAt === null) return `I9: ${id} is ${status} without a code`
  const candidate = allOf(state, "candidate").find((each) => each.id === candidateId)
  const line = lineOf(state)
  if (status === "landed" && !line.some((step) => step.candidateId === candidateId)) return `I3: ${id} landed nowhere`
  if (status !== "rejected") return null
  const base = line[candidate?.baseGeneration ?? -1]
  return base?.commit === candidate?.baseCommit ? null : `I4: ${id} was rejected on what never was canonical`
}

/** Who was taken out by a person, and did not come back, went out by nobody else's wish. */
const brokenWayOut = (state: MemoryState, { changeId, id, outcome }: LaneEntry): string | null => {
  const last = allOf(state, "laneEntry").findLast((each) => each.changeId === changeId)
  if (outcome?.code !== "withdrawn" || last?.id !== id) return null
  const step = lineOf(state).find((each) => each.changeId === changeId && each.trigger === "auto")
  return step === undefined ? null : `I3: ${id} was taken out, and became S${step.generation} by itself`
}

/** What is wrong with a lane that has come to its end; null when nothing is. `held`: it waits for people. */
export const brokenLaws = (state: MemoryState, held: boolean): string | null => {
  const line = lineOf(state)
  const head = allOf(state, "head")[0]
  if (head?.commit !== line.at(-1)?.commit) return "I1: the head is not the last generation"
  for (const [index, step] of line.entries()) {
    if (step.generation !== index) return `I1: S${index} is missing`
    const problem = index === 0 ? null : brokenStep(state, line[index - 1]!, step)
    if (problem !== null) return problem
  }
  for (const entry of allOf(state, "laneEntry")) {
    const problem = brokenEnd(state, entry)
    if (problem !== null) return problem
    const out = brokenWayOut(state, entry)
    if (out !== null) return out
    if (isOpen(entry) && !held) return `I7: ${entry.id} is ${entry.status}, and nothing happens any more`
  }
  const idle = allOf(state, "candidate").find(({ status }) => status === "composing" || status === "verifying")
  return idle === undefined || held ? null : `I7: ${idle.id} is ${idle.status}, and nothing happens any more`
}

/** I3: a Change whose file canonical holds has landed. `files`: those of canonical; `by`: a file of each Change. */
export const brokenHoldings = (
  state: MemoryState,
  files: ReadonlySet<string>,
  by: ReadonlyMap<string, string>
): string | null => {
  const landed = new Set(lineOf(state).map(({ changeId }) => changeId as string | null))
  for (const [changeId, file] of by)
    if (files.has(file) && !landed.has(changeId)) return `I3: canonical holds ${file}, and ${changeId} did not land`
  return null
}
