import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { insert } from "@pawl/core/ledger/Commit"
import { demand, find } from "@pawl/core/ledger/Decision"
import { readOnce } from "@pawl/core/ledger/ReadOnce"
import { Records } from "@pawl/core/ledger/Records"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { change, changeId, commit, seedChanges } from "@pawl/testing/tools/StoreFixtures"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"

/** What a reading asks of the store. */
const asked = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const reads: Array<unknown> = []
    const counting: Around = ({ args, method }, effect) => {
      reads.push([method, args[1]])
      return effect
    }
    yield* Effect.provideService(readOnce(work), Records, wrap(Records, yield* Records, counting))
    return reads
  })

const inMemory = (work: Effect.Effect<void, unknown, MemoryLedger.Stores>) =>
  Effect.runPromise(Effect.provide(work, MemoryLedger.layerMemory))

it("asks for each record once, whether it is there or not, alone or among many", () =>
  inMemory(
    Effect.gen(function* () {
      yield* seedChanges(2)
      const reads = yield* asked(
        Effect.gen(function* () {
          const records = yield* Records
          yield* records.many("change", [changeId(1), changeId(7)])
          expect((yield* demand("change", changeId(1))).record).toEqual(change(1))
          expect(yield* find("change", changeId(7))).toBeNull()
          expect((yield* demand("change", changeId(2))).record).toEqual(change(2))
          const all = yield* records.many("change", [changeId(2), changeId(1), changeId(7), changeId(8)])
          expect(Array.from(all.keys())).toEqual([changeId(2), changeId(1)])
          expect(yield* find("head", changeId(1))).toBeNull()
        })
      )
      expect(reads).toEqual([
        ["many", [changeId(1), changeId(7)]],
        ["get", changeId(2)],
        ["many", [changeId(8)]],
        ["get", changeId(1)]
      ])
    })
  ))

it("knows what it has read, and the next reading begins anew", () =>
  inMemory(
    Effect.gen(function* () {
      const reading = readOnce(
        Effect.gen(function* () {
          const records = yield* Records
          const before = yield* records.get("change", changeId(1))
          if (Option.isNone(before)) yield* commit({ writes: [insert("change", change(1))] })
          return [Option.isSome(before), Option.isSome(yield* records.get("change", changeId(1)))]
        })
      )
      expect([yield* reading, yield* reading]).toEqual([
        [false, false],
        [true, true]
      ])
    })
  ))
