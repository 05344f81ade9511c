/** Bugs that are planted in the rules of promotion, each of which `Canonical.test.ts` must notice. */
import type { Mutation } from "./Mutants.ts"

const without = (bug: string, find: string, put = ""): Mutation => ({ bug, find, put })
const owedWithout = (bug: string, find: string): Mutation => ({ bug, find, put: "", file: "approval/OwedApproval.ts" })

export const mutations: ReadonlyArray<Mutation> = [
  owedWithout("the plan's approval is not owed", "plan.approvalRequired || "),
  owedWithout("the Policy's approval is not owed", " || approvalRiskTiers.includes(plan.riskTier)"),
  owedWithout("what the checks showed owes nothing", " || approvalRiskTiers.includes(after)"),
  without("unverified is not blocked", `if (status !== "verified") blocks`, "if (false) blocks"),
  without("a base behind is not blocked", "if (isBehind(candidate.record, head.record))", "if (false)"),
  without("a base to come is not blocked", "if (isAhead(candidate.record, head.record)) blocks", "if (false) blocks"),
  without(
    "a plan is not needed",
    "plan === null || commit === null || tree === null) {",
    "commit === null || tree === null) {"
  ),
  without(
    "a commit is not needed",
    "if (plan === null || commit === null || tree === null) {",
    "if (plan === null || tree === null) {"
  ),
  without(
    "a tree is not needed",
    "if (plan === null || commit === null || tree === null) {",
    "if (plan === null || commit === null) {"
  ),
  without("unplanned is no gap", `blocks.push({ code: "check_gap", detail: "no checks have been run yet" })`),
  without(
    "uncomposed is not missing",
    `blocks.push({ code: "composed_commit_missing", detail: "nothing has been composed" })`
  ),
  without("optional checks block", `check.required && check.verdict !== "pass"`, `check.verdict !== "pass"`),
  without("failed checks do not block", `if (check.required && check.verdict !== "pass")`, "if (false)"),
  without("an old Policy does not block", "if (plan.policyVersion !== policy.record.version)", "if (false)"),
  without("a missing commit does not block", "if (!snapshot.composedCommitExists)", "if (false)"),
  without("a rejection does not block", "if (rejected !== null) return", "if (false) return"),
  without(
    "a missing approval does not block",
    "if (!needsApproval(snapshot) || owed === 0) return",
    "if (true) return"
  ),
  without("every approval is owed", "!needsApproval(snapshot) || owed === 0", "owed === 0"),
  without("an approval is owed for ever", " || owed === 0) return", ") return"),
  without("it does not say how many", "`${owed} of ${approvalsRequired} granted", "`${approvalsRequired} granted"),
  without(
    "what is promoted is promoted again",
    `if (candidate.record.status === "promoted") return`,
    "if (false) return"
  ),
  without(
    "what is stale stays as it is stored",
    `commit: staleCommit(candidate, snapshot.change, head, snapshot.otherVerified, ask.now) }`,
    "commit: null }"
  ),
  without("the Change promotes two at once", `return other === null ? swap`, "return true ? swap"),
  without("no Change promotes another", "&& !isPromoting(change.record, candidate.record.id)", "&& false"),
  without(
    "what promotes nothing promotes another",
    `change.record.status === "promoting" && !isPromoting`,
    "!isPromoting"
  ),
  without("stale goes on", `candidate.record.status === "stale" || `),
  without("only stale is stale", " || (verified && behind)"),
  without("what runs becomes stale", "(verified && behind)", "behind"),
  without("nothing is blocked", "if (blocks.length > 0) return", "if (false) return"),
  without("the Change stays promoting", `commit: putBack(snapshot, ask.now) }`, "commit: null }"),
  without("every Change goes back", `if (!isPromoting(change.record, candidate.record.id)) return null`),
  without("it goes back to verifying", `change.record.statusBeforePromoting ?? "verifying"`, `"verifying"`),
  without(
    "it goes nowhere it was not",
    `change.record.statusBeforePromoting ?? "verifying"`,
    "change.record.statusBeforePromoting"
  ),
  without("the Change need not promote", ` || !Draft.may(draft, "change", change, "swapWonWithRelease")`),
  without("the generation stands still", "head.record.generation + 1", "head.record.generation"),
  without("the release is forgotten", "snapshot.releasable ? queuedRelease(", "false ? queuedRelease("),
  without(
    "the Change does not release",
    `change, "swapWonWithRelease", noPromotion`,
    `change, "swapWonWithoutRelease", noPromotion`
  ),
  without("the Change is completed without a word", `{ "change.completed": { generation } }`, "{}"),
  without("the Policy is not guarded", `Commit.unchanged("policy", projectId, policy),`),
  without("a new decision is not guarded", `Commit.absent("approval", approvalKey(candidateId, approvals.length + 1))`),
  without(
    "only a first decision is guarded",
    "approvalKey(candidateId, approvals.length + 1)",
    "approvalKey(candidateId, 9)"
  ),
  without(
    "the decision is not guarded",
    `...approvals.map((each, index) => Commit.unchanged("approval", approvalKey(candidateId, index + 1), each)),`
  ),
  without("what approvals were derived from is not guarded", "...grounds.expects,"),
  without("the generation is not written", `Draft.insert(draft, "generation", step)`),
  without("the promotion is not stated", "stated(draft, snapshot, step, granted)"),
  without("the head is not moved", `Draft.update(draft, "head", head, { generation, commit, tree })`),
  without("the head forgets the tree", `{ generation, commit, tree })`, "{ generation, commit })"),
  without("the head forgets the commit", `{ generation, commit, tree })`, "{ generation, tree })"),
  without(
    "the Candidate is not promoted",
    `Draft.step(draft, "candidate", candidate, "swapWon", {}, advanced)`,
    "Draft.tell(draft, candidate.record.id, advanced)"
  ),
  without(
    "the Change is not moved",
    `Draft.step(draft, "change", change, "swapWonWithoutRelease", noPromotion, completed)`,
    "Draft.tell(draft, change.record.id, completed)"
  ),
  without("the release is not written", `Draft.insert(draft, "release", release)`),
  without("the Change remembers", `"swapWonWithRelease", noPromotion`, `"swapWonWithRelease", {}`),
  without("an app need not build", "if (buildIsOwed(snapshot))", "if (false)"),
  without("a rollback must build", `  !(change.record.kind === "rollback" && bundleStored) &&\n`),
  without("a rollback never builds", `=== "rollback" && bundleStored`, `=== "rollback"`),
  without("what another built is served", `change.record.kind === "rollback" && bundleStored`, "bundleStored"),
  without("what has no app must build", "  app &&\n", ""),
  without("any check is proof", "check.required && check.evidenceId !== null ?", "false ?"),
  without("nothing is told", "{}, advanced)", "{}, {})"),
  without("the approval is not kept", "approvalId: approvalIds.at(-1) ?? null", "approvalId: null"),
  without("the approvals are not kept", "    approvalIds,\n", "    approvalIds: [],\n"),
  without("the approvals are not told", "approvalIds: step.approvalIds,")
]
