import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand, find } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Stored } from "@pawl/core/ledger/Commit"
import { utf8 } from "@pawl/core/primitives/Digest"
import { beginEpochs } from "@pawl/core/provenance/Epochs"
import { statementKey } from "@pawl/core/model/Statement"
import * as Time from "@pawl/core/primitives/Time"
import { preAuthentication } from "@pawl/core/provenance/Envelope"
import { type NewKey } from "@pawl/core/provenance/KeyHistory"
import { proofMessage } from "@pawl/core/provenance/PublicKeys"
import { verifies } from "@pawl/core/provenance/PublicKeys"
import { base64Bytes } from "@pawl/core/primitives/StrictBase64"
import { rotate } from "@pawl/core/provenance/Rotation"
import { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { Signer } from "@pawl/core/provenance/Signer"
import {
  another,
  begin,
  chain,
  hands,
  log,
  newSigner,
  run,
  type Service,
  settled,
  state,
  statement
} from "./SigningWorld.ts"
import { findings } from "./Verified.ts"

const asNew = (signer: Service) =>
  Effect.gen(function* () {
    const { statement } = yield* signer.keys
    const { sig } = yield* signer.sign("statement", proofMessage(statement.keyid))
    return { key: statement, use: "statement", proof: sig } satisfies NewKey
  })

const keyRow = (keyid: string) => Effect.map(demand("signingKey", keyid), ({ record }) => record)
const keyOf = (signer: Service) => Effect.map(signer.keys, ({ statement }) => statement)
const signerOf = (entry: number, of: typeof chain | typeof another = chain) =>
  Effect.map(statement(entry, of), ({ signature }) => signature?.keyid ?? null)

/** A new signer with the log's key of the one before, as in a data folder. */
const successor = Effect.gen(function* () {
  const next = yield* newSigner
  const old = hands.first ?? next
  const { log } = yield* old.keys
  return {
    keys: Effect.map(next.keys, ({ statement }) => ({ statement, log })),
    sign: (use, message) => (use === "log" ? old : next).sign(use, message)
  } satisfies Service
})

const rotated = (stolen: ReadonlyMap<string, number> | null = null) =>
  Effect.gen(function* () {
    const old = yield* Signer
    const next = yield* successor
    const before = yield* keyOf(old)
    yield* rotate({ next: yield* asNew(next), sign: (message) => old.sign("statement", message), stolen })
    hands.signer = next
    return { before: before.keyid, after: (yield* keyOf(next)).keyid }
  })

describe("A rotation", () => {
  it("is signed by the old key, proved by the new one, and names how far the old one has signed each chain", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* begin(another)
        yield* state(3)
        yield* state(2, another)
        yield* settled
        const { after, before } = yield* rotated()
        const said = yield* statement(2, "instance")
        const { predicate } = JSON.parse(said.payload)
        expect(predicate).toMatchObject({
          keyid: after,
          retires: [{ keyid: before, heads: { [chain]: 3, [another]: 2 } }]
        })
        const old = yield* keyRow(before)
        expect(old).toMatchObject({ state: "retired", endedAt: 2 })
        expect(yield* keyRow(after)).toMatchObject({ state: "current", introducedAt: 2 })
        expect(said.signature?.keyid).toBe(before)
        const message = preAuthentication(utf8(said.payload))
        expect(yield* verifies(old, message, base64Bytes(said.signature?.sig ?? "")!)).toBe(true)
        const fresh = yield* keyRow(after)
        expect(yield* verifies(fresh, proofMessage(after), base64Bytes(predicate.proof)!)).toBe(true)
      })
    ))

  it("leaves what is unsigned to the new key, and what was signed as it is", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(2)
        yield* settled
        hands.away = true
        yield* state(1)
        yield* settled
        hands.away = false
        const { after, before } = yield* rotated()
        yield* TestClock.adjust("3 seconds")
        yield* settled
        yield* state(1)
        yield* settled
        expect(yield* Effect.forEach([0, 1, 2, 3], (entry) => signerOf(entry))).toEqual([before, before, after, after])
        const { predicate } = JSON.parse((yield* statement(2, "instance")).payload)
        expect(predicate.retires[0].heads).toEqual({ [chain]: 2 })
      })
    ))

  it("under load lets the old key sign nothing beyond what it is said to have signed", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(1)
        yield* settled
        const load = Effect.gen(function* () {
          for (let turn = 0; turn < 30; turn++) {
            yield* state(3)
            yield* settled
          }
        })
        const [{ before }] = yield* Effect.all([Effect.andThen(Effect.yieldNow, rotated()), load], {
          concurrency: "unbounded"
        })
        yield* TestClock.adjust("10 seconds")
        yield* settled
        const { predicate } = JSON.parse((yield* statement(2, "instance")).payload)
        const head = predicate.retires[0].heads[chain] as number
        const signers = yield* Effect.forEach(
          Array.from({ length: 91 }, (_, entry) => entry),
          (entry) => signerOf(entry)
        )
        expect(signers.slice(0, head).every((keyid) => keyid === before)).toBe(true)
        expect(signers.slice(head).some((keyid) => keyid === before || keyid === null)).toBe(false)
      })
    ))

  it("that is done again after a death goes on with the same key, and states it once", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(2)
        yield* settled
        const old = yield* Signer
        const next = yield* asNew(yield* successor)
        const died = Effect.fail("died" as const)
        const first = rotate({ next, sign: () => Effect.orDie(died), stolen: null })
        yield* Effect.exit(first)
        yield* state(1)
        yield* settled
        expect(yield* signerOf(2)).toBeNull()
        const again = rotate({ next, sign: (message) => old.sign("statement", message), stolen: null })
        yield* again
        yield* again
        expect((yield* find("chain", "instance"))?.record.size).toBe(3)
        const { predicate } = JSON.parse((yield* statement(2, "instance")).payload)
        expect(predicate.retires[0].heads).toEqual({ [chain]: 2 })
      })
    ))

  it("of a stolen key has later entries signed anew, once an audit has found nothing", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(4)
        yield* settled
        const { after, before } = yield* rotated(new Map([[chain, 2]]))
        expect(yield* keyRow(before)).toMatchObject({ state: "revoked" })
        const { predicate } = JSON.parse((yield* statement(2, "instance")).payload)
        expect(predicate.retires).toEqual([{ keyid: before, revoked: true, heads: { [chain]: 2 } }])
        yield* settled
        expect((yield* log()).refused).toMatchObject({ code: "audit_pending" })
        expect(yield* signerOf(3)).toBe(before)
        yield* TestClock.adjust("3 seconds")
        const audit = {
          projectId: chain,
          auditedAt: yield* Time.now,
          generations: 1,
          findings: [],
          moreFindings: 0,
          notes: []
        }
        yield* (yield* Ledger).commit({ name: "audit", projectId: chain, writes: [Commit.insert("audit", audit)] })
        yield* settled
        expect(yield* Effect.forEach([0, 1, 2, 3], (entry) => signerOf(entry))).toEqual([before, before, after, after])
        expect((yield* log()).refused).toBeNull()
      })
    ))
})

describe("A database that was put back", () => {
  const origin = `localhost/log/${chain}`

  /** Makes the signer remember a longer log than the one that is there: what a backup of the database looks like. */
  const putBack = (size: number) =>
    Effect.flatMap(SignedHeads, (heads) => heads.set(origin, { size, root: Base64.encode(new Uint8Array(32)) }))

  it("is signed no further: nothing contradicts what was signed before", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(3)
        yield* settled
        yield* putBack(5)
        yield* state(1)
        yield* settled
        expect((yield* log()).refused).toMatchObject({ code: "log_behind" })
        // Grown beyond it, it is still another history.
        yield* state(4)
        yield* TestClock.adjust("5 seconds")
        yield* settled
        expect((yield* statement(3)).signature).toBeNull()
        expect((yield* log()).signed).toBe(3)
      })
    ))

  it("goes on in a new epoch, which says what is lost and has a log of its own", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(3)
        yield* settled
        yield* putBack(5)
        yield* state(1)
        yield* settled
        expect(yield* beginEpochs).toEqual([{ chain, epoch: 2, lost: 2 }])
        expect(yield* beginEpochs).toEqual([])
        yield* TestClock.adjust("15 seconds")
        yield* settled
        const { kind, payload, signature } = yield* statement(4)
        const { predicate } = JSON.parse(payload)
        expect([kind, signature === null]).toEqual(["restored", false])
        expect(predicate).toMatchObject({ epoch: 2, old: { origin, size: 5 }, lost: { from: 3, to: 5 } })
        const { checkpoint, refused, size } = yield* log()
        expect([refused, size]).toEqual([null, 5])
        expect(checkpoint?.startsWith(`${origin}/2\n5\n`)).toBe(true)
      })
    ))

  /** The rows of a chain as they are now; what it answers puts them back, as a copy of the database does. */
  const copied = Effect.gen(function* () {
    const read = Effect.gen(function* () {
      const stored = yield* demand("chain", chain)
      const entries = Array.from({ length: stored.record.size }, (_, entry) => statementKey(chain, entry))
      return {
        chain: stored,
        log: yield* demand("chainLog", chain),
        statements: yield* Effect.forEach(entries, (key) => demand("statement", key)),
        told: yield* Effect.forEach(entries, (key) => find("particulars", key))
      }
    })
    const before = yield* read
    return Effect.gen(function* () {
      const now = yield* read
      const gone = (kind: "statement" | "particulars") => (each: Stored<{ readonly entry: number }> | null) =>
        each === null
          ? []
          : [{ _tag: "Delete", kind, id: statementKey(chain, each.record.entry), revision: each.revision } as const]
      const commit = (writes: ReadonlyArray<Commit.Write>) =>
        Effect.flatMap(Ledger, (ledger) => ledger.commit({ name: "put back", projectId: chain, writes }))
      yield* commit([...now.statements.flatMap(gone("statement")), ...now.told.flatMap(gone("particulars"))])
      yield* commit([
        Commit.update("chain", now.chain, before.chain.record),
        Commit.update("chainLog", now.log, before.log.record),
        ...before.statements.map(({ record }) => Commit.insert("statement", record)),
        ...before.told.flatMap((each) => (each === null ? [] : [Commit.insert("particulars", each.record)]))
      ])
    })
  })

  it("to before an epoch that the signer has gone on in is signed no further, and goes through it into one of its own", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(3)
        yield* settled
        const shorter = yield* copied
        yield* state(2)
        yield* settled
        const back = yield* copied
        // Put back once, and gone on in epoch 2.
        yield* shorter
        expect(yield* beginEpochs).toEqual([{ chain, epoch: 2, lost: 2 }])
        yield* state(3)
        yield* TestClock.adjust("10 seconds")
        yield* settled
        const seen = (yield* log()).checkpoint!
        expect(seen.startsWith(`${origin}/2\n7\n`)).toBe(true)
        // And once more, to what agrees with all that was signed in epoch 1.
        yield* back
        yield* state(1)
        yield* settled
        expect(yield* log()).toMatchObject({ signed: 5, refused: { code: "log_behind" } })
        expect(yield* beginEpochs).toEqual([
          { chain, epoch: 2, lost: 0 },
          { chain, epoch: 3, lost: 7 }
        ])
        expect(yield* beginEpochs).toEqual([])
        yield* TestClock.adjust("15 seconds")
        yield* settled
        const lost = yield* Effect.forEach([6, 7], (entry) => statement(entry))
        expect(lost.map(({ payload }) => JSON.parse(payload).predicate)).toMatchObject([
          { epoch: 2, old: { origin, size: 5 }, lost: null },
          { epoch: 3, old: { origin: `${origin}/2`, size: 7 }, lost: { from: 0, to: 7 } }
        ])
        expect(yield* log()).toMatchObject({ signed: 8, refused: null })
        expect(yield* findings()).toEqual([])
        expect(yield* findings({ seen: [seen] })).toEqual(["history_lost at seen checkpoint"])
      })
    ))

  it("is none when only the answer of a signature was lost", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(3)
        yield* settled
        const stored: Stored<unknown> | null = yield* find("chainLog", chain)
        yield* state(2)
        yield* settled
        // As after a death between the signer's memory and the commit: the database is where it was before.
        const now = yield* demand("chainLog", chain)
        const before = (stored as typeof now).record
        const back = Commit.update("chainLog", now, before)
        yield* (yield* Ledger).commit({ name: "back", projectId: chain, writes: [back] })
        yield* state(1)
        yield* settled
        expect(yield* log()).toMatchObject({ signed: 6, refused: null })
      })
    ))
})
