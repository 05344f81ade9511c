/** Which keys the router of a machine believes, and what it remembers of those that ended: over a real key history. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, describe, expect, it } from "vitest"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { statementKey } from "@pawl/core/model/Statement"
import { proofMessage } from "@pawl/core/provenance/PublicKeys"
import { rotate } from "@pawl/core/provenance/Rotation"
import { ReleaseTrust } from "@pawl/core/provenance/TrustedKeys"
import * as ReleaseKeys from "../../src/node/ReleaseKeys.ts"
import { forgetSeen } from "../../src/node/SeenKeys.ts"
import { begin, chain, hands, newSigner, run, settled, state } from "../../../core/test/provenance/SigningWorld.ts"

const folders: Array<string> = []
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-keys-"))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A router that starts on a data folder. */
const router = (data: string, trustedKeys: ReadonlyArray<string> = []) =>
  Effect.provide(ReleaseTrust, ReleaseKeys.layer({ data, trustedKeys, provenance: "enforce" }))

/** The first two keys are introduced, and two statements of a Project are signed. */
const begun = Effect.gen(function* () {
  yield* begin()
  yield* state(2)
  yield* settled
  return (yield* hands.first!.keys).statement.keyid
})

/** Another key takes the place of the first; answers its id. */
const rotated = Effect.gen(function* () {
  const [old, next] = [hands.first!, yield* newSigner]
  const { log } = yield* old.keys
  const { statement: key } = yield* next.keys
  const { sig: proof } = yield* next.sign("statement", proofMessage(key.keyid))
  yield* rotate({
    next: { key, use: "statement", proof },
    sign: (message) => old.sign("statement", message),
    stolen: null
  })
  hands.signer = {
    keys: Effect.succeed({ statement: key, log }),
    sign: (use, message) => (use === "log" ? old : next).sign(use, message)
  }
  yield* settled
  return key.keyid
})

/** As whoever can write to the database, and has no key. */
const stealing = (writes: ReadonlyArray<Commit.Write>) =>
  Effect.flatMap(Ledger, (ledger) => ledger.commit({ name: "stolen", projectId: null, writes }))

/** The entry that ended the first key is deleted, and the chain cut off before it. */
const cutOff = Effect.gen(function* () {
  const id = statementKey("instance", 2)
  const { revision } = yield* demand("statement", id)
  const end = yield* demand("chain", "instance")
  yield* stealing([{ _tag: "Delete", kind: "statement", id, revision }, Commit.update("chain", end, { size: 2 })])
})

/** That entry has no signature any more, so that nobody says it. */
const unsigned = Effect.gen(function* () {
  const entry = yield* demand("statement", statementKey("instance", 2))
  yield* stealing([Commit.update("statement", entry, { signature: null })])
})

/** An entry before it says something else. */
const changed = Effect.gen(function* () {
  const entry = yield* demand("statement", statementKey("instance", 1))
  const payload = entry.record.payload.replace('"localhost"', '"elsewhere"')
  yield* stealing([Commit.update("statement", entry, { payload })])
})

describe("The keys that a router believes", () => {
  it("are the first that its data folder saw, which it pins, and the one that its machine signs with", () =>
    run(
      Effect.gen(function* () {
        const data = newFolder()
        const first = yield* begun
        const { keyOf, mode } = yield* router(data)
        expect(mode).toBe("enforce")
        expect(yield* keyOf(first)).toMatchObject({ keyid: first, use: "statement", ended: null })
        expect(readFileSync(join(data, "trusted-keys"), "utf8")).toBe(`${first}\n`)
        expect(yield* keyOf(`SHA256:${"A".repeat(43)}`)).toBeNull()
        hands.signer = yield* newSigner
        const own = (yield* hands.signer.keys).statement.keyid
        const again = yield* router(data)
        expect(yield* again.keyOf(own)).toMatchObject({ ended: null })
        expect(yield* again.keyOf(first)).toMatchObject({ ended: null })
      })
    ))

  it("are those of the option alone where it names some, with those that they introduced", () =>
    run(
      Effect.gen(function* () {
        const data = newFolder()
        const first = yield* begun
        const next = yield* rotated
        const { keyOf } = yield* router(data, [first])
        expect(yield* keyOf(first)).toMatchObject({ ended: { heads: { [chain]: 2 } } })
        expect(yield* keyOf(next)).toMatchObject({ ended: null })
        expect(existsSync(join(data, "trusted-keys"))).toBe(false)
        const stranger = yield* router(newFolder(), [`SHA256:${"A".repeat(43)}`])
        expect([yield* stranger.keyOf(first), yield* stranger.keyOf(next)]).toEqual([null, null])
      })
    ))

  it("are read anew after a minute, and are of another state then only when they are others", () =>
    run(
      Effect.gen(function* () {
        const first = yield* begun
        const trust = yield* router(newFolder())
        const before = yield* trust.state!()
        yield* TestClock.adjust("61 seconds")
        expect(yield* trust.state!()).toBe(before)
        yield* rotated
        expect(yield* trust.state!()).toBe(before)
        yield* TestClock.adjust("61 seconds")
        expect(yield* trust.state!()).not.toBe(before)
        expect(yield* trust.keyOf(first)).toMatchObject({ ended: { revoked: false, heads: { [chain]: 2 } } })
      })
    ))

  const thefts = [
    ["the entry that ended it is deleted", cutOff],
    ["that entry's signature is taken away", unsigned],
    ["an entry before that one is another", changed]
  ] as const
  for (const [what, theft] of thefts)
    it(`do not come back once a router has seen that they ended: where ${what}`, () =>
      run(
        Effect.gen(function* () {
          const first = yield* begun
          const next = yield* rotated
          const chosen: ReadonlyArray<ReadonlyArray<string>> = [[], [first], [first, next]]
          const routers = chosen.map((keys) => ({ data: newFolder(), keys }))
          for (const { data, keys } of routers) yield* (yield* router(data, keys)).keyOf(first)
          yield* theft
          for (const { data, keys } of routers) {
            const { keyOf } = yield* router(data, keys)
            const found = yield* keyOf(first)
            expect(found === null || found.ended?.heads[chain] === 2).toBe(true)
          }
        })
      ))

  it("still count in a router that runs, when the history is cut off meanwhile", () =>
    run(
      Effect.gen(function* () {
        yield* begun
        const next = yield* rotated
        const { keyOf } = yield* router(newFolder())
        expect(yield* keyOf(next)).toMatchObject({ ended: null })
        yield* cutOff
        yield* TestClock.adjust("61 seconds")
        expect(yield* keyOf(next)).toMatchObject({ ended: null })
      })
    ))

  it("begin anew when the operator says that what was seen is lost, and what is remembered only its owner reads", () =>
    run(
      Effect.gen(function* () {
        const data = newFolder()
        const first = yield* begun
        yield* rotated
        yield* (yield* router(data, [first])).keyOf(first)
        const file = join(data, "key-history")
        expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ size: 3, ended: [{ keyid: first }] })
        expect(statSync(file).mode & 0o777).toBe(0o600)
        yield* cutOff
        expect(yield* (yield* router(data, [first])).keyOf(first)).toBeNull()
        forgetSeen(data)
        expect(yield* (yield* router(data, [first])).keyOf(first)).toMatchObject({ ended: null })
      })
    ))
})
