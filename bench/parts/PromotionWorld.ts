/** Projects whose Candidates are all verified and wait in line: the n-th is made on generation n. */
import { defaultPolicy, type Policy } from "@pawl/core/model/Policy"
import type { Candidate } from "@pawl/core/model/Candidate"
import type { Plan } from "@pawl/core/model/Plan"
import type { Change } from "@pawl/core/model/Change"
import type { Evidence } from "@pawl/core/model/Evidence"
import { insert, type Stored, update, type Write } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Chain } from "@pawl/core/model/Chain"
import { type Ask, type Snapshot, swapDecision, type SwapDecision } from "@pawl/core/promotion/Canonical"
import { policyFact } from "@pawl/core/provenance/Facts"
import { emptyChain, following } from "@pawl/core/provenance/Statements"
import type { Head } from "@pawl/core/model/Generation"
import { Effect } from "effect"

const hex = (n: number, length: number): string => n.toString(16).padStart(length, "0")
const uuid = (n: number): string => `${hex(n, 8)}-0000-4000-8000-000000000000`
const ulid = (n: number): string => hex(n, 26).toUpperCase()
const objectId = (n: number): string => hex(n + 1, 40)
export const now = "2030-01-01T00:00:00.000Z"
const actor = { type: "user", id: `usr_${uuid(1)}` } as const
export const ask: Ask = { actor, trigger: "user", now }

export const projectOf = (project: number): Head["projectId"] => `proj_${uuid(project)}`
/** A number of its own for each Candidate of each Project. */
const numberOf = (project: number, n: number): number => project * 1_000_000 + n

const policyOf = (project: number): Policy => ({
  projectId: projectOf(project),
  version: 1,
  ...defaultPolicy,
  updatedAt: now,
  updatedBy: actor.id
})

export const headOf = (project: number, generation: number): Head => ({
  projectId: projectOf(project),
  generation,
  commit: objectId(generation),
  tree: objectId(generation),
  syncedGeneration: 0
})

const changeOf = (project: number, n: number): Change => ({
  id: `chg_${uuid(numberOf(project, n))}`,
  projectId: projectOf(project),
  clientRequestId: `request-${n}`,
  goal: "Put a banner on the front page",
  status: "created",
  riskTier: "medium",
  budgetUsd: 5,
  spentUsd: 1.25,
  reservedUsd: 0,
  kind: "goal",
  createdBy: actor,
  createdAt: now,
  updatedAt: now,
  statusBeforePromoting: null,
  reason: null
})

const plan: Plan = {
  policyVersion: 1,
  riskTier: "medium",
  approvalRequired: false,
  checks: [
    { id: "build", kind: "build", title: "The app builds", required: true, timeoutMs: 60_000 },
    { id: "test", kind: "command", title: "The tests pass", command: "node --test", required: true, timeoutMs: 60_000 }
  ]
}

const candidateOf = (project: number, n: number): Candidate => {
  const id: Candidate["id"] = `cand_${hex(numberOf(project, n), 24)}`
  return {
    id,
    projectId: projectOf(project),
    changeId: changeOf(project, n).id,
    lineage: id,
    recomposition: 0,
    attempt: 1,
    baseGeneration: n,
    baseCommit: objectId(n),
    baseTree: objectId(n),
    ahead: null,
    changeSets: [],
    commit: objectId(n + 1),
    tree: objectId(n + 1),
    status: "composing",
    reason: null,
    conflicts: [],
    plan,
    score: null,
    forkDeletedAt: null,
    createdAt: now,
    updatedAt: now
  }
}

const evidenceOf = (project: number, n: number): ReadonlyArray<Evidence> =>
  plan.checks.map((check, at) => ({
    id: `evd_${ulid(numberOf(project, n) * 2 + at)}`,
    projectId: projectOf(project),
    subject: { candidateId: candidateOf(project, n).id },
    checkId: check.id,
    status: "checked_supported",
    result: "pass",
    commit: objectId(n + 1),
    tree: objectId(n + 1),
    outputKey: null,
    outputDigest: null,
    startedAt: now,
    finishedAt: now,
    runner: { isolation: "memory", version: "1", guarantees: [] },
    summary: "passed",
    attempt: 1
  }))

const toVerified = ["verifying", "verified"] as const
const toPromoting = ["compiling", "running", "verifying", "promoting"] as const

/** What a promoter of the n-th Candidate has read, when all before it are promoted. */
export const snapshotOf = (project: number, n: number): Snapshot => {
  const stored = <A>(record: A, revision: number): Stored<A> => ({ record, revision })
  return {
    candidate: stored({ ...candidateOf(project, n), status: "verified" }, toVerified.length + 1),
    change: stored(
      { ...changeOf(project, n), status: "promoting", statusBeforePromoting: "verifying" },
      toPromoting.length + 1
    ),
    head: stored(headOf(project, n), n + 1),
    policy: stored(policyOf(project), 1),
    decisions: {
      approvals: [],
      authors: new Set(),
      here: new Set(),
      signed: false,
      unsigned: new Set(),
      grounds: { of: new Map(), expects: [] }
    },
    evidence: evidenceOf(project, n),
    composedCommitExists: true,
    releasable: true,
    app: false,
    bundleStored: false,
    otherVerified: false,
    chain: chainAt(project, n),
    made: []
  }
}

/** The statements of a Project whose first n Candidates are promoted: that of its Policy, and one of each. */
const chainAt = (project: number, n: number): Stored<Chain> => {
  const known = chains.get(project) ?? [
    { record: following(firstChain(project), policyFact(policyOf(project)), now).chain, revision: 1 }
  ]
  chains.set(project, known)
  for (let at = known.length; at <= n; at++) known.push(chainAfter(swapDecision(snapshotOf(project, at - 1), ask)))
  return known[n]!
}

const chains = new Map<number, Array<Stored<Chain>>>()

const firstChain = (project: number): Chain => emptyChain(projectOf(project), now)

const chainAfter = (decision: SwapDecision): Stored<Chain> => {
  const writes = decision._tag === "Swap" ? (decision.commit.writes ?? []) : []
  const written = writes.find((each) => each._tag === "Update" && each.kind === "chain")
  if (written?._tag !== "Update" || written.kind !== "chain") throw new Error("the promotion says nothing in its chain")
  return { record: written.record, revision: written.revision + 1 }
}

/** A Change that is asked for, at work, with a Candidate that is composed. Nobody is there to hear of events: none are told. */
export const opening = (project: number, n: number): ReadonlyArray<Write> => {
  const change = changeOf(project, n)
  const walked = toPromoting.slice(0, -1)
  return [
    insert("candidate", candidateOf(project, n)),
    insert("change", change),
    ...walked.map((status, at) => update("change", { record: { ...change, status }, revision: at + 1 }, {}))
  ]
}

/** Its Candidate is verified, and the Change is being promoted. */
export const verifying = (project: number, n: number): ReadonlyArray<Write> => {
  const [change, candidate] = [changeOf(project, n), candidateOf(project, n)]
  const last = toPromoting.length - 1
  return [
    ...toVerified.map((status, at) => update("candidate", { record: { ...candidate, status }, revision: at + 1 }, {})),
    update("change", { record: { ...change, status: toPromoting[last]! }, revision: last + 1 }, {})
  ]
}

const line = (project: number, n: number): ReadonlyArray<Write> => [...opening(project, n), ...verifying(project, n)]

/** Puts the Projects and their lines of Candidates into the ledger. */
export const prepare = (projects: number, each: number) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    for (let project = 0; project < projects; project++) {
      const projectId = projectOf(project)
      const writes = [
        insert("head", headOf(project, 0)),
        insert("policy", policyOf(project)),
        insert("chain", chainAt(project, 0).record)
      ]
      yield* ledger.commit({ name: "Bench.project", projectId, writes })
      for (let n = 0; n < each; n += 20) {
        const some = Array.from({ length: Math.min(20, each - n) }, (_, at) => line(project, n + at)).flat()
        yield* ledger.commit({ name: "Bench.line", projectId, writes: some })
      }
    }
  })
