import { expect, it } from "vitest"
import type { Approval } from "@pawl/core/model/Approval"
import type { Candidate } from "@pawl/core/model/Candidate"
import type * as Difference from "@pawl/core/candidate/Difference"
import type * as Grounds from "@pawl/core/approval/Grounds"
import { addCandidate, approvalOf, candidateId, must, newWorld, objectId } from "../promotion/World.ts"
import { differing, type Mutation, survivors } from "./Mutants.ts"

const world = newWorld()
addCandidate(world, { n: 1, status: "verified", approvalRequired: true })
const made = must(world, "candidate", candidateId(1)).record
const diff = "d".repeat(64)
const old: Candidate = { ...made, changeSets: ["cs_a"] as never, diff }
const next: Candidate = { ...old, id: candidateId(2), tree: objectId(102), baseGeneration: 4 }
const planned = (fields: Partial<NonNullable<Candidate["plan"]>>): Candidate => ({
  ...next,
  plan: { ...next.plan!, ...fields }
})

const given: Approval = approvalOf(1, "granted", old.tree!)
const derived: Approval = { ...given, id: "apr_derived" as Approval["id"], derivedFrom: given.id, basis: diff }

const oracle = ({ apartBy, groundOf }: typeof Grounds): string | null => {
  const ground = (row: Approval, rows: ReadonlyArray<Approval> = [given], on: Candidate = old, of = next) =>
    groundOf(row, of, { candidates: [on], approvals: rows.map((record) => ({ record, revision: 1 })) })?.original.id ??
    null
  const changed = (fields: Partial<Approval>) => ground(derived, [{ ...given, ...fields }])
  return differing([
    ["the same on another base", apartBy(old, next), null],
    ["other ChangeSets", apartBy(old, { ...next, changeSets: [] }), "ChangeSets"],
    ["another Policy", apartBy(old, planned({ policyVersion: 9 })), "Policy"],
    ["no plan", apartBy({ ...old, plan: null }, { ...next, plan: null }), "Policy"],
    ["other checks", apartBy(old, planned({ checks: [] })), "checks"],
    ["another risk", apartBy(old, planned({ riskTier: "low" })), "risk"],
    ["another difference", apartBy(old, { ...next, diff: "e".repeat(64) }), "difference"],
    [
      "differences that nobody kept",
      apartBy({ ...old, diff: undefined } as never, { ...next, diff: undefined } as never),
      "difference"
    ],
    ["it stands on a grant", ground(derived), given.id],
    ["nothing is there", ground(derived, []), null],
    ["its Candidate is gone", ground(derived, [{ ...given, candidateId: candidateId(9) }]), null],
    ["it was rejected", changed({ decision: "rejected" }), null],
    [
      "somebody refused it",
      ground(derived, [given, { ...given, id: "apr_no" as Approval["id"], decision: "rejected" }]),
      null
    ],
    ["it was derived itself", changed({ derivedFrom: "apr_other" as Approval["id"] }), null],
    ["another person", changed({ approver: "usr_other" }), null],
    ["for another tree", changed({ tree: objectId(9) }), null],
    ["of another basis", ground({ ...derived, basis: "e".repeat(64) }), null],
    ["of another Candidate's difference", ground(derived, [given], { ...old, diff: "e".repeat(64) }), null]
  ])
}

const without = (bug: string, find: string, put = ""): Mutation => ({ bug, find, put })

it("catches every bug that is planted in what an approval is carried over by", async () => {
  const mutations = [
    without("any ChangeSets", `if (!isOfSame(one, other)) return "ChangeSets"`),
    without("any Policy", `one.plan.policyVersion !== other.plan?.policyVersion`, "other.plan === null"),
    without("any checks", `if (canonicalJson(one.plan.checks) !== canonicalJson(other.plan.checks)) return "checks"`),
    without("any risk", `if (one.plan.riskTier !== other.plan.riskTier) return "risk"`),
    without("any difference", "|| one.diff !== other.diff ", ""),
    without("no difference is a difference", "one.diff === undefined || ", ""),
    without("a refusal is not seen", " || isRefused(kin)"),
    without("what is derived is derived from", "original.derivedFrom === undefined && "),
    without("of any tree", " && original.tree === granted.tree"),
    without("by anybody", "original.approver === derived.approver && "),
    without("of any basis", " && derived.basis === candidate.diff"),
    without("of any Candidate", "isOwn && isSame && apartBy(granted, candidate) === null", "isOwn && isSame")
  ]
  expect(await survivors<typeof Grounds>("approval/Grounds.ts", mutations, oracle)).toEqual([])
})

const file = (path: string, id: string, executable = false) => ({ type: "file" as const, path, id, executable })

const same = ({ differenceText }: typeof Difference): string | null => {
  const text = differenceText([file("a", "1"), file("b", "1")], [file("a", "2"), file("b", "1")])
  const beside = differenceText([file("a", "1"), file("b", "9")], [file("a", "2"), file("b", "9")])
  return differing([
    ["what is not touched does not count", text === beside, true],
    ["what stood there before does", text === differenceText([file("a", "7")], [file("a", "2")]), false],
    ["what was not there before is new", text === differenceText([], [file("a", "2")]), false],
    ["what it is now does", text === differenceText([file("a", "1")], [file("a", "3")]), false],
    [
      "a mode is a difference",
      differenceText([file("a", "1")], [file("a", "1", true)]),
      `[["a","100644 1","100755 1"]]`
    ],
    ["a deletion is one", differenceText([file("a", "1")], []), `[["a","100644 1",null]]`],
    [
      "in the order of paths",
      differenceText([], [file("b", "1"), file("a", "1")]),
      `[["a",null,"100644 1"],["b",null,"100644 1"]]`
    ],
    ["folders are none", differenceText([{ ...file("d", "1"), type: "directory" }], []), "[]"]
  ])
}

it("catches every bug that is planted in what a Candidate does to its base, and that what was before does not count", async () => {
  const mutations = [
    without("what stood there before does not count", "from.get(path) ?? null, to.get", "to.get"),
    without("what is there now does not count", ", to.get(path) ?? null]", "]"),
    without("every file counts", ".filter((path) => from.get(path) !== to.get(path))"),
    without("a mode does not count", `\${executable ? "100755" : "100644"} `),
    without("folders count", `.filter(({ type }) => type === "file")`),
    without("in any order", ".sort()"),
    without("what is gone does not count", "...from.keys(), ...to.keys()", "...to.keys()")
  ]
  expect(await survivors<typeof Difference>("candidate/Difference.ts", mutations, same)).toEqual([])
})
