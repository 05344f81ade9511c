import { Context, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { agentIn, type Asker } from "@pawl/core/agent/Asker"
import { ModelRefused } from "@pawl/core/agent/ModelFailures"
import { Models } from "@pawl/core/agent/Models"
import type { TurnFailure } from "@pawl/core/agent/TurnFailures"
import * as TurnRecord from "@pawl/core/agent/TurnRecord"
import * as Turns from "@pawl/core/agent/Turns"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Settings } from "@pawl/core/primitives/Settings"
import { projectId } from "@pawl/testing/tools/StoreFixtures"
import { agent, answerTo, honest, model, planner, runOf, stateOf, total } from "./Asking.ts"
import { world, talk, failing, away } from "./Talk.ts"

describe("A turn", () => {
  it("is paid, kept with what was asked since the turn before, and told to nobody twice", async () => {
    const { bare, provider, services } = world()
    const heard = await Effect.runPromise(Effect.provide(talk(agent(1), 3), services))
    expect(provider.asked).toEqual([1, 2, 3].map((n) => `mc_${runOf(1).id}_${n}_1`))
    const { calls, change, runs } = stateOf(bare)
    expect(calls.map(({ status }) => status)).toEqual(["settled", "settled", "settled"])
    expect(change.reservedUsd).toBe(0)
    expect(change.spentUsd).toBe(total(calls.map(({ costUsd }) => costUsd)))
    expect(change.spentUsd).toBeGreaterThanOrEqual(provider.chargedUsd)
    expect(runs[0]).toMatchObject({ modelCalls: 3, costUsd: change.spentUsd })
    const kept = await Effect.runPromise(
      Effect.provide(
        TurnRecord.read(TurnRecord.turnKey(projectId(), runOf(1).id, 2, 1), calls[1]?.answerDigest),
        services
      )
    )
    expect(kept).toMatchObject({ turn: 2, after: 1, tools: ["read"], answer: { text: heard[1]?.text } })
    expect(kept.parts.map((part) => part._tag)).toEqual(["Assistant", "User"])
  })

  it("that has ended is read, not asked, by whoever comes back to it", async () => {
    const { bare, provider, services } = world()
    const first = await Effect.runPromise(Effect.provide(talk(agent(1), 3), services))
    provider.script = () => Effect.die("it was asked again")
    expect(await Effect.runPromise(Effect.provide(talk(agent(1), 3), services))).toEqual(first)
    expect(stateOf(bare).calls.length).toBe(3)
  })

  it("of a run goes on in the run that continues it, and only there", async () => {
    const { bare, provider, services } = world()
    const first = await Effect.runPromise(Effect.provide(talk(agent(1), 2), services))
    const goesOn = agentIn(runOf(2), "fast", [runOf(1).id])
    expect((await Effect.runPromise(Effect.provide(talk(goesOn, 3), services))).slice(0, 2)).toEqual(first)
    expect(provider.asked.length).toBe(3)
    expect(stateOf(bare).runs.map(({ modelCalls }) => modelCalls)).toEqual([2, 1])
    await Effect.runPromise(Effect.provide(talk(agent(2), 1), services))
    expect(provider.asked.length).toBe(4)
  })

  it("whose record is gone or damaged comes to nothing, and is not made up", async () => {
    const { services } = world()
    await Effect.runPromise(Effect.provide(talk(agent(1), 1), services))
    const key = TurnRecord.turnKey(projectId(), runOf(1).id, 1, 1)
    const objects = Context.get(services, ObjectStore)
    await Effect.runPromise(objects.put(key, new TextEncoder().encode("{}")))
    expect(await failing(talk(agent(1), 1), services)).toMatchObject({ _tag: "TurnFailed" })
    await Effect.runPromise(objects.remove(key))
    expect(await failing(talk(agent(1), 1), services)).toMatchObject({ _tag: "TurnFailed" })
  })

  it("whose tokens nobody told is booked by its bytes, and says so", async () => {
    const { bare, services } = world((ask) =>
      Effect.succeed({
        ...answerTo(ask, "x".repeat(300)),
        usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, known: false }
      })
    )
    await Effect.runPromise(Effect.provide(talk(agent(1), 1), services))
    const [call] = stateOf(bare).calls
    expect(call).toMatchObject({ status: "settled", estimated: true })
    expect(call?.outputTokens).toBeGreaterThanOrEqual(100)
    expect(call?.costUsd).toBeGreaterThan(0)
  })
})

describe("A call without an answer", () => {
  it("costs nothing when the provider took nothing, however often, and the turn waits as for any outage", async () => {
    const { bare, provider, services } = world(() => away("no", "rate", 7000))
    for (let again = 0; again < 20; again++)
      expect(await failing(talk(agent(1), 1), services)).toMatchObject({ _tag: "ModelUnavailable", retryAfterMs: 7000 })
    provider.script = honest
    await Effect.runPromise(Effect.provide(talk(agent(1), 1), services))
    const { calls, change } = stateOf(bare)
    expect(calls.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => "refused"), "settled"])
    expect(change).toMatchObject({ reservedUsd: 0, spentUsd: calls.at(-1)?.costUsd })
    // Nor does an outage use up the calls of the day.
    const used = Effect.flatMap(DailyCounter, (counter) =>
      counter.used("agent-model-calls", change.updatedAt.slice(0, 10))
    )
    expect(await Effect.runPromise(Effect.provide(used, services))).toBe(1)
  })

  it("that may have been paid counts as spent, is asked 3 times more with longer and longer pauses, then never", async () => {
    const { bare, provider, services } = world(() => away("unknown"))
    const pauses: Array<unknown> = []
    for (let nth = 1; nth <= 4; nth++) {
      const failure = await failing(talk(agent(1), 1), services)
      pauses.push("delayMs" in failure ? failure.delayMs : failure._tag)
    }
    expect(pauses).toEqual([2_000, 60_000, 1_800_000, 1_800_000])
    expect(await failing(talk(agent(1), 1), services)).toMatchObject({ _tag: "TurnFailed" })
    expect(provider.asked.length).toBe(4)
    const { calls, change } = stateOf(bare)
    expect(calls.map(({ failure, status }) => `${status} ${failure}`)).toEqual(
      Array.from({ length: 4 }, () => "lost server")
    )
    expect(change).toMatchObject({ reservedUsd: 0, spentUsd: total(calls.map(({ reservedUsd }) => reservedUsd)) })
  })

  it.each(["credentials", "funds"] as const)("stops all work when the provider will have none: %s", async (kind) => {
    const { bare, provider, services } = world(() => new ModelRefused({ kind, status: 401, reason: "go away" }))
    expect(await failing(talk(agent(1), 1), services)).toMatchObject({ _tag: "TurnStopped", by: "model" })
    expect(provider.asked.length).toBe(1)
    expect(stateOf(bare).change).toMatchObject({ spentUsd: 0, reservedUsd: 0 })
  })

  it.each([404, 405, 301])("stops all work when there is nobody to ask, or no such model: %s", async (status) => {
    const { provider, services } = world(() => new ModelRefused({ kind: "request", status, reason: "no such model" }))
    const stopped = await failing(talk(agent(1), 1), services)
    expect(stopped).toMatchObject({ _tag: "TurnStopped", by: "model", reason: expect.stringMatching(/no such model/) })
    expect(provider.asked.length).toBe(1)
  })

  it.each(["too_long", "request"] as const)("is told to who asked when it is about the question: %s", async (kind) => {
    const { bare, provider, services } = world(() => new ModelRefused({ kind, status: 400, reason: "too much" }))
    expect(await failing(talk(agent(1), 1), services)).toMatchObject({ _tag: "ModelRefused", kind })
    expect(stateOf(bare).change).toMatchObject({ spentUsd: 0, reservedUsd: 0 })
    provider.script = honest
    await Effect.runPromise(Effect.provide(talk(agent(1), 1), services))
    expect(provider.asked).toEqual([`mc_${runOf(1).id}_1_1`, `mc_${runOf(1).id}_1_2`])
  })
})

describe("What stops a turn before it is asked", () => {
  it("is a budget that has no more for even a short answer", async () => {
    const { bare, provider, services } = world(honest, 0.01)
    expect(await failing(talk(agent(1), 9), services)).toMatchObject({
      _tag: "TurnStopped",
      by: "budget",
      reason: expect.stringMatching(/^budget_exhausted/)
    })
    const { calls, change } = stateOf(bare)
    expect(provider.asked.length).toBe(calls.length)
    expect(change.spentUsd).toBeLessThanOrEqual(0.01)
  })

  it("is a provider that charges more than can be reckoned: it is believed, and the call that the budget does not hold is not made", async () => {
    const dear: typeof honest = (ask) =>
      Effect.map(honest(ask), (answer) => ({ ...answer, usage: { ...answer.usage, input: 200_000 } }))
    const { bare, provider, services } = world(dear)
    const stopped = await failing(talk(agent(1), 3), services)
    expect(stopped).toMatchObject({ _tag: "TurnStopped", by: "budget" })
    expect(provider.asked.length).toBe(1)
    const { calls, change } = stateOf(bare)
    expect(calls[0]!.costUsd).toBeGreaterThan(calls[0]!.reservedUsd)
    expect(change).toMatchObject({ spentUsd: calls[0]!.costUsd, reservedUsd: 0 })
    expect(change.spentUsd).toBeLessThan(change.budgetUsd)
  })

  it("is the cap of the day, which the next day ends", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { provider, services } = world()
        const capped = Context.add(services, Settings, { ...(yield* Settings), modelCallsPerDay: 2 })
        const stopped = yield* Effect.provide(Effect.flip(talk(agent(1), 3)), capped)
        expect(stopped).toMatchObject({
          _tag: "TurnStopped",
          by: "calls",
          reason: expect.stringMatching(/^budget_exhausted/)
        })
        expect(provider.asked.length).toBe(2)
        const day = new Date(0).toISOString().slice(0, 10)
        expect(yield* Context.get(services, DailyCounter).used("agent-model-calls", day)).toBe(2)
        yield* TestClock.adjust("24 hours")
        expect((yield* Effect.provide(talk(agent(1), 3), capped)).length).toBe(3)
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("is an installation without a model", async () => {
    const { services } = world()
    const without = Context.add(services, Models, { available: false, of: () => null, ask: () => Effect.die("asked") })
    expect(await failing(talk(agent(1), 1), without)).toMatchObject({ _tag: "TurnStopped", by: "model" })
  })

  it("is an answer that others' calls have no money left for until they end: it waits", async () => {
    const { provider, services } = world(honest, 0.02)
    let inner: TurnFailure | null = null
    provider.script = (ask) =>
      Effect.gen(function* () {
        provider.script = honest
        inner = yield* Effect.provide(Effect.flip(talk(agent(2), 1)), services)
        return answerTo(ask, "fine", 10)
      }).pipe(Effect.orDie)
    await Effect.runPromise(Effect.provide(talk(agent(1), 1), services))
    expect(inner).toMatchObject({ _tag: "Waiting" })
    // The first has ended, and cost less than was kept for it.
    await Effect.runPromise(Effect.provide(talk(agent(2), 1), services))
  })
})

describe("What is remembered", () => {
  const counted = Effect.sync(() => {
    let made = 0
    const { services } = world()
    const remember = (asker: Asker) =>
      Effect.gen(function* () {
        const { remember } = yield* Turns.of(asker, null)
        return yield* remember(
          "output",
          Schema.Finite,
          Effect.sync(() => ++made)
        )
      }).pipe(Effect.provide(services))
    return { remember, services }
  })

  it("is done once in a run, and in those that go on from it; another run does it anew", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { remember } = yield* counted
        expect(yield* remember(agent(1))).toBe(1)
        expect(yield* remember(agent(1))).toBe(1)
        expect(yield* remember(agentIn(runOf(2), "fast", [runOf(1).id]))).toBe(1)
        expect(yield* remember(agent(2))).toBe(2)
      })
    ))

  it("is what the first kept, when two did it at once", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { services } = world()
        const turns = yield* Effect.provide(Turns.of(agent(1), null), services)
        const second = turns.remember("output", Schema.String, Effect.succeed("second"))
        const first = turns.remember("output", Schema.String, Effect.as(second, "first"))
        expect(yield* first).toBe("second")
      })
    ))
})

it("A model's prices and name stand in its call", async () => {
  const { bare, services } = world()
  await Effect.runPromise(Effect.provide(talk(planner, 1), services))
  expect(stateOf(bare).calls).toMatchObject([{ purpose: "plan", tier: "strong", model: model.name }])
  expect(stateOf(bare).calls[0]).not.toHaveProperty("runId")
})
