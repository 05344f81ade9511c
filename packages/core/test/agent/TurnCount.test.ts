import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Turns from "@pawl/core/agent/Turns"
import { type Around, nameOf } from "@pawl/testing/tools/PortWrap"
import { call, inAgentWorld, inTurn, nothingKept } from "../kit/AgentWorld.ts"
import { after, agent, askOf, honest, newProvider, newStores, storesOf } from "./Asking.ts"

/** Every turn of every agent does this: what is more here is more for all of them. */
const ofATurn = {
  "DailyCounter.take": 1,
  "DailyCounter.used": 1,
  "DailyCounter.usedBy": 2,
  "Ledger.commit(Spending.reserve)": 1,
  "Ledger.commit(Spending.settle)": 1,
  "ObjectStore.put": 1,
  "Records.get": 9
}

it("a turn takes two commits and one object, and reads no more than it needs", async () => {
  let counts: Record<string, number> = {}
  const counted: Around = (asked, effect) =>
    Effect.suspend(() => {
      const name = nameOf(asked)
      counts[name] = (counts[name] ?? 0) + 1
      return effect
    })
  const services = storesOf(newStores(1, 1), counted, newProvider(honest))
  await Effect.gen(function* () {
    const turns = yield* Turns.of(agent(1), null)
    let ask = askOf("Begin.")
    for (const n of [1, 2, 3, 4, 5]) {
      counts = {}
      ask = after(ask, yield* turns.turn(n, ask), `then ${n}`)
      expect([n, counts]).toEqual([n, ofATurn])
    }
  }).pipe(Effect.provide(services), Effect.runPromise)
})

it("a turn whose tools look at files and change them keeps nothing beside it, however many it calls", () =>
  inAgentWorld({ "a.txt": "one\n" }, (works) =>
    Effect.gen(function* () {
      const kept = nothingKept()
      const read = call("read", { path: "a.txt" })
      const edits = ["one", "two", "three"].map((old, at) =>
        call("edit", { path: "a.txt", old, new: ["two", "three", "four"][at] })
      )
      const outcome = yield* works(inTurn(read, ...edits, call("give_up", { reason: "enough" })), { kept })
      expect([outcome._tag, kept.asked.length]).toEqual(["Failed", 5])
      expect([...kept.steps.keys()]).toEqual(["fence"])
    })
  ))
