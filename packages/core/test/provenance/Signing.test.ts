import { createHash } from "node:crypto"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { find } from "@pawl/core/ledger/Decision"
import { utf8 } from "@pawl/core/primitives/Digest"
import { rootOf } from "@pawl/core/provenance/Edge"
import { preAuthentication } from "@pawl/core/provenance/Envelope"
import { rawEd25519, verifies } from "@pawl/core/provenance/PublicKeys"
import { base64Bytes } from "@pawl/core/primitives/StrictBase64"
import { Signer } from "@pawl/core/provenance/Signer"
import { sign } from "@pawl/core/provenance/Signing"
import { Commands } from "@pawl/core/work/Commands"
import { begin, chain, hands, headOf, log, newSigner, run, settled, state, statement, work } from "./SigningWorld.ts"

describe("Statements are signed right after they were written", () => {
  it("by the command that their commit sends, each with a signature of its DSSE form", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(3)
        expect(yield* work).toBe(1)
        const keys = yield* (yield* Signer).keys
        for (const entry of [0, 1, 2]) {
          const { payload, signature } = yield* statement(entry)
          expect(signature?.keyid).toBe(keys.statement.keyid)
          const bytes = base64Bytes(signature?.sig ?? "")!
          expect(yield* verifies(keys.statement, preAuthentication(utf8(payload)), bytes)).toBe(true)
        }
        expect((yield* log()).signed).toBe(3)
      })
    ))

  it("in batches, and what is written meanwhile too", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        for (let turn = 0; turn < 4; turn++) yield* state(150)
        expect(yield* work).toBe(1)
        expect((yield* log()).signed).toBe(600)
        expect((yield* statement(599)).signature).not.toBeNull()
      })
    ))

  it("and keep the signature that was stored first, when two sign the same", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(20)
        yield* Effect.all([sign(chain), sign(chain), sign(chain)], { concurrency: "unbounded" })
        const first = yield* statement(7)
        yield* sign(chain)
        expect(yield* statement(7)).toEqual(first)
        expect((yield* log()).signed).toBe(20)
      })
    ))

  it("or wait, without a try, while the signer is away for 10 minutes, and are signed within 5 s of its return", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        hands.away = true
        for (let second = 0; second < 600; second += 2) {
          if (second % 60 === 0) yield* state(1)
          yield* work
          yield* TestClock.adjust("2 seconds")
        }
        expect(yield* find("chainLog", chain)).toBeNull()
        expect((yield* (yield* Commands).deadLetters(chain)).length).toBe(0)
        hands.away = false
        yield* TestClock.adjust("5 seconds")
        yield* settled
        expect((yield* log()).signed).toBe(10)
      })
    ))
})

describe("The history of keys", () => {
  it("begins with the keys of the first start, each proved and signed by the first", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(1)
        yield* settled
        const keys = yield* (yield* Signer).keys
        const said = yield* Effect.forEach([0, 1], (entry) => statement(entry, "instance"))
        const predicates = said.map(({ payload }) => JSON.parse(payload).predicate)
        expect(predicates).toMatchObject([
          { entry: 0, project: "instance", keyid: keys.statement.keyid, use: "statement", spki: keys.statement.spki },
          { entry: 1, previous: { sha256: said[0]!.digest }, keyid: keys.log.keyid, use: "log", name: "localhost" }
        ])
        for (const [at, key] of [keys.statement, keys.log].entries()) {
          const proof = base64Bytes(predicates[at].proof)!
          expect(yield* verifies(key, utf8(`pawl-key-v1 ${key.keyid}`), proof)).toBe(true)
          expect(said[at]!.signature?.keyid).toBe(keys.statement.keyid)
        }
      })
    ))

  it("lets no key of another instance sign, and says so", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(1)
        yield* settled
        hands.signer = yield* newSigner
        yield* state(1)
        yield* settled
        expect((yield* statement(1)).signature).toBeNull()
        expect((yield* log()).refused).toMatchObject({ code: "key_unknown" })
        hands.signer = null
        yield* TestClock.adjust("2 seconds")
        yield* settled
        expect((yield* statement(1)).signature).not.toBeNull()
        expect((yield* log()).refused).toBeNull()
      })
    ))
})

describe("A checkpoint", () => {
  const origin = `localhost/log/${chain}`

  it("is a signed note of C2SP, over all that is signed", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(5)
        yield* settled
        const { checkpoint, edge, size } = yield* log()
        expect(size).toBe(5)
        const root = Buffer.from(rootOf(edge)).toString("base64")
        const [text = "", signatureLine = ""] = (checkpoint ?? "").split("\n\n")
        expect(`${text}\n`).toBe(`${origin}\n5\n${root}\n`)
        const [dash, name, sig = ""] = signatureLine.trimEnd().split(" ")
        expect([dash, name]).toEqual(["—", origin])
        const key = (yield* (yield* Signer).keys).log
        const raw = Buffer.from(rawEd25519(key.spki)!)
        const hint = createHash("sha256").update(`${origin}\n`).update(Buffer.of(1)).update(raw).digest().subarray(0, 4)
        const bytes = Buffer.from(sig, "base64")
        expect(bytes.subarray(0, 4)).toEqual(hint)
        expect(yield* verifies(key, utf8(`${text}\n`), bytes.subarray(4))).toBe(true)
        expect(yield* headOf(origin)).toEqual({ size: 5, root })
      })
    ))

  it("is made at most every 10 seconds, and the last statement gets one all the same", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* state(1)
        yield* settled
        yield* state(1)
        yield* settled
        expect(yield* log()).toMatchObject({ signed: 2, size: 1 })
        yield* TestClock.adjust("10 seconds")
        yield* settled
        expect(yield* log()).toMatchObject({ signed: 2, size: 2 })
      })
    ))
})
