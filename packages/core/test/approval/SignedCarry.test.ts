/** Approvals that a passkey must sign are given to one tree: none is carried over to another. */
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as SoftwareAuthenticator from "@pawl/testing/tools/SoftwareAuthenticator"
import * as Approvals from "@pawl/core/approval/Approvals"
import { challengeFor } from "@pawl/core/approval/SignedDecision"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Approver } from "@pawl/core/model/Approver"
import * as Time from "@pawl/core/primitives/Time"
import { enchained } from "@pawl/core/provenance/InstanceChain"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { why } from "@pawl/core/why/Why"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newestOf } from "../kit/Scenes.ts"
import { carryingProject, grant, own, rowsOf, statusOf } from "./CarryScenes.ts"

const [rpId, site] = ["pawl.example", "https://pawl.example"]
const personId = "usr_00000000-0000-4000-8000-000000000001" as const

/** A passkey of the person. */
const enrolled = Effect.gen(function* () {
  const passkey = yield* SoftwareAuthenticator.newPasskey(rpId)
  const { credential, publicKey: spki } = passkey
  const createdAt = yield* Time.now
  const subject = [{ name: credential, digest: { sha256: "0".repeat(64) } }]
  const facts = { credential, spki, user: personId, rpId }
  const { statement, writes } = yield* enchained({ kind: "approver", generation: null, subject, facts }, createdAt)
  const approver: Approver = { ...facts, enrolledAt: statement.entry, removedAt: null, createdAt }
  const all = [Commit.insert("approver", approver), ...writes]
  yield* (yield* Ledger).commit({ name: "SignedCarry.enrolled", projectId: null, writes: all })
  return passkey
})

/** The person grants it, and the passkey signs that. */
const sign = (
  by: SoftwareAuthenticator.Passkey,
  { id, changeId }: { readonly id: string; readonly changeId: string }
) =>
  Effect.gen(function* () {
    const { record } = yield* demand("candidate", id)
    const { challenge } = yield* challengeFor(record, "granted", person.id)
    const passkey = yield* SoftwareAuthenticator.answerOf(by, challenge, site)
    return yield* Approvals.decide(person, { changeId, candidateId: id, decision: "granted", passkey })
  })

/** A Candidate whose approval a passkey has signed, composed anew on what another Change made. */
const overtakenAfter = (projectId: string, passkey: SoftwareAuthenticator.Passkey) =>
  Effect.gen(function* () {
    const one = yield* candidateOf(projectId, "own", own)
    yield* sign(passkey, one)
    const rival = yield* candidateOf(projectId, "rival", { "else.js": "elsewhere" })
    yield* sign(passkey, rival)
    yield* Promotions.promote(person, rival.id)
    yield* settle
    return { one, again: (yield* newestOf(one.id))! }
  })

describe("An approval that a passkey must sign", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("is never carried over: who signed it is asked to sign for the new tree, and why says so", () =>
    run(
      Effect.gen(function* () {
        const passkey = yield* enrolled
        const projectId = yield* carryingProject({ approvalsSigned: ["medium"] })
        const { again, one } = yield* overtakenAfter(projectId, passkey)
        expect([again.status, again.diff]).toEqual(["verified", one.diff])
        expect(yield* rowsOf(again)).toEqual([])
        expect(yield* statusOf(one.changeId)).toBe("awaiting_approval")
        const { blocks, next } = yield* why(again.id)
        expect(blocks).toMatchObject([{ code: "approval_missing" }])
        expect(blocks[0]?.detail).toContain(
          "signed by a passkey for this very tree (what must be signed is never carried over)"
        )
        expect(next).toMatchObject({ code: "decide", granted: 0, owed: 1 })
        yield* sign(passkey, again)
        expect((yield* Promotions.promote(person, again.id)).outcome).toBe("promoted")
      })
    ))

  it("is not replaced by a row that says it was carried over", () =>
    run(
      Effect.gen(function* () {
        const passkey = yield* enrolled
        const projectId = yield* carryingProject({ approvalsSigned: ["medium"] })
        const { again, one } = yield* overtakenAfter(projectId, passkey)
        const [given] = yield* rowsOf(one)
        const forged = { ...given!, id: `apr_${"0".repeat(26)}` as const, candidateId: again.id, tree: again.tree! }
        const writes = [Commit.insert("approval", { ...forged, derivedFrom: given!.id, basis: again.diff! })]
        yield* (yield* Ledger).commit({ name: "SignedCarry.forged", projectId: again.projectId, writes })
        const owes = { _tag: "Blocked", blocks: [{ code: "approval_missing" }] }
        expect(yield* Effect.flip(Promotions.promote(person, again.id))).toMatchObject(owes)
      })
    ))

  it("is carried over, signed or not, where nobody need sign it", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject({ approvalsSigned: ["high"] })
        const one = yield* candidateOf(projectId, "own", own)
        yield* sign(yield* enrolled, one)
        const rival = yield* candidateOf(projectId, "rival", { "else.js": "elsewhere" })
        yield* grant(person, rival)
        yield* Promotions.promote(person, rival.id)
        yield* settle
        const again = (yield* newestOf(one.id))!
        expect(yield* rowsOf(again)).toMatchObject([{ tree: again.tree, approver: person.id }])
        expect((yield* Promotions.promote(person, again.id)).outcome).toBe("promoted")
      })
    ))
})
