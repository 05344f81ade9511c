import type { Plan } from "@pawl/core/model/Plan"
import { approvalText, planDigest } from "@pawl/core/provenance/ApprovalText"
import { describe, expect, it } from "vitest"
import { differences, ownClaim, type Served } from "../../../src/node/approver/Decisions.ts"

const plan: Plan = { policyVersion: 1, riskTier: "high", approvalRequired: true, checks: [] }
const cloned = {
  project: "proj_1",
  commit: "a".repeat(40),
  tree: "b".repeat(40),
  source: "c".repeat(64),
  main: "d".repeat(40),
  stat: ""
}
const candidate: Served["candidate"] = {
  id: "cand_1",
  changeId: "chg_1",
  projectId: "proj_1",
  commit: cloned.commit,
  tree: cloned.tree,
  plan
}
const own = ownClaim(cloned, { candidate, user: "usr_1" }, "granted")!
const honest: Served = { candidate, user: "usr_1", text: approvalText(own) }
const named = (served: Served) => differences(cloned, own, served).map(({ field }) => field)
const other = "0".repeat(40)

describe("What the server says and a clone does not", () => {
  it("is nothing where both say the same, and what is signed is made of the clone's values and the shown plan", () => {
    expect(named(honest)).toEqual([])
    expect(own).toMatchObject({ project: "proj_1", tree: cloned.tree, source: cloned.source, plan: planDigest(plan) })
    expect(ownClaim(cloned, { candidate: { ...candidate, plan: null }, user: "usr_1" }, "granted")).toBeNull()
  })

  it.each(["domain", "project", "change", "candidate", "tree", "source", "plan", "decision", "approver"])(
    "is named where the text to sign has another %s",
    (field) => {
      const text = JSON.stringify({ ...JSON.parse(honest.text), [field]: other })
      expect(named({ ...honest, text })).toEqual([field])
    }
  )

  it("is named where the text to sign has more, has less, or is none", () => {
    const { tree: _tree, ...rest } = JSON.parse(honest.text)
    expect(named({ ...honest, text: JSON.stringify({ ...JSON.parse(honest.text), more: "x" }) })).toEqual(["more"])
    expect(named({ ...honest, text: JSON.stringify(rest) })).toEqual(["tree"])
    expect(named({ ...honest, text: "nothing" })).toContain("tree")
    // The same, in another order: another challenge.
    const turned = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(honest.text)).reverse()))
    expect(named({ ...honest, text: turned })).toEqual(["text"])
  })

  it("is named where the Candidate is of another Project, commit or tree than the clone's", () => {
    expect(named({ ...honest, candidate: { ...candidate, commit: null } })).toEqual(["commit"])
    const strange: Served["candidate"] = { ...candidate, projectId: "proj_2", tree: other }
    expect(differences(cloned, own, { ...honest, candidate: strange })).toEqual([
      { field: "project", own: "proj_1", served: "proj_2" },
      { field: "tree", own: cloned.tree, served: other }
    ])
  })
})
