import { expect, it } from "vitest"
import { noGrounds } from "@pawl/core/approval/Grounds"
import type { Approval } from "@pawl/core/model/Approval"
import type * as Standing from "@pawl/core/approval/Standing"
import { approvalOf, objectId } from "../promotion/World.ts"
import { differing, type Mutation, survivors } from "./Mutants.ts"

type Rules = typeof Standing

const tree = objectId(101)
const row = (approver: string, fields: Partial<Approval> = {}): Approval => ({
  ...approvalOf(1, "granted", tree),
  id: `apr_${approver}` as Approval["id"],
  approver,
  ...fields
})
const no = { decision: "rejected" as const }
const open = { allowSelfApproval: true, approvalsRequired: 1 }
const strict = { allowSelfApproval: false, approvalsRequired: 2 }
const everybody = ["opener", "writer", "ann", "ben"]

const decisions = (rows: ReadonlyArray<Approval>, here: ReadonlyArray<string> = everybody): Standing.Decisions => ({
  approvals: rows.map((record) => ({ record, revision: 1 })),
  authors: new Set(["opener", "writer"]),
  here: new Set(here),
  signed: false,
  unsigned: new Set(),
  grounds: noGrounds
})

const oracle = ({ counts, standingOf }: Rules): string | null => {
  const of = (policy: typeof open, rows: ReadonlyArray<Approval>, here?: ReadonlyArray<string>) => {
    const { granted, owed, rejected } = standingOf(decisions(rows, here), tree, policy)
    return [granted.map(({ approver }) => approver).join(), owed, rejected?.approver ?? null]
  }
  const unsigned = (decision: Approval["decision"]) => {
    const given = { ...decisions([row("ann", { decision })]), signed: true, unsigned: new Set(["apr_ann"]) }
    const { granted, owed } = standingOf(given, tree, open)
    return [granted.length, owed]
  }
  return differing([
    ["nobody has decided", of(strict, []), ["", 2, null]],
    ["one of two", of(strict, [row("ann")]), ["ann", 1, null]],
    ["two of two", of(strict, [row("ann"), row("ben")]), ["ann,ben", 0, null]],
    ["more than asked for are not fewer than none", of(open, [row("ann"), row("ben")]), ["ann,ben", 0, null]],
    ["a person counts once", of(strict, [row("ann"), row("ann")]), ["ann", 1, null]],
    ["who opened it does not count", of(strict, [row("opener"), row("ann")]), ["ann", 1, null]],
    ["who wrote it does not count", of(strict, [row("writer"), row("ann")]), ["ann", 1, null]],
    ["but does where the Policy allows it", of(open, [row("writer")]), ["writer", 0, null]],
    ["who has left does not count", of(open, [row("ann")], ["ben"]), ["", 1, null]],
    ["another tree does not count", of(open, [row("ann", { tree: objectId(9) })]), ["", 1, null]],
    ["a rejection grants nothing", of(strict, [row("ann", no)]), ["", 2, "ann"]],
    ["one rejection among grants", of(open, [row("ann"), row("ben", no)]), ["ann", 0, "ben"]],
    ["an author's rejection", of(strict, [row("writer", no)]), ["", 2, "writer"]],
    ["a rejection of somebody who has left", of(open, [row("ann", no)], []), ["", 1, "ann"]],
    ["what lacks its signature does not count", unsigned("granted"), [0, 1]],
    [
      "a rejection needs none",
      counts(row("ann", no), { ...decisions([]), unsigned: new Set(["apr_ann"]) }, open),
      true
    ],
    [
      "carried over, and standing on nothing",
      of(open, [row("ann", { derivedFrom: "apr_old" as Approval["id"] })]),
      ["", 1, null]
    ],
    ["a grant counts", counts(row("ann"), decisions([]), strict), true]
  ])
}

const without = (bug: string, find: string, put = ""): Mutation => ({ bug, find, put })
const mutations: ReadonlyArray<Mutation> = [
  without("a rejection can be void", `approval.decision === "rejected" ||\n`),
  without("what stands on nothing counts", " && stands(approval, decisions)"),
  without("everyone counts", "here.has(approval.approver) && ", ""),
  without("unsigned counts", "!decisions.unsigned.has(approval.id) && "),
  without("authors count", "policy.allowSelfApproval || !authors.has(approval.approver)", "true"),
  without("authors never count", "policy.allowSelfApproval || ", ""),
  without("void decisions count", ".filter((each) => counts(each, decisions, policy))"),
  without("any tree counts", " && each.tree === tree"),
  without("rejections grant", `each.decision === "granted" && each.tree`, "each.tree"),
  without("no rejection is seen", `each.decision === "rejected") ?? null`, "false) ?? null"),
  without("a person counts twice", "people.indexOf(approver) === index", "true"),
  without("one is enough", "policy.approvalsRequired - distinct.length", "1 - people"),
  without(
    "less than nothing is owed",
    "Math.max(0, policy.approvalsRequired - distinct.length)",
    "policy.approvalsRequired - distinct.length"
  )
]

it("catches every bug that is planted in who counts", async () => {
  expect(await survivors<Rules>("approval/Standing.ts", mutations, oracle)).toEqual([])
})
