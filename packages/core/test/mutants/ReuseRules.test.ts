import { expect, it } from "vitest"
import type { ReuseRow } from "@pawl/core/verification/ReuseRules"
import type * as ReuseRules from "@pawl/core/verification/ReuseRules"
import { differing, type Mutation, survivors } from "./Mutants.ts"

const [one, other] = ["1".repeat(64), "2".repeat(64)]
const earlier: ReuseRow = {
  subject: { candidateId: "cand_1" },
  checkId: "test",
  status: "checked_supported",
  result: "pass",
  tree: "a".repeat(40),
  outputDigest: one,
  startedAt: "2026-06-01T00:00:00.000Z",
  finishedAt: "2026-06-01T00:01:00.000Z",
  runner: { guarantees: ["clean-environment", "network-denied"] },
  checkDigest: one,
  runnerDigest: one
}
const row: ReuseRow = {
  ...earlier,
  subject: { candidateId: "cand_2" },
  startedAt: "2026-06-02T00:01:00.000Z",
  finishedAt: "2026-06-02T00:01:00.000Z",
  reuses: "evd_1"
}
const build = { bundleDigest: one, runner: { guarantees: [] } }
const byInputs = { inputsDigest: one, tree: "b".repeat(40) }

const oracle = ({ reuseProblem }: typeof ReuseRules): string | null => {
  const may = (change: object, own: object = {}, reuse: string | undefined = "tree") =>
    reuseProblem({ ...row, ...own }, { ...earlier, ...change }, reuse) === null
  const { checkDigest: _, ...undigested } = earlier
  const both = (change: object) => reuseProblem({ ...row, ...undigested, ...change }, undigested, "tree") === null
  return differing([
    ["counts for the same tree", may({}), true],
    ["only where a plan says so", reuseProblem(row, earlier, undefined) === null, false],
    ["of a Candidate only", may({ subject: {} }), false],
    ["of the same check", may({ checkId: "lint" }), false],
    ["that asked the same", may({ checkDigest: other }), false],
    ["that is known to have", both({ checkDigest: undefined, startedAt: row.startedAt }), false],
    ["by the same runner", may({ runnerDigest: other }), false],
    ["on the same tree", may({ tree: "b".repeat(40) }), false],
    ["or the same inputs", may(byInputs, { inputsDigest: one }, "inputs"), true],
    ["which plans may not count", may(byInputs, { inputsDigest: one }), false],
    ["not on other inputs", may(byInputs, { inputsDigest: other }, "inputs"), false],
    ["not on none", may({ tree: "b".repeat(40) }, {}, "inputs"), false],
    ["first-hand", may({ reuses: "evd_0" }), false],
    ["no retry of a failure", may({ retryOf: "evd_0" }), false],
    ["not waived", may({ waived: { reason: "" } }), false],
    ["passed", may({ result: "fail" }), false],
    ["supported", may({ status: "not_checked" }), false],
    ["and itself a pass", may({}, { result: "gap" }), false],
    ["in a closed sandbox", may({ runner: { guarantees: ["network-denied"] } }), false],
    ["without the network", may({ runner: { guarantees: ["clean-environment"] } }), false],
    ["that is told", may({ runner: undefined }), false],
    ["but for a build", may(build, build), true],
    ["which is one on both sides", may(build) || may({}, build), false],
    ["with the same output", may({ outputDigest: other }), false],
    ["which is there", may({ outputDigest: null }, { outputDigest: null }), false],
    ["not older than a day", may({ finishedAt: "2026-06-01T00:00:59.999Z" }), false],
    ["not younger than itself", may({ finishedAt: "2026-06-02T00:01:00.001Z" }), false],
    ["at an instant", may({ finishedAt: "never" }), false]
  ])
}

const mutations: ReadonlyArray<Mutation> = [
  { bug: "reuse without check digest", find: " || !isSame(row.checkDigest, earlier.checkDigest)", put: "" },
  { bug: "reuse of another check", find: "earlier.checkId !== row.checkId || ", put: "" },
  { bug: "reuse of rows without digests", find: "one !== undefined && one === other", put: "one === other" },
  { bug: "reuse from another runner", find: "!isSame(row.runnerDigest, earlier.runnerDigest)", put: "false" },
  { bug: "reuse of other files", find: "!sawTheSame(row, earlier, reuse)", put: "false" },
  { bug: "inputs count where trees alone may", find: 'reuse === "inputs" && ', put: "" },
  { bug: "reuse of what is reused", find: "earlier.reuses !== undefined", put: "false" },
  { bug: "reuse of a retry", find: "earlier.retryOf !== undefined", put: "false" },
  { bug: "reuse of what was waived", find: "earlier.waived !== undefined", put: "false" },
  { bug: "reuse of a failure", find: "if (!passes)", put: "if (false)" },
  { bug: "reuse from an open sandbox", find: "row.bundleDigest === undefined && !isClosed(earlier)", put: "false" },
  { bug: "half closed is closed", find: "closedBy.every", put: "closedBy.some" },
  {
    bug: "a build for a test",
    find: "(row.bundleDigest === undefined) !== (earlier.bundleDigest === undefined)",
    put: "false"
  },
  { bug: "reuse with another output", find: " || row.outputDigest !== earlier.outputDigest", put: "" },
  { bug: "reuse without an output", find: "earlier.outputDigest === null || ", put: "" },
  { bug: "reuse of what is old", find: " && ageMs <= Limits.evidenceReuseMs", put: "" },
  { bug: "reuse of the future", find: "ageMs >= 0 && ", put: "" },
  { bug: "reuse where no plan lets it count", find: "if (reuse === undefined)", put: "if (false)" },
  { bug: "reuse of a release's probes", find: "earlier.subject.candidateId === undefined", put: "false" }
]

it("no planted bug in when evidence counts again goes unnoticed", async () => {
  expect(await survivors<typeof ReuseRules>("verification/ReuseRules.ts", mutations, oracle)).toEqual([])
})
