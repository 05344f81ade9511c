/** What every Models promises: one request, one whole answer, no retry, and failures that say whether they were paid for. */
import { Effect, Exit, Fiber, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { type Ask, Models } from "@pawl/core/agent/Models"
import { ModelTier } from "@pawl/core/model/Task"

/** What the model behind a fixture does with every request. */
export type ModelBehaviour = "calls a tool" | "says text" | "is away" | "refuses" | "is silent"

/** Models, and how often they were asked so far. */
export interface ContractModels {
  readonly layer: Layer.Layer<never>
  readonly asked: () => number
}

/** How an adapter's test makes models for this contract. */
export interface ModelsFixture {
  /**
   * Models of which each does the same. The one that calls a tool calls `read` with `{ "path": "a.js" }`, and the one
   * that says text says `done`; both tell 1,200 tokens that came in, 1,000 of them from a cache, and 30 that went out.
   */
  readonly open: (behaviour: ModelBehaviour) => Promise<ContractModels>
}

/** A request with one tool. */
export const askOf = (fields: Partial<Ask> = {}): Ask => ({
  callId: "mc_run_1_1",
  tier: "balanced",
  system: "You change an app.",
  parts: [{ _tag: "User", text: "Read a.js." }],
  tools: [
    {
      name: "read",
      description: "Reads a file.",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
    }
  ],
  mustCall: null,
  maxOutput: 1024,
  ...fields
})

/** Declares the suite. Each of its tests opens models of its own. */
export const modelsContract = (name: string, fixture: ModelsFixture): void => {
  const ask = (models: ContractModels, fields: Partial<Ask> = {}) =>
    Effect.flatMap(Models, (each) => each.ask(askOf(fields))).pipe(Effect.provide(models.layer))
  const failure = (models: ContractModels) => Effect.runPromise(Effect.flip(ask(models)))

  describe(`${name}: Models`, () => {
    it("are available with a model for each tier, its context and its prices", async () => {
      const { layer } = await fixture.open("says text")
      const models = await Effect.runPromise(Models.pipe(Effect.provide(layer)))
      expect(models.available).toBe(true)
      for (const tier of ModelTier.literals) {
        const model = models.of(tier)
        expect(model?.name).not.toBe("")
        expect(model?.contextTokens).toBeGreaterThan(0)
        for (const price of Object.values(model?.prices ?? { none: -1 })) expect(price).toBeGreaterThanOrEqual(0)
      }
    })

    it("answer text whole, with what it used", async () => {
      const models = await fixture.open("says text")
      const { calls, stop, text, usage } = await Effect.runPromise(ask(models))
      expect({ calls, stop, text }).toEqual({ calls: [], stop: "end", text: "done" })
      expect(usage).toEqual({ input: 200, cacheRead: 1000, cacheWrite: 0, output: 30, known: true })
      expect(models.asked()).toBe(1)
    })

    it("answer calls of tools, and take their results", async () => {
      const models = await fixture.open("calls a tool")
      const first = await Effect.runPromise(ask(models))
      expect(first.stop).toBe("tools")
      expect(first.calls.map(({ input, name }) => ({ input, name }))).toEqual([
        { name: "read", input: { path: "a.js" } }
      ])
      const [call] = first.calls
      await Effect.runPromise(
        ask(models, {
          callId: "mc_run_2_1",
          parts: [
            { _tag: "User", text: "Read a.js." },
            { _tag: "Assistant", text: first.text, calls: first.calls },
            { _tag: "ToolResult", id: call?.id ?? "", text: "1 let a", failed: false }
          ]
        })
      )
      expect(models.asked()).toBe(2)
    })

    it("say ModelUnavailable when the provider is away, whether it was paid for, and never ask twice", async () => {
      const models = await fixture.open("is away")
      const said = await failure(models)
      expect(said._tag).toBe("ModelUnavailable")
      if (said._tag === "ModelUnavailable") expect(["no", "unknown"]).toContain(said.charged)
      expect(said.reason.length).toBeLessThanOrEqual(300)
      expect(models.asked()).toBe(1)
    })

    it("say ModelRefused when the provider will not, and never ask twice", async () => {
      const models = await fixture.open("refuses")
      const said = await failure(models)
      expect(said._tag).toBe("ModelRefused")
      expect(said.reason.length).toBeLessThanOrEqual(300)
      expect(models.asked()).toBe(1)
    })

    it("end a call that is interrupted", async () => {
      const models = await fixture.open("is silent")
      const exit = await Effect.runPromise(
        Effect.gen(function* () {
          const call = yield* Effect.forkChild(ask(models), { startImmediately: true })
          yield* Effect.yieldNow
          yield* Fiber.interrupt(call)
          return yield* Fiber.await(call)
        })
      )
      expect(Exit.hasInterrupts(exit)).toBe(true)
    })
  })
}
