/** The rows of a world of the lane as the program reads them, so that its own functions decide. */
import { noGrounds } from "@pawl/core/approval/Grounds"
import { user } from "@pawl/core/model/Actor"
import type { Approval } from "@pawl/core/model/Approval"
import type { Candidate } from "@pawl/core/model/Candidate"
import type { Change } from "@pawl/core/model/Change"
import type { Evidence } from "@pawl/core/model/Evidence"
import type { Lane } from "@pawl/core/model/Lane"
import { defaultPolicy, type Policy } from "@pawl/core/model/Policy"
import type { Ask, Snapshot } from "@pawl/core/promotion/Canonical"
import { type Happenings, nameOf, projectId, type World } from "./LaneWorld.ts"

/** Who promotes, and the only moment that there is. */
export const ask: Ask = {
  actor: user("usr_00000000-0000-4000-8000-000000000001"),
  trigger: "user",
  now: "2026-01-01T00:00:00.000Z"
}
const { now } = ask

const stored = <A>(record: A) => ({ record, revision: 1 })

/** Rows whose other fields nothing here looks at. */
const policyOf = ({ frozen, policyVersion }: World): Policy => ({
  ...defaultPolicy,
  projectId,
  version: policyVersion,
  lane: { mode: "on" },
  updatedAt: now,
  updatedBy: ask.actor.id,
  ...(frozen ? { freezes: [{ from: now, until: "2026-01-02T00:00:00.000Z", reason: "a freeze" }] } : {})
})

const planOf = (policyVersion: number, approvalRequired: boolean): NonNullable<Candidate["plan"]> => ({
  policyVersion,
  riskTier: "low",
  approvalRequired,
  checks: [{ id: "test", kind: "command", title: "test", command: "test", required: true, timeoutMs: 1 }]
})

const candidateOf = (world: World, happenings: Happenings, index: number): Candidate => {
  const seen = world.members[index]!.candidate!
  const plan = seen.policyVersion === null ? null : planOf(seen.policyVersion, happenings.approvals && index === 0)
  return {
    id: seen.id,
    projectId,
    changeId: changeIdOf(index),
    status: seen.status,
    baseGeneration: seen.base.generation,
    baseCommit: seen.base.commit,
    baseTree: seen.base.tree,
    commit: seen.made?.commit ?? null,
    tree: seen.made?.tree ?? null,
    plan,
    changeSets: [],
    recomposition: 0,
    attempt: 1,
    prediction: 0
  } as unknown as Candidate
}

const changeIdOf = (index: number): Change["id"] => `chg_${nameOf(index)}` as Change["id"]

/** One that may be promoted by hand is asked for in the same moment. */
const changeOf = (world: World, index: number, status: Change["status"]): Change =>
  ({
    ...world.members[index]!.change,
    id: changeIdOf(index),
    projectId,
    status,
    statusBeforePromoting: status === "promoting" ? "verifying" : null,
    promotingCandidateId: null,
    kind: "goal",
    createdBy: ask.actor
  }) as unknown as Change

/** Of a check that ran on its tree: what is known of that. */
const evidenceOf = (world: World, candidate: Candidate): ReadonlyArray<Evidence> => {
  const known = world.known[candidate.tree ?? ""]
  if (known === undefined || candidate.commit === null || candidate.tree === null) return []
  const row = {
    id: `evd_${candidate.id}`,
    projectId,
    subject: { candidateId: candidate.id },
    checkId: "test",
    status: known ? "checked_supported" : "checked_unsupported",
    result: known ? "pass" : "fail",
    commit: candidate.commit,
    tree: candidate.tree,
    outputKey: null,
    outputDigest: null,
    startedAt: now,
    finishedAt: now,
    runner: { isolation: "memory", version: "1", guarantees: [] },
    summary: "",
    attempt: 1
  }
  return [row as unknown as Evidence]
}

const approvalOf = ({ changeId, id, tree }: Candidate): Approval =>
  ({
    id: `apr_${id}`,
    projectId,
    candidateId: id,
    changeId,
    tree,
    decision: "granted",
    approver: ask.actor.id,
    decidedAt: now
  }) as unknown as Approval

const laneOf = ({ heldAt, paused }: World): Lane => ({
  projectId,
  state: paused ? "paused" : "running",
  pausedBy: null,
  reason: null,
  nextTicket: 9,
  seen: 0,
  decided: [],
  heldAt,
  updatedAt: now
})

/** What a promoter reads of an entry's Candidate, which must be there. */
export const snapshotOf = (
  world: World,
  happenings: Happenings,
  index: number,
  status: Change["status"] = "promoting"
): Snapshot => {
  const { change, entry } = world.members[index]!
  const candidate = candidateOf(world, happenings, index)
  const granted = world.approved.includes(candidate.tree ?? "") ? [stored(approvalOf(candidate))] : []
  return {
    candidate: stored(candidate),
    change: stored(changeOf(world, index, status)),
    head: stored({ ...world.head, projectId, syncedGeneration: world.head.generation }),
    policy: stored(policyOf(world)),
    decisions: {
      approvals: granted,
      authors: new Set(),
      here: new Set([ask.actor.id]),
      signed: false,
      unsigned: new Set(),
      grounds: noGrounds
    },
    evidence: evidenceOf(world, candidate),
    composedCommitExists: true,
    releasable: false,
    app: false,
    bundleStored: false,
    otherVerified: false,
    chain: null,
    ...(change.laneEntryId === undefined
      ? {}
      : {
          inLane: {
            lane: stored(laneOf(world)),
            entry: stored({ ...entry, candidateId: candidate.id }),
            rollback: null
          }
        }),
    made: []
  }
}
