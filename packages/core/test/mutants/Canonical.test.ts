import { expect, it } from "vitest"
import { noGrounds } from "@pawl/core/approval/Grounds"
import type { Approval } from "@pawl/core/model/Approval"
import type { Candidate } from "@pawl/core/model/Candidate"
import type { Change } from "@pawl/core/model/Change"
import * as Commit from "@pawl/core/ledger/Commit"
import { copy, type MemoryState } from "@pawl/adapters-memory/MemoryState"
import type * as Canonical from "@pawl/core/promotion/Canonical"
import { person } from "../kit/MemoryPawl.ts"
import {
  addCandidate,
  approvalOf,
  brokenLine,
  candidateId,
  changeId,
  commit,
  commandsOf,
  must,
  newWorld,
  now,
  objectId,
  projectId,
  snapshotOf
} from "../promotion/World.ts"
import { mutations } from "./CanonicalMutations.ts"
import { differing, survivors } from "./Mutants.ts"

type Snapshot = Canonical.Snapshot
type Rules = typeof Canonical

const ask = { actor: person, trigger: "user" as const, now }
const tree = objectId(101)

/** A verified Candidate whose Change is promoting, as the ledger keeps it. */
const ground = (): MemoryState => {
  const state = newWorld()
  addCandidate(state, { n: 1, status: "verified" })
  const write = Commit.update("change", must(state, "change", changeId(1)), {
    status: "promoting",
    statusBeforePromoting: "verifying"
  })
  const type = "canonical.promotion.requested" as const
  const events = [{ type, subject: candidateId(1), data: {}, actor: person }]
  commit(state, { name: "test.promoting", projectId, writes: [write], events })
  return state
}
const good: Snapshot = snapshotOf(ground(), 1)

const withCandidate = (fields: Partial<Candidate>, from = good): Snapshot => ({
  ...from,
  candidate: { ...from.candidate, record: { ...from.candidate.record, ...fields } }
})
const withChange = (fields: Partial<Change>): Snapshot => ({
  ...good,
  change: { ...good.change, record: { ...good.change.record, ...fields } }
})
const withPlan = (fields: Partial<NonNullable<Candidate["plan"]>>): Snapshot =>
  withCandidate({ plan: { ...good.candidate.record.plan!, ...fields } })
const anybody = { has: () => true } as unknown as ReadonlySet<string>
const decidedBy = (
  snapshot: Snapshot,
  ...rows: ReadonlyArray<Partial<Approval> & Pick<Approval, "decision">>
): Snapshot => ({
  ...snapshot,
  decisions: {
    approvals: rows.map((row, index) => ({
      record: { ...approvalOf(1, row.decision, tree), ...row, ...(index === 0 ? {} : { nth: index + 1 }) },
      revision: 1
    })),
    authors: new Set([person.id]),
    here: anybody,
    signed: false,
    unsigned: new Set(),
    grounds: noGrounds
  }
})
const approved = (snapshot: Snapshot, decision: "granted" | "rejected", of = tree): Snapshot =>
  decidedBy(snapshot, { decision, tree: of })
const withPolicy = (fields: Partial<Snapshot["policy"]["record"]>, from = good): Snapshot => ({
  ...from,
  policy: { ...from.policy, record: { ...from.policy.record, ...fields } }
})
const failing: Snapshot = { ...good, evidence: good.evidence.map((each) => ({ ...each, result: "fail" as const })) }
const owing = withPlan({ approvalRequired: true })
const tiered = withPolicy({ approvalRiskTiers: ["medium"] })
const untiered = withPolicy({ approvalRiskTiers: [] })
const rollback = withChange({ kind: "rollback" })
const optional = withPlan({
  checks: good.candidate.record.plan!.checks.map((each) => ({ ...each, required: false }))
})
const behind: Snapshot = { ...good, head: { ...good.head, record: { ...good.head.record, generation: 7 } } }
const ahead = withCandidate({ baseGeneration: 7 })
const otherBase = withCandidate({ baseTree: objectId(9) })
const otherCommit = withCandidate({ baseCommit: objectId(9) })

/** Approved by somebody, under a Policy that forbids the author to. */
const strict = (approver: string): Snapshot =>
  decidedBy(withPolicy({ allowSelfApproval: false }, owing), { decision: "granted", approver })
const two = withPolicy({ approvalsRequired: 2 }, owing)
const by = (approver: string) => ({ decision: "granted" as const, approver })
const leaving = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  decisions: { ...snapshot.decisions, here: new Set() }
})
/** Its check runs with the base's form of a file too, and nobody saw that pass. */
const unkept = withPolicy(
  { approvalRiskTiers: ["high"] },
  withPlan({
    checks: [
      ...good.candidate.record.plan!.checks,
      {
        ...good.candidate.record.plan!.checks[0]!,
        id: "test@base",
        required: false,
        base: { check: "test", globs: ["test/**"], paths: ["test/a.js"], count: 1 }
      }
    ]
  })
)
const unread = withCandidate({ plan: { ...unkept.candidate.record.plan!, riskTier: "unknown" } }, unkept)
const built = withPlan({
  checks: good.candidate.record.plan!.checks.map((each) => ({ ...each, kind: "build" as const }))
})

const detailOf = ({ blocksOf }: Rules, snapshot: Snapshot): string => blocksOf(snapshot, ask.now)[0]?.detail ?? ""

const blocked = (rules: Rules): string | null => {
  const { blocksOf } = rules
  const codes = (snapshot: Snapshot) => blocksOf(snapshot, ask.now).map((block) => block.code)
  return differing([
    ["nothing blocks what is verified", codes(untiered), []],
    ["only what is verified", codes(withCandidate({ status: "verifying" }, untiered)), ["candidate_not_verified"]],
    ["only on the head", codes(behind), ["base_behind"]],
    ["only on the commit of the head", codes(otherCommit), ["base_behind"]],
    ["only on what is there", codes(ahead), ["base_ahead"]],
    ["only what was planned", codes(withCandidate({ plan: null })), ["check_gap", "composed_commit_missing"]],
    ["only what has a commit", codes(withCandidate({ commit: null })), ["check_gap", "composed_commit_missing"]],
    ["only what has a tree", codes(withCandidate({ tree: null })), ["check_gap", "composed_commit_missing"]],
    ["only with passing checks", codes(failing), ["check_gap"]],
    ["only with evidence", codes({ ...good, evidence: [] }), ["check_gap"]],
    ["whatever optional checks say", codes({ ...optional, evidence: failing.evidence }), []],
    ["only under the active Policy", codes(withPolicy({ version: 2 })), ["policy_version_mismatch"]],
    ["only what is in the fork", codes({ ...good, composedCommitExists: false }), ["composed_commit_missing"]],
    ["never what was rejected", codes(approved(good, "rejected")), ["approval_rejected"]],
    ["rejected is not missing", codes(approved(owing, "rejected")), ["approval_rejected"]],
    ["only when approved, by plan", codes(owing), ["approval_missing"]],
    ["only when approved, by Policy", codes(tiered), ["approval_missing"]],
    [
      "by plan, whatever the checks showed",
      codes(withPolicy({ approvalRiskTiers: ["unknown"] }, unread)),
      ["approval_missing"]
    ],
    ["what no longer keeps an old promise, too", codes(unkept), ["approval_missing"]],
    ["whatever is left of the old promise's row", codes(withPolicy({ approvalRiskTiers: [] }, unkept)), []],
    ["only that tree", codes(approved(owing, "granted", objectId(9))), ["approval_missing"]],
    ["what is approved", codes(approved(owing, "granted")), []],
    ["by another than its author, where a Policy says so", codes(strict(person.id)), ["approval_missing"]],
    ["by another than its author, where a Policy says so, and no more", codes(strict("usr_another")), []],
    ["by as many as the Policy asks for", codes(decidedBy(two, by("usr_1"), by("usr_2"))), []],
    ["by no fewer", codes(decidedBy(two, by("usr_1"))), ["approval_missing"]],
    ["and it says how many are missing", detailOf(rules, decidedBy(two, by("usr_1"))).split(" granted")[0], "1 of 2"],
    ["each another person", codes(decidedBy(two, by("usr_1"), by("usr_1"))), ["approval_missing"]],
    ["one rejection is enough", codes(decidedBy(two, by("usr_1"), { decision: "rejected" })), ["approval_rejected"]],
    ["who has left does not count", codes(leaving(approved(owing, "granted"))), ["approval_missing"]],
    ["but who rejected it did", codes(leaving(approved(owing, "rejected"))), ["approval_rejected"]],
    ["an app only with its build", codes({ ...good, app: true }), ["check_gap"]],
    ["an app with its build", codes({ ...built, app: true }), []],
    ["a rollback serves what was built", codes({ ...rollback, app: true, bundleStored: true }), []],
    ["while that is stored", codes({ ...rollback, app: true }), ["check_gap"]],
    ["a rollback without an app needs no bundle", codes(rollback), []],
    ["no other Change serves what was built", codes({ ...good, app: true, bundleStored: true }), ["check_gap"]],
    [
      "all blocks at once",
      codes(
        approved(
          { ...withCandidate({ status: "stale", baseCommit: objectId(9) }, failing), composedCommitExists: false },
          "rejected"
        )
      ),
      ["candidate_not_verified", "base_behind", "check_gap", "composed_commit_missing", "approval_rejected"]
    ]
  ])
}

/** What a decision comes to: its tag, and the status of the Change that its commit writes. */
const outcome = (decision: Canonical.SwapDecision): string => {
  if (decision._tag === "AlreadyPromoted") return decision._tag
  const write = decision.commit?.writes?.find((each) => each.kind === "change" && each._tag === "Update")
  const status = write?.kind === "change" && write._tag === "Update" ? write.record.status : "-"
  return `${decision._tag} ${status}`
}

const decided = ({ swapDecision }: Rules): string | null => {
  const of = (snapshot: Snapshot) => outcome(swapDecision(snapshot, ask))
  return differing([
    ["swaps", of(good), "Swap completed"],
    ["swaps, and releases", of({ ...good, releasable: true }), "Swap releasing"],
    ["says what is done", of(withCandidate({ status: "promoted", baseGeneration: 7 })), "AlreadyPromoted"],
    ["finds it stale by its generation", of(behind).split(" ")[0], "Stale"],
    ["finds it stale by its commit", of(otherCommit).split(" ")[0], "Stale"],
    ["waits for a base that may come", of(ahead), "Blocked verifying"],
    ["finds it stale by its tree", of(otherBase).split(" ")[0], "Stale"],
    ["leaves stale what is stale", of(withCandidate({ status: "stale" })).split(" ")[0], "Stale"],
    [
      "only what was verified becomes stale",
      of(withCandidate({ status: "verifying", baseCommit: objectId(9) })).split(" ")[0],
      "Blocked"
    ],
    ["refuses, and the Change goes back", of(failing), "Blocked verifying"],
    ["to where it was", of({ ...withChange({ statusBeforePromoting: "running" }), evidence: [] }), "Blocked running"],
    ["or to verifying", of({ ...withChange({ statusBeforePromoting: null }), evidence: [] }), "Blocked verifying"],
    ["leaves a Change that is not promoting", of({ ...withChange({ status: "running" }), evidence: [] }), "Blocked -"],
    [
      "leaves a Change to the Candidate that it promotes",
      of({ ...withChange({ promotingCandidateId: candidateId(2) }), evidence: [] }),
      "Blocked -"
    ],
    [
      "waits for the Candidate that its Change promotes",
      of(withChange({ promotingCandidateId: candidateId(2) })),
      "Busy -"
    ],
    ["swaps for no Change that is not promoting", of(withChange({ status: "running" })), "Blocked -"],
    [
      "whatever it promoted before",
      of(withChange({ status: "running", promotingCandidateId: candidateId(2) })),
      "Blocked -"
    ]
  ])
}

/** Whether the swap still holds after something that it relied on has moved. */
const holdsAfter = (rules: Rules, ...moves: ReadonlyArray<Commit.Write>): boolean => {
  const state = copy(ground())
  const decision = rules.swapDecision(snapshotOf(state, 1), ask)
  if (decision._tag !== "Swap") throw new Error(`it is ${decision._tag}`)
  commit(state, { name: "test.moves", projectId, writes: moves })
  return commit(state, decision.commit)
}

const guarded = (rules: Rules): string | null => {
  const state = ground()
  const head = must(state, "head", projectId)
  return differing([
    ["it holds when nothing moved", holdsAfter(rules), true],
    ["not after a new Policy", holdsAfter(rules, Commit.update("policy", must(state, "policy", projectId), {})), false],
    ["not after a decision", holdsAfter(rules, Commit.insert("approval", approvalOf(1, "rejected", tree))), false],
    ["not after another swap", holdsAfter(rules, Commit.update("head", head, {})), false],
    ["not after the Candidate moved", holdsAfter(rules, Commit.update("candidate", good.candidate, {})), false],
    ["not after the Change moved", holdsAfter(rules, Commit.update("change", good.change, {})), false]
  ])
}

const approvedSwap = (rules: Rules): string | null => {
  const state = copy(ground())
  commit(state, {
    name: "test.approve",
    projectId,
    writes: [Commit.insert("approval", approvalOf(1, "granted", tree))]
  })
  const decision = rules.swapDecision(snapshotOf(state, 1), ask)
  if (decision._tag !== "Swap") return `an approved Candidate is ${decision._tag}`
  const approval = must(state, "approval", candidateId(1))
  commit(state, {
    name: "test.moves",
    projectId,
    writes: [Commit.update("approval", approval, { decision: "rejected" })]
  })
  if (commit(state, decision.commit)) return "it holds after the approval was taken back"
  const step = decision.commit.writes?.find((each) => each.kind === "generation" && each._tag === "Insert")
  const kept = step?.kind === "generation" && step._tag === "Insert" ? step.record : null
  const told = decision.commit.events?.find(({ type }) => type === "canonical.advanced")?.data
  return differing([
    [
      "the generation keeps its approval",
      [kept?.approvalId, kept?.approvalIds],
      [approval.record.id, [approval.record.id]]
    ],
    ["and tells it", [told?.["approvalId"], told?.["approvalIds"]], [approval.record.id, [approval.record.id]]],
    ["not after a second decision", secondDecision(rules), false],
    ["nor one on the Candidate that its approval was derived from", carriedSwap(rules), false]
  ])
}

/** Whether a swap holds after somebody decided on the Candidate that what allowed it was derived from. */
const carriedSwap = (rules: Rules): boolean => {
  const state = copy(ground())
  const read = snapshotOf(state, 1)
  const grounds = { of: new Map(), expects: [Commit.absent("approval", candidateId(9))] }
  const decision = rules.swapDecision({ ...read, decisions: { ...read.decisions, grounds } }, ask)
  if (decision._tag !== "Swap") throw new Error(`it is ${decision._tag}`)
  const writes = [Commit.insert("approval", approvalOf(9, "rejected", tree))]
  return commit(state, { name: "test.moves", projectId, writes }) && commit(state, decision.commit)
}

/** Whether a swap that one approval allowed holds after somebody else decided too. */
const secondDecision = (rules: Rules): boolean => {
  const state = copy(ground())
  const write = (record: Approval) =>
    commit(state, { name: "test.approve", projectId, writes: [Commit.insert("approval", record)] })
  write(approvalOf(1, "granted", tree))
  const decision = rules.swapDecision(snapshotOf(state, 1), ask)
  if (decision._tag !== "Swap") throw new Error(`it is ${decision._tag}`)
  write({ ...approvalOf(2, "rejected", tree), candidateId: candidateId(1), changeId: changeId(1), nth: 2 })
  return commit(state, decision.commit)
}

/** What is stored of a Candidate that a promotion finds behind: canonical has another tree than it was made on. */
const stale = (rules: Rules): string | null => {
  const state = copy(ground())
  commit(state, {
    name: "test.altered",
    projectId,
    writes: [Commit.update("head", must(state, "head", projectId), { tree: objectId(9) })]
  })
  const before = state.events.get(projectId)?.last ?? 0
  const decision = rules.swapDecision(snapshotOf(state, 1), ask)
  if (decision._tag !== "Stale" || decision.commit === null) return `it is ${decision._tag}, and nothing is stored`
  if (!commit(state, decision.commit)) return "it is not stored"
  const candidate = must(state, "candidate", candidateId(1)).record
  return differing([
    ["the Candidate", candidate.status, "stale"],
    ["why", candidate.reason?.includes(objectId(9)), true],
    ["the Change", must(state, "change", changeId(1)).record.status, "verifying"],
    [
      "what is told",
      state.events
        .get(projectId)
        ?.events.slice(before)
        .map(({ type }) => type),
      ["candidate.stale"]
    ],
    ["what follows", commandsOf(state), [`candidate.recompose:${candidateId(1)}`]]
  ])
}

/** What a swap leaves behind. */
const promoted = (rules: Rules): string | null => {
  const state = copy(ground())
  const decision = rules.swapDecision({ ...snapshotOf(state, 1), releasable: true }, ask)
  if (decision._tag !== "Swap" || !commit(state, decision.commit)) return "it does not swap"
  const { events = [], commands = [] } = decision.commit
  const kinds = (all: ReadonlyArray<{ readonly type?: string; readonly kind?: string }>) =>
    all.map((each) => each.type ?? each.kind)
  const alone = rules.swapDecision(snapshotOf(ground(), 1), ask)
  const step = must(state, "generation", `${projectId}/1`).record
  return (
    brokenLine(state) ??
    differing([
      ["the generation", [decision.generation, step.generation], [1, 1]],
      [
        "what it is of",
        [step.commit, step.tree, step.candidateId, step.changeId],
        [tree, tree, candidateId(1), changeId(1)]
      ],
      [
        "by what it was allowed",
        [step.policyVersion, step.evidenceIds, step.approvalId],
        [1, [good.evidence[0]!.id], null]
      ],
      ["by whom", [step.actor, step.trigger], [person, "user"]],
      [
        "the head",
        [must(state, "head", projectId).record.generation, must(state, "head", projectId).record.commit],
        [1, tree]
      ],
      ["the Change", must(state, "change", changeId(1)).record.statusBeforePromoting, null],
      ["the release", must(state, "release", decision.releaseId ?? "").record.status, "queued"],
      ["its events", kinds(events), ["canonical.advanced"]],
      [
        "its commands",
        kinds(commands).filter((each) => each !== "change.dispatch"),
        ["statement.sign", "canonical.sweep", "release.run"]
      ],
      [
        "without a release",
        kinds((alone._tag === "Swap" ? alone.commit.events : null) ?? []),
        ["canonical.advanced", "change.completed"]
      ]
    ])
  )
}

const oracle = (rules: Rules): string | null =>
  blocked(rules) ?? decided(rules) ?? guarded(rules) ?? stale(rules) ?? approvedSwap(rules) ?? promoted(rules)

it("catches every bug that is planted in the rules of promotion", async () => {
  expect(await survivors<Rules>("promotion/Canonical.ts", mutations, oracle)).toEqual([])
})
