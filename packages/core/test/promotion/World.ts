/** A Project in a memory state, with Changes and Candidates made by hand: the ground for histories and explorations. */
import { noGrounds } from "@pawl/core/approval/Grounds"
import type { Candidate } from "@pawl/core/model/Candidate"
import { CandidateLifecycle } from "@pawl/core/model/CandidateLifecycle"
import type { Change } from "@pawl/core/model/Change"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import type { Lifecycle } from "@pawl/core/model/Lifecycle"
import type { Evidence } from "@pawl/core/model/Evidence"
import type { Approval } from "@pawl/core/model/Approval"
import { defaultPolicy } from "@pawl/core/model/Policy"
import * as Commit from "@pawl/core/ledger/Commit"
import * as Draft from "@pawl/core/ledger/Draft"
import { begin, say } from "@pawl/core/provenance/Chains"
import { policyFact, seedFact } from "@pawl/core/provenance/Facts"
import type { Kind, RecordOf } from "@pawl/core/model/Entities"
import { apply } from "@pawl/adapters-memory/MemoryCommit"
import { type MemoryState, empty, rowsOf } from "@pawl/adapters-memory/MemoryState"
import type { Snapshot } from "@pawl/core/promotion/Canonical"
import type { Generation } from "@pawl/core/model/Generation"
import { promotionFact } from "@pawl/core/promotion/PromotionFacts"
import { placeIn, tells } from "@pawl/core/provenance/Statements"
import { person } from "../kit/MemoryPawl.ts"

export const projectId = "proj_00000000-0000-4000-8000-000000000000" as const
export const now = "2026-01-01T00:00:00.000Z"
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
export const changeId = (n: number) => `chg_${uuid(n)}` as const
export const candidateId = (n: number) => `cand_${n.toString(16).padStart(24, "0")}` as const
const ulid = (n: number) => n.toString(16).toUpperCase().padStart(26, "0")
/** A tree or commit id; every number its own. */
export const objectId = (n: number) => n.toString(16).padStart(40, "0")

/** Applies a commit; a Conflict is answered, anything else that is not `Committed` is a broken test. */
export const commit = (state: MemoryState, wanted: Commit.Commit): boolean => {
  const ids = (wanted.events ?? []).map((_, index) => `evt_${ulid(state.position * 100 + index)}`)
  return apply(state, wanted, 0, ids)._tag === "Committed"
}

export const get = <K extends Kind>(state: MemoryState, kind: K, id: string): Commit.Stored<RecordOf<K>> | null =>
  (rowsOf(state, kind).get(id) as Commit.Stored<RecordOf<K>> | undefined) ?? null

export const must = <K extends Kind>(state: MemoryState, kind: K, id: string): Commit.Stored<RecordOf<K>> => {
  const found = get(state, kind, id)
  if (found === null) throw new Error(`no ${kind} ${id}`)
  return found
}

/** The commands that wait, without the one that signs statements: every world begins with that. */
export const commandsOf = (state: MemoryState): ReadonlyArray<string> =>
  [...state.commands.keys()].filter((id) => !id.startsWith("statement.sign:"))

/** The records of one Project, so that few are looked at. */
export const all = <K extends Kind>(state: MemoryState, kind: K): ReadonlyArray<Commit.Stored<RecordOf<K>>> =>
  [...rowsOf(state, kind).values()] as unknown as ReadonlyArray<Commit.Stored<RecordOf<K>>>

export const newWorld = (): MemoryState => {
  const state = empty()
  const policy = { projectId, version: 1, ...defaultPolicy, updatedAt: now, updatedBy: "system:default" }
  const seed: Generation = {
    projectId,
    generation: 0,
    commit: objectId(1),
    tree: objectId(1),
    candidateId: null,
    changeId: null,
    actor: person,
    trigger: "seed",
    policyVersion: 1,
    evidenceIds: [],
    approvalId: null,
    promotedAt: now
  }
  const draft = Draft.begin(projectId, person, now)
  Draft.insert(draft, "policy", policy)
  Draft.insert(draft, "policyVersion", policy)
  Draft.insert(draft, "generation", seed)
  Draft.insert(draft, "head", { projectId, generation: 0, commit: objectId(1), tree: objectId(1), syncedGeneration: 0 })
  begin(draft, projectId, policyFact(policy))
  commit(state, Draft.end(draft, { name: "World.new" }))
  const stated = Draft.begin(projectId, person, now)
  say(stated, must(state, "chain", projectId), () => seedFact(seed, policy))
  commit(state, Draft.end(stated, { name: "World.seed" }))
  return state
}

export interface CandidateSpec {
  readonly n: number
  readonly status: "verifying" | "verified"
  readonly approvalRequired?: boolean
  readonly result?: Evidence["result"]
}

const changeOf = (n: number, status: Change["status"]): Change => ({
  id: changeId(n),
  projectId,
  clientRequestId: String(n),
  goal: "a goal",
  status,
  riskTier: "medium",
  budgetUsd: 1,
  spentUsd: 0,
  reservedUsd: 0,
  kind: "goal",
  createdBy: person,
  createdAt: now,
  updatedAt: now,
  statusBeforePromoting: null,
  reason: null
})

const evidenceOf = (n: number, tree: string, result: Evidence["result"]): Evidence => ({
  id: `evd_${ulid(n)}`,
  projectId,
  subject: { candidateId: candidateId(n) },
  checkId: "test",
  status: result === "gap" ? "not_checked" : "checked_supported",
  result,
  commit: tree,
  tree,
  outputKey: null,
  outputDigest: null,
  startedAt: now,
  finishedAt: now,
  runner: { isolation: "memory", version: "1", guarantees: [] },
  summary: result,
  attempt: 1
})

/** Adds a Change with one Candidate on the head, with the evidence of its one check. Its tree is `100 + n`. */
export const addCandidate = (state: MemoryState, spec: CandidateSpec): void => {
  const head = must(state, "head", projectId).record
  const tree = objectId(100 + spec.n)
  const plan = {
    policyVersion: must(state, "policy", projectId).record.version,
    riskTier: spec.approvalRequired === true ? ("high" as const) : ("medium" as const),
    approvalRequired: spec.approvalRequired === true,
    checks: [{ id: "test", kind: "command" as const, title: "test", command: "true", required: true, timeoutMs: 1000 }]
  }
  const candidate: Candidate = {
    id: candidateId(spec.n),
    projectId,
    changeId: changeId(spec.n),
    lineage: candidateId(spec.n),
    recomposition: 0,
    attempt: 1,
    baseGeneration: head.generation,
    baseCommit: head.commit,
    baseTree: head.tree,
    ahead: null,
    changeSets: [],
    commit: tree,
    tree,
    status: "composing",
    reason: null,
    conflicts: [],
    plan,
    score: null,
    forkDeletedAt: null,
    createdAt: now,
    updatedAt: now
  }
  commit(state, {
    name: "World.candidate",
    projectId,
    writes: [
      Commit.insert("change", changeOf(spec.n, "created")),
      Commit.insert("candidate", candidate),
      Commit.insert("evidence", evidenceOf(spec.n, tree, spec.result ?? "pass"))
    ]
  })
  advance(state, spec)
}

/** Takes the Change and the Candidate along their lives to where the spec wants them, and tells the events of each step. */
const advance = (state: MemoryState, spec: CandidateSpec): void => {
  const step = (lifecycle: Lifecycle<string, string>, kind: "change" | "candidate", id: string, status: string) => {
    const stored = must(state, kind, id)
    const row = lifecycle.rows.find((each) => each.from === stored.record.status && each.to === status)
    const events = (row?.emits ?? []).map((type) => ({ type, subject: id, data: {}, actor: person }))
    const writes = [Commit.update(kind, stored, { status } as never)]
    commit(state, { name: "World.step", projectId, writes, events })
  }
  step(ChangeLifecycle, "change", changeId(spec.n), "running")
  step(ChangeLifecycle, "change", changeId(spec.n), "verifying")
  step(CandidateLifecycle, "candidate", candidateId(spec.n), "verifying")
  if (spec.status === "verified") step(CandidateLifecycle, "candidate", candidateId(spec.n), "verified")
}

export const approvalOf = (n: number, decision: Approval["decision"], tree: string): Approval => ({
  id: `apr_${ulid(n)}`,
  projectId,
  candidateId: candidateId(n),
  changeId: changeId(n),
  tree,
  decision,
  approver: person.id,
  decidedAt: now
})

/** Everyone is still there. */
const decisionsOf = (state: MemoryState, n: number): Snapshot["decisions"] => {
  const approvals = all(state, "approval").filter((each) => each.record.candidateId === candidateId(n))
  return {
    approvals,
    authors: new Set([must(state, "change", changeId(n)).record.createdBy.id]),
    here: new Set(approvals.map(({ record }) => record.approver)),
    signed: false,
    unsigned: new Set(),
    grounds: noGrounds
  }
}

/** What a promoter reads. */
export const snapshotOf = (state: MemoryState, n: number): Snapshot => {
  const candidate = must(state, "candidate", candidateId(n))
  const head = must(state, "head", projectId)
  return {
    candidate,
    head,
    change: must(state, "change", changeId(n)),
    policy: must(state, "policy", projectId),
    decisions: decisionsOf(state, n),
    evidence: all(state, "evidence")
      .map((each) => each.record)
      .filter((each) => each.subject.candidateId === candidateId(n)),
    composedCommitExists: true,
    releasable: false,
    app: false,
    bundleStored: false,
    otherVerified: false,
    chain: get(state, "chain", projectId),
    made: candidate.record.made ?? []
  }
}

/** That every generation has its statement, and each statement follows on the one before it. */
const brokenChain = (state: MemoryState, line: ReadonlyArray<Generation>): string | null => {
  const chain = must(state, "chain", projectId).record
  const statements = all(state, "statement")
    .map((each) => each.record)
    .toSorted((a, b) => a.entry - b.entry)
  for (const [index, { entry, payload }] of statements.entries()) {
    if (entry !== index) return `entry ${index} is missing`
    const before = statements[index - 1]?.digest ?? null
    if ((placeIn(payload).previous?.sha256 ?? null) !== before) return `entry ${entry} does not follow on ${before}`
  }
  if (chain.size !== statements.length || chain.digest !== statements.at(-1)?.digest) return "the chain ends elsewhere"
  const told = statements.filter(({ kind }) => kind === "promotion")
  if (told.map(({ generation }) => generation).join() !== line.map(({ generation }) => generation).join())
    return `statements tell of ${told.map(({ generation }) => generation).join()}`
  const [newest, step] = [told.at(-1)!, line.at(-1)!]
  return step.generation === 0 || tells(newest, anew(state, step)) ? null : `S${step.generation} is told otherwise`
}

/** What the records of a generation tell. */
const anew = (state: MemoryState, step: Generation) => {
  const candidate = must(state, "candidate", step.candidateId ?? "").record
  const approvals = all(state, "approval").map((each) => each.record)
  const promoted = {
    step,
    candidate,
    change: must(state, "change", candidate.changeId).record,
    made: candidate.made ?? [],
    policy: must(state, "policyVersion", `${projectId}/${step.policyVersion}`).record,
    evidence: all(state, "evidence").flatMap(({ record }) =>
      record.subject.candidateId === candidate.id ? [record] : []
    ),
    approvals: (step.approvalIds ?? []).flatMap((id) => approvals.find((each) => each.id === id) ?? []),
    grounds: noGrounds.of
  }
  return promotionFact(promoted, candidate.plan!)
}

/** What must hold in every state; null when it does. */
export const brokenLine = (state: MemoryState): string | null => {
  const line = all(state, "generation")
    .map((each) => each.record)
    .toSorted((a, b) => a.generation - b.generation)
  const head = must(state, "head", projectId).record
  for (const [index, step] of line.entries()) if (step.generation !== index) return `generation ${index} is missing`
  const last = line.at(-1)!
  if (last.generation !== head.generation || last.tree !== head.tree) return "the head is not the last generation"
  for (const step of line.slice(1)) {
    const candidate = get(state, "candidate", step.candidateId ?? "")?.record
    if (candidate === undefined) return `generation ${step.generation} has no Candidate`
    if (candidate.status !== "promoted") return `the Candidate of generation ${step.generation} is ${candidate.status}`
    if (candidate.tree !== step.tree) return `generation ${step.generation} is not the verified tree`
    if (candidate.baseGeneration !== step.generation - 1) return `generation ${step.generation} skips its base`
    if (candidate.baseCommit !== line[step.generation - 1]!.commit)
      return `generation ${step.generation} was made on another commit than the one before it`
    const proof = all(state, "evidence").find((each) => each.record.id === step.evidenceIds[0])?.record
    if (proof === undefined || proof.result !== "pass" || proof.tree !== step.tree)
      return `generation ${step.generation} has no passing evidence`
    const approval = get(state, "approval", candidate.id)?.record
    if (approval?.decision === "rejected") return `generation ${step.generation} was rejected`
    if (candidate.plan?.approvalRequired === true && approval?.tree !== step.tree)
      return `generation ${step.generation} owes an approval`
  }
  const unstated = brokenChain(state, line)
  if (unstated !== null) return unstated
  const winners = all(state, "candidate").filter((each) => each.record.status === "promoted").length
  return winners === line.length - 1 ? null : `${winners} promoted Candidates for ${line.length - 1} generations`
}
