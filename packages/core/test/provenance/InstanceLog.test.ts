import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as MemoryPublisher from "@pawl/adapters-memory/MemoryPublisher"
import { demand } from "@pawl/core/ledger/Decision"
import { Limits } from "@pawl/core/primitives/Limits"
import { rootOf } from "@pawl/core/provenance/Edge"
import { beginEpochs } from "@pawl/core/provenance/Epochs"
import { allKeys } from "@pawl/core/provenance/KeyHistory"
import { introduceAlso } from "@pawl/core/provenance/Keys"
import { publish } from "@pawl/core/provenance/Publishing"
import { rotate } from "@pawl/core/provenance/Rotation"
import { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { Signer } from "@pawl/core/provenance/Signer"
import type { ChainId } from "@pawl/core/model/Statement"
import { Commands } from "@pawl/core/work/Commands"
import { execute } from "@pawl/core/work/Processes"
import { begin, chain, hands, headOf, log, run, settled, state, statement } from "./SigningWorld.ts"
import { asNext, findings, newPair, type Pair, signerOf } from "./Verified.ts"

const origin = "localhost/log/instance"

/** Does what is due of publishing, for whichever chain. */
const published = Effect.gen(function* () {
  const kinds = ["checkpoint.publish"] as const
  const asked = { worker: "test", kinds, limit: 10, leaseMs: Limits.commandLeaseMs }
  const claimed = yield* (yield* Commands).claim(asked)
  const body = ({ payload }: { readonly payload: Readonly<Record<string, unknown>> }) =>
    publish(payload["chain"] as ChainId, String(payload["publisher"]))
  yield* Effect.forEach(claimed, (leased) => execute(leased, { "checkpoint.publish": body }))
})

/** One more key in the history. */
const introduced = Effect.gen(function* () {
  const pair = newPair("statement")
  yield* introduceAlso({ ...(yield* asNext(pair, "statement")), use: "recovery" })
  return pair
})

/** Makes the signer remember a longer log than the one that is there: what a backup of the database looks like. */
const putBack = (size: number) =>
  Effect.flatMap(SignedHeads, (heads) => heads.set(origin, { size, root: Base64.encode(new Uint8Array(32)) }))

describe("The history of keys has a log as each Project has", () => {
  it("with a checkpoint over all of it, and a head beside the keys", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(1)
        yield* settled
        yield* TestClock.adjust("10 seconds")
        yield* settled
        const { checkpoint, edge, size } = yield* log("instance")
        const root = Buffer.from(rootOf(edge)).toString("base64")
        expect(size).toBe(2)
        expect(checkpoint?.startsWith(`${origin}\n2\n${root}\n\n— ${origin} `)).toBe(true)
        expect(yield* headOf(origin)).toEqual({ size: 2, root })
        expect(yield* findings({ heads: { [origin]: { size: 2, root } } })).toEqual([])
      })
    ))

  it("so that who verifies misses an entry that was cut off, and sees one that was replaced", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(1)
        yield* settled
        const kept = (yield* log("instance")).checkpoint!
        yield* introduced
        yield* TestClock.adjust("10 seconds")
        yield* settled
        const newest = yield* log("instance")
        expect([newest.size, yield* findings({ seen: [kept] })]).toEqual([3, []])
        const longer = { size: 4, root: Buffer.alloc(32).toString("base64") }
        expect(yield* findings({ heads: { [origin]: longer } })).toEqual(["log_behind at key checkpoint"])
        // As after the entry of a revocation was cut off: what is left is whole in itself.
        expect(yield* findings({ cut: 1 })).toEqual(["statements_missing at key checkpoint"])
        expect(yield* findings({ cut: 1, keysCheckpoint: kept, seen: [newest.checkpoint!] })).toEqual([
          "statements_missing at seen key checkpoint"
        ])
      })
    ))

  it("which is published beside each Project's, and by itself", () => {
    const kept: MemoryPublisher.PublishedInMemory = { publications: [], away: false }
    return run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(1)
        yield* settled
        yield* published
        const note = (yield* log("instance")).checkpoint
        expect(kept.publications.find((each) => each.chain === "instance")).toMatchObject({
          from: 0,
          checkpoint: note
        })
        yield* state(1)
        yield* TestClock.adjust("10 seconds")
        yield* settled
        yield* published
        expect(kept.publications.findLast((each) => each.chain === chain)?.keysCheckpoint).toBe(note)
      }).pipe(Effect.provide(MemoryPublisher.layerMemory(kept)))
    )
  })
})

describe("A history of keys that was put back", () => {
  it("is signed no further, and takes no rotation", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(1)
        yield* settled
        yield* putBack(5)
        yield* introduced
        yield* settled
        expect((yield* statement(2, "instance")).signature).toBeNull()
        expect((yield* log("instance")).refused).toMatchObject({ code: "log_behind" })
        const old = yield* Signer
        const next = yield* asNext(newPair("statement"), "statement")
        const refused = rotate({ next, sign: (message) => old.sign("statement", message), stolen: null })
        expect(yield* Effect.flip(refused)).toMatchObject({ _tag: "SigningRefused", code: "log_behind" })
        // Projects go on.
        yield* state(1)
        yield* TestClock.adjust("2 seconds")
        yield* settled
        expect((yield* statement(1)).signature).not.toBeNull()
      })
    ))

  it("goes on in a new epoch, which says what is lost", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(1)
        yield* settled
        const before = (yield* log("instance")).checkpoint!
        yield* putBack(5)
        yield* introduced
        yield* settled
        expect(yield* beginEpochs).toEqual([{ chain: "instance", epoch: 2, lost: 3 }])
        expect(yield* beginEpochs).toEqual([])
        yield* TestClock.adjust("10 seconds")
        yield* settled
        const said = yield* statement(3, "instance")
        expect([said.kind, JSON.parse(said.payload).predicate]).toMatchObject([
          "restored",
          { project: "instance", epoch: 2, generation: null, old: { origin, size: 5 }, lost: { from: 2, to: 5 } }
        ])
        const { checkpoint, refused, size } = yield* log("instance")
        expect([refused, size, checkpoint?.split("\n", 1)[0]]).toEqual([null, 4, `${origin}/2`])
        expect(yield* findings({ seen: [before] })).toEqual([])
        // What comes after it is of that epoch too.
        yield* introduced
        yield* settled
        expect(yield* findings()).toEqual([])
      })
    ))
})

/** Begins with a new key where the one before is lost, vouched for by nobody unless somebody is named; answers it. */
const resetBy = (voucher?: Pair) =>
  Effect.gen(function* () {
    const [statementPair, logPair] = [newPair("statement"), newPair("log")]
    const next = yield* asNext(statementPair, "statement")
    const sign = (message: Uint8Array) => Effect.sync(() => (voucher ?? statementPair).sign(message))
    yield* rotate({ next, sign, stolen: null, lost: true })
    hands.signer = signerOf(statementPair, logPair)
    hands.away = false
    return statementPair.shown.keyid
  })
const reset = resetBy()

describe("A break: a new key that no other one vouches for", () => {
  it("is found by who trusts the first key alone, and passes for who is told of the new one too", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(2)
        yield* settled
        const first = yield* (yield* Signer).keys
        const [statementPair, logPair] = [newPair("statement"), newPair("log")]
        const next = yield* asNext(statementPair, "statement")
        yield* rotate({ next, sign: (message) => Effect.sync(() => statementPair.sign(message)), stolen: null })
        hands.signer = signerOf(statementPair, logPair)
        yield* state(2)
        yield* settled
        expect(yield* findings({ checkpoint: null })).toContain("key_unknown at key 2")
        const keys = [first.statement.keyid, statementPair.shown.keyid]
        expect(yield* findings({ keys })).toEqual([])
        expect((yield* statement(3)).signature?.keyid).toBe(statementPair.shown.keyid)
      })
    ))

  it("has what the lost key left unsigned of the history stand behind it, told anew", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(2)
        yield* settled
        const first = yield* (yield* Signer).keys
        hands.away = true
        yield* introduced
        yield* introduced
        yield* state(1)
        yield* settled
        const after = yield* reset
        yield* introduced
        yield* TestClock.adjust("10 seconds")
        yield* settled
        const all = yield* Effect.forEach([2, 3, 4, 5], (entry) => statement(entry, "instance"))
        const said = all.map(({ payload }) => JSON.parse(payload).predicate)
        expect(said.map(({ use }) => use)).toEqual(["statement", "recovery", "recovery", "recovery"])
        expect(all.map(({ signature }) => signature?.keyid)).toEqual([after, after, after, after])
        const keys = yield* allKeys
        for (const { entry, keyid } of said)
          expect(keys.find(({ record }) => record.keyid === keyid)?.record.introducedAt).toBe(entry)
        const both = [first.statement.keyid, after]
        expect(yield* findings({ keys: both, checkpoint: null, keysCheckpoint: null })).toEqual([])
        expect((yield* log("instance")).refused).toBeNull()
      })
    ))

  it("follows a new epoch of the history, which the lost key could not sign any more", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(2)
        yield* settled
        const first = yield* (yield* Signer).keys
        yield* putBack(5)
        hands.away = true
        expect(yield* beginEpochs).toEqual([{ chain: "instance", epoch: 2, lost: 3 }])
        const after = yield* reset
        yield* state(1)
        yield* TestClock.adjust("10 seconds")
        yield* settled
        const all = yield* Effect.forEach([2, 3], (entry) => statement(entry, "instance"))
        expect(all.map(({ kind, payload }) => [kind, JSON.parse(payload).predicate.epoch])).toEqual([
          ["key", 1],
          ["restored", 2]
        ])
        const both = [first.statement.keyid, after]
        expect(yield* findings({ keys: both, checkpoint: null, keysCheckpoint: null })).toEqual([])
        expect((yield* statement(2)).signature?.keyid).toBe(after)
      })
    ))
})

describe("A recovery key", () => {
  it("introduces the key after a lost one, for who trusts the first alone", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(2)
        yield* settled
        const recovery = yield* introduced
        yield* settled
        hands.away = true
        yield* state(1)
        const after = yield* resetBy(recovery)
        yield* settled
        expect((yield* statement(3, "instance")).signature?.keyid).toBe(recovery.shown.keyid)
        expect((yield* statement(2)).signature?.keyid).toBe(after)
        expect(yield* findings({ checkpoint: null, keysCheckpoint: null })).toEqual([])
      })
    ))

  it("whose introduction was never signed introduces nothing: the reset goes on as a break, with the key told anew behind it", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(2)
        yield* settled
        const first = yield* (yield* Signer).keys
        hands.away = true
        const recovery = yield* introduced
        yield* state(1)
        yield* settled
        const history = yield* demand("chain", "instance")
        expect(yield* Effect.flip(resetBy(recovery))).toMatchObject({ _tag: "SigningRefused", code: "key_unknown" })
        expect(yield* demand("chain", "instance")).toEqual(history)
        const after = yield* reset
        yield* TestClock.adjust("10 seconds")
        yield* settled
        const told = yield* Effect.forEach([2, 3], (entry) => statement(entry, "instance"))
        expect(told.map(({ payload }) => JSON.parse(payload).predicate.keyid)).toEqual([after, recovery.shown.keyid])
        expect(told.map(({ signature }) => signature?.keyid)).toEqual([after, after])
        const both = [first.statement.keyid, after]
        expect(yield* findings({ keys: both, checkpoint: null, keysCheckpoint: null })).toEqual([])
      })
    ))
})
