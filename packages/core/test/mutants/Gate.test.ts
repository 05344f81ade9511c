import { expect, it } from "vitest"
import type { Plan } from "@pawl/core/model/Plan"
import { type Evidence, EvidenceResult, EvidenceStatus } from "@pawl/core/model/Evidence"
import type * as Gate from "@pawl/core/verification/Gate"
import { differing, type Mutation, survivors } from "./Mutants.ts"

const composed = { commit: "a".repeat(40), tree: "b".repeat(40) }
const other = "c".repeat(40)
const now = "2026-06-01T00:00:00.000Z"
const until = (date: string) => ({ ...check("test"), waived: { reason: "broken", until: `${date}T00:00:00.000Z` } })
const check = (id: string, required = true): Plan["checks"][number] => ({
  id,
  kind: "command",
  title: id,
  command: "true",
  required,
  timeoutMs: 1
})
const planOf = (...checks: Plan["checks"]): Plan => ({
  policyVersion: 1,
  riskTier: "low",
  approvalRequired: false,
  checks
})
const row = (fields: Partial<Evidence> = {}): Evidence => ({
  id: "evd_00000000000000000000000000",
  projectId: "proj_00000000-0000-4000-8000-000000000000",
  subject: { candidateId: "cand_000000000000000000000000" },
  checkId: "test",
  status: "checked_supported",
  result: "pass",
  ...composed,
  outputKey: null,
  outputDigest: null,
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: "2026-01-01T00:00:00.000Z",
  runner: { isolation: "x", version: "1", guarantees: [] },
  summary: "said",
  attempt: 1,
  ...fields
})

/** The check with the base's form of one file. */
const again: Plan["checks"][number] = {
  ...check("test@base", false),
  base: { check: "test", globs: ["test/**"], paths: ["test/a.js"], count: 1 }
}

/** What the checks make of the risk. */
const risked = ({ brokenPromises, judge, riskAfter }: typeof Gate): string | null => {
  const plan = (riskTier: Plan["riskTier"], ...checks: Plan["checks"]) => ({ ...planOf(...checks), riskTier })
  const both = (riskTier: Plan["riskTier"] = "medium") => plan(riskTier, check("test"), again)
  const old = (fields: Partial<Evidence> = {}) => row({ checkId: "test@base", ...fields })
  const built = row({ checkId: "build", inputs: ["public/a.txt"] })
  const build = plan("low", check("build"))
  return differing([
    ["without an old promise the risk stays", riskAfter(plan("medium", check("test")), composed, []), "medium"],
    ["one that holds leaves the risk", riskAfter(both(), composed, [row(), old()]), "medium"],
    ["one that does not makes it high", riskAfter(both("low"), composed, [row(), old({ result: "fail" })]), "high"],
    ["one that could not be asked, too", riskAfter(both(), composed, [row(), old({ result: "gap" })]), "high"],
    ["and one that was not asked", riskAfter(both(), composed, [row()]), "high"],
    ["the check itself says nothing of it", riskAfter(both(), composed, [row({ result: "fail" }), old()]), "medium"],
    ["another tree's does not hold", riskAfter(both(), composed, [row(), old({ tree: other })]), "high"],
    ["what the bundle holds is not low", riskAfter(build, composed, [built]), "medium"],
    ["a bundle without it is", riskAfter(build, composed, [{ ...built, inputs: [] }]), "low"],
    ["nor does it lower anything", riskAfter(plan("unknown", check("build")), composed, [built]), "unknown"],
    [
      "it never satisfies the check",
      judge(both(), composed, [old()], now).checks.map(({ verdict }) => verdict),
      ["gap", "pass"]
    ],
    [
      "it is told with its files",
      brokenPromises(both(), composed, [row(), old({ result: "fail" })]),
      [{ ...again.base, checkId: "test@base", summary: "said" }]
    ],
    ["also without evidence", brokenPromises(both(), composed, [])[0]?.summary, "no evidence"]
  ])
}

/** What a retry can do, and what it cannot. */
const retries = ({ judge }: typeof Gate) => {
  const id = (n: number) => `evd_0000000000000000000000000${n}` as const
  const plan = (flakeRetries?: 1): Plan => ({
    ...planOf(check("test")),
    ...(flakeRetries === undefined ? {} : { flakeRetries })
  })
  const failure = row({ id: id(1), status: "checked_unsupported", result: "fail" })
  const retry = row({ id: id(2), attempt: 2, retryOf: id(1) })
  const said = (rows: ReadonlyArray<Evidence>, of = composed, under = plan(1)) => {
    const { checks, flaky } = judge(under, of, rows, now)
    return [checks[0]?.verdict, checks[0]?.evidenceId, checks[0]?.flaky ?? false, flaky ?? false]
  }
  const stands = ["fail", id(1), false, false]
  const elsewhere = { ...composed, tree: other }
  return [
    ["the retry counts", said([failure, retry]), ["pass", id(2), true, true]],
    ["nothing else hides a failure", said([failure, row({ id: id(3) })]), stands],
    ["a retry that nobody allowed", said([failure, retry], composed, plan()), stands],
    ["a retry of another failure", said([failure, { ...retry, retryOf: id(9) }]), stands],
    ["a retry that could not run", said([failure, { ...retry, status: "not_checked", result: "gap" }]), stands],
    ["a retry that was borne out by nothing", said([failure, { ...retry, status: "not_checked" }]), stands],
    ["a second retry", said([failure, { ...retry, id: id(4), result: "gap" }, retry]), stands],
    ["what comes after the retry", said([failure, retry, row({ id: id(3) })]), stands],
    ["a later failure", said([failure, retry, { ...failure, id: id(5) }]), ["fail", id(5), false, false]],
    [
      "two failures",
      said([
        { ...failure, id: id(6) },
        { ...failure, id: id(1) },
        { ...retry, id: id(7) }
      ]),
      stands
    ],
    ["a retry on another tree", said([failure, { ...retry, tree: other }]), stands],
    ["nor does it count there", said([failure, { ...retry, tree: other }], elsewhere), ["gap", null, false, false]]
  ] as const
}

const oracle = (gate: typeof Gate): string | null => {
  const { judge } = gate
  const one = planOf(check("test"))
  const passed = (rows: ReadonlyArray<Evidence>, plan = one) => judge(plan, composed, rows, now).passed
  const verdict = (fields: Partial<Evidence>) => judge(one, composed, [row(fields)], now).checks[0]?.verdict
  const releaseId = "rel_proj_00000000-0000-4000-8000-000000000000_1"
  const after = risked(gate)
  if (after !== null) return after
  return differing([
    ...EvidenceStatus.literals.flatMap((status) =>
      EvidenceResult.literals.map((result) => {
        const proves = status === "checked_supported" && result === "pass"
        const promised = proves ? "pass" : result === "fail" ? "fail" : "gap"
        return [`${status} with ${result}`, verdict({ status, result }), promised] as const
      })
    ),
    ["another tree proves nothing", passed([row({ tree: other })]), false],
    ["another commit proves nothing", passed([row({ commit: other })]), false],
    ["another check proves nothing", passed([row({ checkId: "other" })]), false],
    ["a release proves nothing", passed([row({ subject: { releaseId } })]), false],
    ["the last row counts, when it fails", passed([row(), row({ result: "fail" })]), false],
    ["the last row counts, when it passes", passed([row({ result: "gap" }), row()]), true],
    ...retries(gate),
    ["a check without a row is a gap", judge(one, composed, [], now).checks[0]?.verdict, "gap"],
    ["every required check counts", passed([row()], planOf(check("test"), check("build"))), false],
    ["an optional check may fail", passed([row({ result: "fail" })], planOf(check("test", false))), true],
    ["a waived check may fail", passed([row({ result: "fail" })], planOf(until("2026-06-02"))), true],
    ["a waiver ends with its date", passed([row({ result: "fail" })], planOf(until("2026-06-01"))), false],
    ["a plan without checks never passes", passed([], planOf()), false],
    [
      "a verdict names its proof",
      judge(one, composed, [row()], now).checks,
      [{ checkId: "test", required: true, verdict: "pass", evidenceId: row().id, summary: "said" }]
    ]
  ])
}

const mutations: ReadonlyArray<Mutation> = [
  { bug: "old promises are no risk", find: `.length > 0) return "high"`, put: `.length > 0) return plan.riskTier` },
  { bug: "every check is an old promise", find: "if (check.base === undefined) return []", put: "" },
  {
    bug: "old promises are taken as kept",
    find: "if (row !== undefined && satisfies(row)) return []",
    put: "return []"
  },
  { bug: "a gap keeps an old promise", find: "row !== undefined && satisfies(row)", put: `row?.result !== "fail"` },
  { bug: "no old promise is kept", find: "if (row !== undefined && satisfies(row)) return []", put: "" },
  { bug: "the bundle is no risk", find: `bundled && plan.riskTier === "low" ? "medium"`, put: `false ? "medium"` },
  { bug: "everything is bundled", find: "?.row.inputs ?? []).length > 0", put: "?.row.inputs ?? []).length >= 0" },
  { bug: "a bundle lowers the risk", find: `bundled && plan.riskTier === "low"`, put: "bundled" },
  { bug: "its files are forgotten", find: "{ ...check.base, checkId", put: "{ checkId" },
  { bug: "any status supports", find: `row.status === "checked_supported" && `, put: "" },
  { bug: "any result supports", find: ` && row.result === "pass"`, put: "" },
  { bug: "any check's row", find: "each.checkId === check.id &&", put: "" },
  { bug: "a release's row", find: "each.subject.candidateId !== undefined &&", put: "" },
  { bug: "any commit's row", find: "each.commit === composed.commit &&", put: "" },
  { bug: "any tree's row", find: "each.tree === composed.tree", put: "true" },
  { bug: "the first row", find: "rows.findLast(", put: "rows.find(" },
  {
    bug: "retry on another tree",
    find: "each.tree === composed.tree",
    put: "(each.tree === composed.tree || each.retryOf !== undefined)"
  },
  { bug: "any row after a failure", find: "const isRetried =", put: "const isRetried = rows.at(-1) !== failure ||" },
  { bug: "a retry that the plan does not allow", find: "plan.flakeRetries === 1 &&", put: "" },
  { bug: "a failure before the last one is forgotten", find: "failures.length === 1 &&", put: "" },
  { bug: "the best of several retries", find: "const retry = rows.find(", put: "const retry = rows.findLast(" },
  { bug: "a retry of whatever failed", find: "retry.retryOf === failure.id &&", put: "" },
  { bug: "a retry that is not the last row", find: "retry === rows.at(-1) &&", put: "" },
  { bug: "a retry without a pass", find: "failure.id &&\n    satisfies(retry)", put: "failure.id" },
  { bug: "a retry of nothing", find: "rows.findLast(({ retryOf }) => retryOf === undefined)", put: "rows.at(-1)" },
  { bug: "nobody is told of a flake", find: "{ row: retry, flaky: true }", put: "{ row: retry, flaky: false }" },
  { bug: "a flake is not in the score", find: "flaky === true) ? { flaky: true }", put: "flaky === true) ? {}" },
  { bug: "no row passes", find: `row === undefined ? "gap"`, put: `row === undefined ? "pass"` },
  { bug: "a failure is a gap", find: `row.result === "fail" ? "fail"`, put: `row.result === "fail" ? "gap"` },
  { bug: "a gap is a failure", find: `"fail" : "gap",`, put: `"fail" : "fail",` },
  { bug: "a waiver is forgotten", find: " && !isWaived(check, now)", put: "" },
  { bug: "a waiver never ends", find: " && check.waived.until > now", put: "" },
  { bug: "a waiver lasts a moment longer", find: "check.waived.until > now", put: "check.waived.until >= now" },
  { bug: "an empty plan passes", find: "checks.length > 0 && ", put: "" },
  { bug: "optional checks count", find: "!check.required || ", put: "" },
  { bug: "required checks do not count", find: ` || check.verdict === "pass"`, put: "" },
  { bug: "one check is enough", find: "checks.every(", put: "checks.some(" },
  { bug: "the proof is forgotten", find: "row?.id ?? null", put: "null" },
  {
    bug: "what it said is forgotten",
    find: `summary: row?.summary ?? "no evidence",\n      ...`,
    put: `summary: "",\n      ...`
  }
]

it("catches every bug that is planted in the gate", async () => {
  expect(await survivors<typeof Gate>("verification/Gate.ts", mutations, oracle)).toEqual([])
})
