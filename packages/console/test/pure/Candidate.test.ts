import { describe, expect, it } from "vitest"
import { Refusal } from "../../src/api/Refusal.ts"
import { base64, base64Url, bytesOf } from "../../src/approval/Base64Url.ts"
import { checkLook } from "../../src/candidate/CheckLook.ts"
import { mustSign } from "../../src/candidate/Decision.ts"
import { fallingBy } from "../../src/candidate/Falling.ts"
import { filesWords } from "../../src/candidate/Files.tsx"
import { isGap, offered, operationOf, type Standing } from "../../src/candidate/Offered.ts"
import { riskReasons } from "../../src/candidate/RiskWords.ts"
import { blockNext, blocksAt, blocksIn, refusalNext, shortHashes } from "../../src/candidate/WhatToDo.ts"
import type { Candidate, Change, Me, Policy, Why } from "../../src/change/Records.ts"

const scopes = ["read", "write", "approve", "promote", "admin"]
// Of records that the server makes, only what is read here.
const me = (fields: object = {}): Me =>
  ({ user: { id: "usr_me" }, memberships: [], token: { scopes }, ...fields }) as unknown as Me
const why = (fields: object = {}, approval: object = {}): Why =>
  ({
    canPromote: true,
    blocks: [],
    lane: null,
    approval: { owed: false, decision: null, missing: 0, decisions: [], brokenPromises: [], ...approval },
    ...fields
  }) as unknown as Why
const owing = (approval: object = {}, blocks = [{ code: "approval_missing", detail: "one is owed" }]) =>
  why({ canPromote: false, blocks }, { owed: true, missing: 1, ...approval })
const candidate = (status: string, fields: object = {}): Candidate =>
  ({ id: "cand_1", status, changeSets: ["cs_1"], score_json: null, ...fields }) as unknown as Candidate
const at = (fields: Partial<Standing>): Standing => ({
  change: {
    projectId: "proj_1",
    status: "verifying",
    kind: "goal",
    createdBy: { id: "usr_other" }
  } as unknown as Change,
  candidate: null,
  why: null,
  policy: { allowSelfApproval: true } as unknown as Policy,
  me: me(),
  mayNot: () => null,
  isArchived: false,
  changeSets: ["cs_1"],
  ...fields
})
const shown = (standing: Standing) =>
  offered(standing).map((each) => `${each.isMain ? "*" : ""}${each.verb}${each.why === null ? "" : " off"}`)
const reasonOf = (standing: Standing, verb: string) => offered(standing).find((each) => each.verb === verb)?.why
const closed = (status: string): Change => ({ ...at({}).change, status: status as Change["status"] })

describe("What a Change offers", () => {
  it("is an approval or a rejection where one is owed, and the promotion is off with the reason", () => {
    const standing = at({ candidate: candidate("verified"), why: owing() })
    expect(shown(standing)).toEqual(["*approve", "reject", "promote off", "send", "cancel"])
    expect(reasonOf(standing, "promote")).toBe("one is owed.")
  })

  it("is the promotion where nothing stands in the way", () => {
    expect(shown(at({ candidate: candidate("verified"), why: why() }))).toEqual(["*promote", "send", "cancel"])
  })

  it("is the lane where the Policy has one, and not twice", () => {
    const policy = { allowSelfApproval: true, lane: { mode: "on" } } as unknown as Policy
    expect(shown(at({ candidate: candidate("verified"), why: why(), policy }))[0]).toBe("*land")
    const laned = why({ lane: { entryId: "ent_1", waits: null } })
    expect(shown(at({ candidate: candidate("verified"), why: laned, policy }))).not.toContain("land")
  })

  it("puts nothing first that the lane does by itself, and the order to land where it waits for that", () => {
    const policy = { allowSelfApproval: true, lane: { mode: "on" } } as unknown as Policy
    const laned = (waits: object | null, fields: object = {}) =>
      at({ candidate: candidate("verified"), policy, why: why({ lane: { entryId: "ent_1", waits }, ...fields }) })
    expect(shown(laned(null))).toEqual(["promote", "send", "cancel"])
    expect(shown(laned({ for: "ahead" }, { canPromote: false, blocks: [] }))).toEqual(["promote off", "send", "cancel"])
    expect(shown(laned({ for: "order" }))).toEqual(["*land", "promote", "send", "cancel"])
  })

  it("is a Candidate where there is none, one is behind, work came later, or the Policy changed", () => {
    expect(shown(at({}))[0]).toBe("*request")
    expect(shown(at({ candidate: candidate("blocked") }))[0]).toBe("*request")
    expect(shown(at({ candidate: candidate("rejected"), changeSets: ["cs_1", "cs_2"] }))[0]).toBe("*request")
    const changed = owing({}, [{ code: "policy_version_mismatch", detail: "planned under 1" }])
    expect(shown(at({ candidate: candidate("verified"), why: changed }))).toContain("*request")
    expect(shown(at({ changeSets: [] }))).toEqual(["*send", "cancel"])
  })

  it("asks for a rejected one again only when no check failed and one could not run", () => {
    const check = (verdict: string, required = true) => ({ checkId: "test", verdict, required })
    const rejected = (...checks: ReadonlyArray<object>) => candidate("rejected", { score_json: { checks } })
    expect(isGap(rejected(check("pass"), check("gap")))).toBe(true)
    expect(isGap(rejected(check("gap"), check("fail")))).toBe(false)
    expect(isGap(rejected(check("gap"), check("fail", false)))).toBe(true)
    expect(isGap(candidate("verified", { score_json: { checks: [check("gap")] } }))).toBe(false)
    expect(shown(at({ candidate: rejected(check("gap")) }))[0]).toBe("*request")
    expect(shown(at({ candidate: rejected(check("fail")) }))).toEqual(["request off", "*send", "cancel"])
  })

  it("puts nothing first while checks run, and is nothing once a Change is over", () => {
    expect(shown(at({ candidate: candidate("verifying"), why: why({ canPromote: false }) }))).toEqual([
      "send",
      "cancel"
    ])
    for (const status of ["completed", "failed", "cancelled"])
      expect(offered(at({ change: closed(status), candidate: candidate("promoted") }))).toEqual([])
    expect(shown(at({ change: closed("releasing"), candidate: candidate("promoted") }))).toEqual([])
  })

  it("is off for who may not: by scope, by role, by having opened it, by having decided, in an archive", () => {
    const standing = at({ candidate: candidate("verified"), why: owing() })
    const words = "This needs the role member; yours is viewer."
    expect(offered({ ...standing, mayNot: () => words }).every((each) => each.why === words && !each.isMain)).toBe(true)
    const approvesNot = (operation: string) => (operation === operationOf.approve ? words : null)
    expect(reasonOf(at({ ...standing, mayNot: approvesNot }), "approve")).toBe(words)
    expect(reasonOf(at({ ...standing, mayNot: approvesNot }), "reject")).toBe(words)
    expect(reasonOf(at({ ...standing, mayNot: approvesNot }), "send")).toBeNull()
    const opener = at({
      ...standing,
      policy: { allowSelfApproval: false } as unknown as Policy,
      me: me({ user: { id: "usr_other" } })
    })
    expect(reasonOf(opener, "approve")).toContain("You opened this Change")
    const decided = owing({ missing: 1, decisions: [{ approver: "usr_me", counts: true, decision: "granted" }] })
    expect(reasonOf({ ...standing, why: decided }, "approve")).toContain("You decided already")
    expect(reasonOf({ ...standing, isArchived: true }, "cancel")).toBe("The Project is archived.")
  })
})

describe("Refusals", () => {
  const refusal = (code: string, facts: Readonly<Record<string, unknown>> = {}) =>
    new Refusal({ status: 409, code, title: "", detail: "", requestId: null, facts })

  it("say what to do, and name every block", () => {
    expect(refusalNext(refusal("stale"))).toContain("took its place")
    expect(refusalNext(refusal("of_a_newer_server"))).toBeNull()
    const blocks = [
      { code: "base_behind", detail: "canonical is S2" },
      { code: "frozen", detail: "until Monday" }
    ]
    expect(blocksIn(refusal("blocked", { blocks }))).toEqual(blocks)
    expect(blocksIn(refusal("stale"))).toEqual([])
    for (const { code } of blocks) expect(blockNext(code)).not.toBeNull()
    expect(blockNext("of_a_newer_server")).toBeNull()
  })

  it("leave out, while a Candidate is worked on, what that work gives it", () => {
    const of = ["candidate_not_verified", "check_gap", "base_behind", "frozen"].map((code) => ({ code, detail: "" }))
    for (const status of ["composing", "composed", "verifying"])
      expect(blocksAt(status, of).map(({ code }) => code)).toEqual(["base_behind", "frozen"])
    for (const status of ["verified", "rejected", "blocked", "stale"]) expect(blocksAt(status, of)).toEqual(of)
  })

  it("shorten commits, trees and digests, and nothing else", () => {
    const tree = "27bfafb9a685b45313b9d686d9a27c1922a5bb12"
    expect(shortHashes(`tree ${tree} is owed`)).toBe("tree 27bfafb9 is owed")
    expect(shortHashes(`${tree}${"a".repeat(24)}`)).toBe("27bfafb9")
    expect(shortHashes(`${tree}a and cand_${tree}`)).toBe(`${tree}a and cand_${tree}`)
  })
})

describe("What is decided on", () => {
  it("must be signed where the Policy names its risk", () => {
    const planned = candidate("verified", { plan_json: { riskTier: "high" } })
    const policy = (approvalsSigned?: ReadonlyArray<string>) => ({ approvalsSigned }) as unknown as Policy
    expect(mustSign(policy(["high"]), planned)).toBe(true)
    expect(mustSign(policy(["low"]), planned)).toBe(false)
    expect(mustSign(policy(), planned)).toBe(false)
    expect(mustSign(null, planned)).toBe(false)
  })

  it("shows why it is risky: packages, and old promises with their paths", () => {
    const concerns = [{ concern: "new_direct", name: "left-pad", version: "1.0.0" }]
    const planned = candidate("verified", { plan_json: { riskTier: "high", packages: { concerns, count: 1 } } })
    const broken = [{ checkId: "test", paths: ["test/a.js"], count: 3, summary: "exit 1" }]
    expect(riskReasons(planned, owing({ brokenPromises: broken }))).toEqual([
      "Package left-pad 1.0.0: new direct",
      "Old form of test (test/a.js and 2 more): exit 1"
    ])
  })

  it("tells a check that has not run from one that could not", () => {
    expect(checkLook("gap", null).words).toBe("has not run")
    expect(checkLook("gap", "evd_1").words).toBe("could not run")
    expect(checkLook("pass", "evd_1").tone).toBe("good")
  })

  it("counts files and lines", () => {
    const file = { path: "a", status: "added", additions: 2, deletions: 1 }
    expect(filesWords([file])).toBe("1 file, +2 −1")
    expect(filesWords([file, file])).toBe("2 files, +4 −2")
  })
})

describe("Bytes of passkeys", () => {
  it("go over the wire and back as they are", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    expect(bytesOf(base64Url(bytes.buffer))).toEqual(bytes)
    expect(base64Url(bytes.buffer)).not.toMatch(/[+/=]/)
    expect(base64(Uint8Array.from([251, 255, 254]).buffer)).toBe("+//+")
    expect(base64Url(Uint8Array.from([251]).buffer)).toBe("-w")
  })
})

describe("A promotion past the lane", () => {
  const entry = (n: number, state: "running" | "ready" | "doubtful" | "aside" | "waiting") => ({
    candidateId: `cand_${n}` as const,
    changeId: `chg_${n}` as const,
    position: n,
    state
  })
  const falls = (n: number, entries: ReadonlyArray<ReturnType<typeof entry>>) =>
    fallingBy({ id: `cand_${n}`, changeId: `chg_${n}` } as never, entries as never)

  it("of one that is not in it refutes all that were composed, in whatever state, but nobody who waits", () => {
    const line = [entry(1, "ready"), entry(2, "running"), entry(3, "doubtful"), entry(4, "aside"), entry(5, "waiting")]
    expect(falls(9, line)).toBe(4)
    expect(falls(9, [])).toBe(0)
  })

  it("of one in it refutes those before it alone: those behind are made on it, unless they passed it over", () => {
    const line = [entry(1, "doubtful"), entry(2, "ready"), entry(3, "running")]
    expect(falls(2, line)).toBe(1)
    expect(falls(2, [entry(1, "doubtful"), entry(2, "aside"), entry(3, "running")])).toBe(2)
    expect(falls(1, [entry(1, "ready"), entry(2, "running")])).toBe(0)
  })

  it("of another Candidate of a Change in it refutes all others, and not its own", () => {
    const line = [entry(1, "ready"), entry(2, "running")]
    expect(fallingBy({ id: "cand_9", changeId: "chg_1" } as never, line as never)).toBe(1)
  })
})
