import { ModelRefused } from "@pawl/core/agent/ModelFailures"
import { Models, type Part } from "@pawl/core/agent/Models"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { call, inAgentWorld, inTurn, nothingKept } from "../kit/AgentWorld.ts"

const files = { "src/index.js": "export const one = 1\n" }
const done = call("done", { message: "It is done" })
const words = (part: Part): string => (part._tag === "Assistant" ? "" : part.text)

describe("A talk that is too long for its model", () => {
  const small = (contextTokens: number) => ({
    name: "small",
    contextTokens,
    prices: { input: 0, cached: 0, output: 0 }
  })
  const withContexts = (contexts: Readonly<Record<string, number>>) =>
    Layer.succeed(Models, {
      available: true,
      of: (tier) => small(contexts[tier] ?? 0),
      ask: () => Effect.die("models are asked by turns")
    })
  const refused = new ModelRefused({ kind: "too_long", status: 400, reason: "too many tokens" })

  it("lets go of old results before a talk is too long, and all but the newest when a model says so", () =>
    inAgentWorld({ ...files, "long.txt": "0123456789\n".repeat(2500) }, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const reads = Array.from({ length: 10 }, (_, n) => call("read", { path: "long.txt", from: n + 1 }))
        const model = inTurn(...reads, done)
        yield* Effect.provide(
          works((ask, n) => (n === 9 && kept.asked.length === 9 ? refused : model(ask, n)), { kept }),
          withContexts({ fast: 16_000 })
        )
        const shown = (at: number) =>
          (kept.asked[at]?.parts ?? []).filter((part) => words(part).includes("0123456789")).length
        expect(kept.asked.length).toBe(12)
        expect(shown(8)).toBeGreaterThan(1)
        expect(shown(8)).toBeLessThan(8)
        expect(shown(9)).toBeLessThan(2)
      })
    ))

  it("asks for a model with more room when nothing more can go, and fails where there is none", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const model = () => refused
        const wider = withContexts({ fast: 1000, balanced: 1000, strong: 2000 })
        expect((yield* Effect.provide(works(model), wider))._tag).toBe("Escalate")
        expect((yield* Effect.provide(works(model, { tier: "strong" }), wider))._tag).toBe("Failed")
        const same = withContexts({ fast: 1000, balanced: 1000, strong: 1000 })
        expect((yield* Effect.provide(works(model), same))._tag).toBe("Failed")
      })
    ))

  it("begins without the contents of files where the model has no room for them, and reads before it edits", () =>
    inAgentWorld({ ...files, "long.txt": "0123456789\n".repeat(1000) }, (works) =>
      Effect.gen(function* () {
        const edit = call("edit", { path: "src/index.js", old: "one = 1", new: "one = 2" })
        const [roomy, narrow] = [nothingKept(), nothingKept()]
        const most = withContexts({ fast: 20_000 })
        expect((yield* Effect.provide(works(inTurn(edit, done), { kept: roomy }), most))._tag).toBe("Published")
        expect(roomy.asked[0]?.parts.map(words).join()).toContain("0123456789")
        const least = withContexts({ fast: 8_000 })
        const model = inTurn(edit, call("read", { path: "src/index.js" }), edit, done)
        yield* Effect.provide(works(model, { kept: narrow }), least)
        expect(narrow.asked[0]?.parts.map(words).join()).not.toContain("0123456789")
        expect(narrow.asked[1]?.parts.map(words).at(-1)).toContain("read src/index.js first")
        expect(narrow.asked.length).toBe(4)
      })
    ))
})
