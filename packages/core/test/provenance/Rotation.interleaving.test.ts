import { Clock, Context, Effect, References } from "effect"
import { describe, expect, it } from "vitest"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import type * as Commit from "@pawl/core/ledger/Commit"
import { find } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { type ChainId, statementKey } from "@pawl/core/model/Statement"
import { rotateLog } from "@pawl/core/provenance/LogRotation"
import { rotate } from "@pawl/core/provenance/Rotation"
import { SignedHeads, type SignedHead } from "@pawl/core/provenance/SignedHeads"
import { Signer } from "@pawl/core/provenance/Signer"
import { sign } from "@pawl/core/provenance/Signing"
import { rounds, seed as firstSeed } from "@pawl/testing/Depth"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { interleave } from "@pawl/testing/tools/SeededScheduler"
import { another, begin, chain, state } from "./SigningWorld.ts"
import { asNext, findings, newPair, signerOf } from "./Verified.ts"

/** Each call is a place where others go on. */
const giveWay: Around = (_call, effect) => Effect.tap(Effect.andThen(Effect.yieldNow, effect), Effect.yieldNow)

/** Each look at it is four seconds later: checkpoints are made as often as they may be. */
const movingClock = (): Clock.Clock => {
  let now = Date.parse("2026-01-01T00:00:00Z")
  const millis = () => (now += 4000)
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: () => BigInt(millis()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(millis()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(millis()) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(millis()) * 1_000_000n),
    sleep: () => Effect.yieldNow
  }
}

const keys = {
  statement: [newPair("statement"), newPair("statement")] as const,
  log: [newPair("log"), newPair("log")] as const
}

/** The chains grow and are signed by two workers, while both keys are rotated. */
const play = (seed: number) => {
  const store = MemoryLedger.makeMemoryStore()
  const heads = new Map<string, SignedHead>()
  const notes = new Set<string>()
  const held: { statement: 0 | 1; log: 0 | 1 } = { statement: 0, log: 0 }
  const signer = Signer.of({
    keys: Effect.suspend(() => signerOf(keys.statement[held.statement], keys.log[held.log]).keys),
    sign: (use, message) =>
      Effect.suspend(() => signerOf(keys.statement[held.statement], keys.log[held.log]).sign(use, message))
  })
  /** Keeps every checkpoint that was ever stored: somebody may hold it. */
  const keeping: Around = (call, effect) =>
    Effect.tap(effect, () =>
      Effect.sync(() => {
        const [commit] = call.args as readonly [Commit.Commit?]
        for (const write of call.method === "commit" ? (commit?.writes ?? []) : []) {
          const { checkpoint }: { readonly checkpoint?: unknown } = Object("fields" in write ? write.fields : {})
          if (typeof checkpoint === "string") notes.add(checkpoint)
        }
      })
    )
  const quiet = store.services.pipe(
    Context.add(SignedHeads, {
      get: (origin) => Effect.sync(() => heads.get(origin) ?? null),
      set: (origin, head) => Effect.sync(() => void heads.set(origin, head))
    }),
    Context.add(Signer, signer),
    Context.add(Clock.Clock, movingClock()),
    Context.add(References.MinimumLogLevel, "None")
  )
  const services = quiet.pipe(
    Context.add(Ledger, wrap(Ledger, wrap(Ledger, Context.get(store.services, Ledger), keeping), giveWay)),
    Context.add(Records, wrap(Records, Context.get(store.services, Records), giveWay)),
    Context.add(Signer, wrap(Signer, signer, giveWay))
  )
  const worker = (chains: ReadonlyArray<ChainId>) =>
    Effect.gen(function* () {
      for (let turn = 0; turn < 4; turn++) for (const each of chains) yield* Effect.exit(sign(each))
    })
  const load = Effect.gen(function* () {
    for (let turn = 0; turn < 6; turn++) yield* Effect.exit(state(1 + (turn % 2), turn % 3 === 0 ? another : chain))
  })
  const rotation = Effect.gen(function* () {
    const sig = (message: Uint8Array) => signer.sign("statement", message)
    yield* rotate({ next: yield* asNext(keys.statement[1], "statement"), sign: sig, stolen: null })
    held.statement = 1
  })
  const logRotation = Effect.gen(function* () {
    const sig = (message: Uint8Array) => Effect.andThen(Effect.yieldNow, signer.sign("statement", message))
    yield* rotateLog({ next: logNext, sign: sig, stolen: null })
    held.log = 1
  })
  const logNext = Effect.runSync(asNext(keys.log[1], "log", signer))
  const begun = Effect.gen(function* () {
    yield* begin()
    yield* begin(another)
    yield* state(2)
    yield* Effect.exit(sign(chain))
    yield* Effect.exit(sign("instance"))
  })
  Effect.runSync(Effect.provide(begun, quiet))
  const { exits } = interleave<void, unknown>(seed, [
    Effect.provide(load, services),
    Effect.provide(worker([chain, another]), services),
    Effect.provide(worker(["instance", chain]), services),
    Effect.provide(rotation, services),
    // Where the other rotation has ended the key that vouches, it is asked for again.
    Effect.provide(Effect.retry(logRotation, { times: 50 }), services)
  ])
  return { exits, notes: [...notes], held, quiet }
}

const looked = Effect.gen(function* () {
  const owners: Array<string> = []
  for (const each of [chain, another, "instance"] as const) {
    for (let turn = 0; turn < 6; turn++) yield* Effect.exit(sign(each))
    const size = (yield* find("chain", each))?.record.size ?? 0
    for (let entry = 0; entry < size; entry++) {
      const keyid = (yield* find("statement", statementKey(each, entry)))?.record.signature?.keyid
      owners.push(keyid === undefined ? `${each} ${entry} unsigned` : keyid)
    }
  }
  return owners
})

describe("While keys are rotated, chains grow and are signed", () => {
  it("each entry and each checkpoint by a key that may, at every interleaving", async () => {
    const count = rounds({ quick: 12, deep: 300, long: 2000 })
    let byOld = 0
    let byNew = 0
    for (let seed = firstSeed + 1; seed <= firstSeed + count; seed++) {
      const { exits, held, notes, quiet } = play(seed)
      const problems = exits.filter(({ _tag }) => _tag === "Failure")
      expect([problems, held], `seed ${seed}`).toEqual([[], { statement: 1, log: 1 }])
      const owners = await Effect.runPromise(Effect.provide(looked, quiet))
      expect(owners.filter((each) => each.endsWith("unsigned"))).toEqual([])
      byOld += owners.filter((each) => each === keys.statement[0].shown.keyid).length
      byNew += owners.filter((each) => each === keys.statement[1].shown.keyid).length
      for (const project of [chain, another]) {
        const seen = notes.filter((note) => note.includes(project) || note.includes("/instance\n"))
        const look = findings({ project, seen, logKey: keys.log[0].shown.spki })
        expect(await Effect.runPromise(Effect.provide(look, quiet)), `seed ${seed}`).toEqual([])
      }
    }
    expect(Math.min(byOld, byNew)).toBeGreaterThan(count)
  })
})
