import { Cause, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { slice } from "@pawl/testing/Depth"
import { type Asker } from "@pawl/core/agent/Asker"
import { sweepCalls } from "@pawl/core/agent/Spending"
import { Limits } from "@pawl/core/primitives/Limits"
import { type Around, nameOf } from "@pawl/testing/tools/PortWrap"
import { agent, honest, newProvider, newStores, planner, type Provider, stateOf, storesOf, total } from "./Asking.ts"
import { untouched, world, talk } from "./Talk.ts"

/** Plays a talk whose process is killed at a place, and goes on in the next process. Answers the places that it passed. */
const killedAt = async (asker: Asker, at: string | null) => {
  const provider: Provider = newProvider(honest)
  const bare = newStores(1, 2)
  const places: Array<string> = []
  let isDead = false
  const pass = (place: string) =>
    Effect.suspend(() => {
      if (isDead) return Effect.never
      if (!places.includes(place)) places.push(place)
      if (place !== at) return Effect.void
      isDead = true
      return Effect.die("killed")
    })
  const seen = new Map<string, number>()
  const around: Around = (call, effect) =>
    Effect.suspend(() => {
      const name = nameOf(call)
      const nth = (seen.get(name) ?? 0) + 1
      seen.set(name, nth)
      return Effect.andThen(
        pass(`${name} ${nth}:before`),
        Effect.tap(effect, () => pass(`${name} ${nth}:after`))
      )
    })
  const dying = newProvider((ask) =>
    Effect.andThen(
      pass(`ask ${ask.callId}:before`),
      Effect.tap(provider.models.ask(ask), () => pass(`ask ${ask.callId}:after`))
    )
  )
  const first = await Effect.runPromise(Effect.exit(Effect.provide(talk(asker, 3), storesOf(bare, around, dying))))
  if (at !== null) expect(Exit.isFailure(first) && Cause.hasDies(first.cause)).toBe(true)
  const services = storesOf(bare, untouched, provider)
  const heard = await Effect.runPromise(Effect.provide(talk(asker, 3), services))
  return { heard, places, provider, state: stateOf(bare) }
}

describe("A kill", () => {
  it.each([
    ["of an agent", agent(1)],
    ["of the planner", planner]
  ])(
    "at any place of a talk loses no turn, asks at most one again, and leaves no money behind: %s",
    async (_, asker) => {
      const whole = await killedAt(asker, null)
      const places = slice(whole.places, { quick: 40 })
      for (const place of places) {
        const { heard, provider, state } = await killedAt(asker, place)
        expect({ place, heard }).toEqual({ place, heard: whole.heard })
        expect(provider.asked.length).toBeLessThanOrEqual(4)
        const settled = state.calls.filter(({ status }) => status === "settled")
        const lost = state.calls.filter(({ status }) => status === "lost")
        expect({ place, settled: settled.length, others: state.calls.length - settled.length - lost.length }).toEqual({
          place,
          settled: 3,
          others: 0
        })
        expect(lost.length).toBeLessThanOrEqual(1)
        expect(state.change.reservedUsd).toBe(0)
        expect(state.change.spentUsd).toBe(total(state.calls.map(({ costUsd }) => costUsd)))
        expect(state.change.spentUsd).toBeGreaterThanOrEqual(provider.chargedUsd - 1e-9)
      }
      console.log(`${places.length} of ${whole.places.length} places`)
    }
  )

  it("that nobody comes back from gives its money up after an hour, by the clock", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { bare, provider, services } = world(() => Effect.die("killed"))
        yield* Effect.provide(Effect.exit(talk(agent(1), 1)), services)
        expect(stateOf(bare).calls).toMatchObject([{ status: "reserved" }])
        yield* TestClock.adjust("30 minutes")
        expect(yield* Effect.provide(sweepCalls, services)).toBe(0)
        yield* TestClock.adjust("31 minutes")
        expect(yield* Effect.provide(sweepCalls, services)).toBe(1)
        const { calls, change, runs } = stateOf(bare)
        expect(calls).toMatchObject([{ status: "lost", costUsd: calls[0]?.reservedUsd }])
        expect(change).toMatchObject({ reservedUsd: 0, spentUsd: calls[0]?.reservedUsd })
        expect(runs[0]).toMatchObject({ modelCalls: 1, costUsd: calls[0]?.reservedUsd })
        expect(provider.asked.length).toBe(1)
        expect(Limits.modelCallMaxMs).toBe(3_600_000)
      }).pipe(Effect.provide(TestClock.layer()))
    ))
})
