import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { demand, find } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as Commit from "@pawl/core/ledger/Commit"
import { EventLog } from "@pawl/core/event/EventLog"
import { checkpointText, signedNote } from "@pawl/core/provenance/Checkpoint"
import { rootOf } from "@pawl/core/provenance/Edge"
import { rotateLog } from "@pawl/core/provenance/LogRotation"
import { rawEd25519 } from "@pawl/core/provenance/PublicKeys"
import { Signer } from "@pawl/core/provenance/Signer"
import { utf8 } from "@pawl/core/primitives/Digest"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { another, begin, chain, hands, log, run, settled, state, statement } from "./SigningWorld.ts"
import { asNext, findings, newPair, type Pair, signerOf } from "./Verified.ts"

/** A signer whose keys a test has. */
const own = Effect.sync(() => {
  const [statementPair, logPair] = [newPair("statement"), newPair("log")]
  hands.signer = signerOf(statementPair, logPair)
  return { statementPair, logPair }
})

/** Puts another key in the log's place. */
const rotated = (
  {
    handsOver = true,
    stolen = null
  }: { readonly handsOver?: boolean; readonly stolen?: ReadonlyMap<string, number> | null },
  statementPair: Pair
) =>
  Effect.gen(function* () {
    const pair = newPair("log")
    const next = yield* asNext(pair, "log", handsOver ? yield* Signer : undefined)
    yield* rotateLog({ next, sign: (message) => Effect.sync(() => statementPair.sign(message)), stolen })
    hands.signer = signerOf(statementPair, pair)
    return pair
  })

/** Statements, and a checkpoint over them. */
const logged = (count: number) =>
  Effect.gen(function* () {
    yield* state(count)
    yield* TestClock.adjust("10 seconds")
    yield* settled
    return yield* log()
  })

/** A checkpoint of what stands there, made by a key of somebody's choice. */
const noteBy = ({ shown, sign }: Pair, of: Effect.Success<ReturnType<typeof log>>) => {
  const text = checkpointText(`localhost/log/${chain}`, of.signed, rootOf(of.edge))
  return signedNote(text, rawEd25519(shown.spki)!, Buffer.from(sign(utf8(text)).sig, "base64"))
}

describe("A rotation of the log's key", () => {
  it("is vouched for by the key of statements, and says up to which size the old one made checkpoints", () =>
    run(
      Effect.gen(function* () {
        const { logPair, statementPair } = yield* own
        yield* begin()
        yield* begin(another)
        yield* logged(3)
        const pair = yield* rotated({}, statementPair)
        const said = yield* statement(2, "instance")
        const { predicate } = JSON.parse(said.payload)
        const heads = { [chain]: 3, [another]: 0, instance: 2 }
        expect(predicate).toMatchObject({
          keyid: pair.shown.keyid,
          use: "log",
          name: "localhost",
          handover: { keyid: logPair.shown.keyid },
          retires: [{ keyid: logPair.shown.keyid, heads }]
        })
        expect(said.signature?.keyid).toBe(statementPair.shown.keyid)
        expect((yield* demand("signingKey", logPair.shown.keyid)).record.state).toBe("retired")
        const events = yield* (yield* EventLog).read(chain, 0, 100)
        expect(events.findLast(({ type }) => type === "key.rotated")?.data).toEqual({
          keyid: pair.shown.keyid,
          retired: logPair.shown.keyid,
          head: 3,
          use: "log"
        })
      })
    ))

  it("leaves old checkpoints good, and has new ones made by the new key, whichever of the two is pinned", () =>
    run(
      Effect.gen(function* () {
        const { logPair, statementPair } = yield* own
        yield* begin()
        const before = (yield* logged(3)).checkpoint!
        const pair = yield* rotated({}, statementPair)
        const stands = (yield* log()).checkpoint
        expect([stands, yield* findings({ logKey: logPair.shown.spki })]).toEqual([before, []])
        const after = yield* logged(2)
        expect(after.size).toBe(5)
        expect(after.checkpoint).toBe(noteBy(pair, after))
        for (const logKey of [logPair.shown.spki, pair.shown.spki])
          expect(yield* findings({ logKey, seen: [before] })).toEqual([])
        expect(yield* findings({ seen: [before] })).toEqual([])
        // Beyond what it is said to have made, the old key makes none.
        expect(yield* findings({ checkpoint: noteBy(logPair, after) })).toEqual(["checkpoint_signature at checkpoint"])
      })
    ))

  it("that the old key did not hand over is followed by nobody who pinned that one", () =>
    run(
      Effect.gen(function* () {
        const { logPair, statementPair } = yield* own
        yield* begin()
        const before = (yield* logged(3)).checkpoint!
        const pair = yield* rotated({ handsOver: false }, statementPair)
        yield* logged(2)
        expect(yield* findings({ logKey: logPair.shown.spki, keysCheckpoint: null })).toEqual([
          "checkpoint_signature at checkpoint"
        ])
        expect(yield* findings({ logKey: pair.shown.spki, keysCheckpoint: null })).toEqual([])
        expect(yield* findings({ seen: [before] })).toEqual([])
      })
    ))

  it("of a stolen key has later checkpoints made anew, and published again from there", () =>
    run(
      Effect.gen(function* () {
        const { logPair, statementPair } = yield* own
        yield* begin()
        yield* logged(3)
        const after = yield* logged(2)
        const stored = yield* demand("chainLog", chain)
        const published = [{ publisher: "somewhere", size: 5, mark: "mark" }]
        const writes = [Commit.update("chainLog", stored, { published })]
        yield* (yield* Ledger).commit({ name: "published", projectId: chain, writes })
        const pair = yield* rotated({ handsOver: false, stolen: new Map([[chain, 3]]) }, statementPair)
        expect((yield* demand("signingKey", logPair.shown.keyid)).record.state).toBe("revoked")
        yield* settled
        expect(yield* findings({ checkpoint: after.checkpoint })).toEqual(["checkpoint_signature at checkpoint"])
        const anew = yield* log()
        expect(anew).toMatchObject({ size: 5, published: [{ publisher: "somewhere", size: 3, mark: "mark" }] })
        expect(anew.checkpoint).toBe(noteBy(pair, anew))
        expect(yield* findings()).toEqual([])
      })
    ))

  it("that is cut short at any of its commits is done when it is asked for again, and stated once", async () => {
    let deaths = 0
    for (let at = 0; ; at++) {
      let commits = 0
      const dying: Around = (call, effect) =>
        call.method === "commit" && commits++ === at ? Effect.die(new Error("killed")) : effect
      const isDone = await run(
        Effect.gen(function* () {
          const { logPair, statementPair } = yield* own
          yield* begin()
          yield* logged(3)
          const next = yield* asNext(newPair("log"), "log", yield* Signer)
          const rotation = rotateLog({
            next,
            sign: (message) => Effect.sync(() => statementPair.sign(message)),
            stolen: null
          })
          const real = yield* Ledger
          const died = yield* Effect.exit(Effect.provideService(rotation, Ledger, wrap(Ledger, real, dying)))
          // What is there is good as it is, and statements go on.
          yield* state(1)
          yield* settled
          expect(yield* findings()).toEqual([])
          yield* rotation
          yield* rotation
          expect((yield* find("chain", "instance"))?.record.size).toBe(3)
          const { predicate } = JSON.parse((yield* statement(2, "instance")).payload)
          expect(predicate.retires).toEqual([{ keyid: logPair.shown.keyid, heads: { [chain]: 3, instance: 2 } }])
          return died._tag === "Success"
        })
      )
      if (isDone) break
      deaths++
    }
    expect(deaths).toBeGreaterThanOrEqual(3)
  })
})
