import { rounds, seed } from "@pawl/testing/Depth"
import type { Answer, ToolCall } from "@pawl/core/agent/Models"
import { Effect } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { inAgentWorld, type Kept, nothingKept, says } from "../kit/AgentWorld.ts"

const files = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "x" }], probes: [{ path: "/" }] }),
  "package.json": `{"scripts":{"test":"x"}}`,
  "src/index.js": "export const one = 1\n\nexport const two = 2\n",
  "src/more.js": "one\r\ntwo\r\nthree\r\n",
  "AGENTS.md": "Be kind.\n",
  "result.txt": "fine\n"
}

const path = fc.constantFrom(
  ...Object.keys(files),
  "new.txt",
  "src/new/deep.js",
  "src",
  "../out",
  "/etc/passwd",
  ".git/config",
  "SRC/index.js",
  "src/index.js/inside"
)
const text = fc.constantFrom("", "one", "two", "fine", "broken", "1\n\nexport", "one\r\ntwo", "{", "three\n", "é\u0000")
const words = fc.string({ maxLength: 12 })
const calls = fc.oneof(
  { weight: 5, arbitrary: fc.record({ name: fc.constant("read"), input: fc.record({ path }) }) },
  { weight: 8, arbitrary: fc.record({ name: fc.constant("edit"), input: fc.record({ path, old: text, new: text }) }) },
  { weight: 4, arbitrary: fc.record({ name: fc.constant("write"), input: fc.record({ path, text }) }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant("remove"), input: fc.record({ path }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ name: fc.constantFrom("list", "check", "app_logs", "why"), input: fc.constant({}) })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      name: fc.constant("add_package"),
      input: fc.record({ name: fc.constantFrom("hono", "left", "../up"), range: words })
    })
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant("search"), input: fc.record({ text }) }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constant("run"), input: fc.record({ command: words }) }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant("done"), input: fc.record({ message: words }) }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constant("answer"), input: fc.record({ text: words }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ name: fc.constant("give_up"), input: fc.record({ reason: words, escalate: fc.boolean() }) })
  },
  { weight: 1, arbitrary: fc.record({ name: words, input: fc.anything({ maxDepth: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constantFrom("read", "edit", "done"), input: fc.constant(null) }) }
)
const toolCall = calls.map((each): ToolCall => {
  const raw =
    JSON.stringify(each.input, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value)) ?? "null"
  return { ...each, input: JSON.parse(raw), id: "c", raw }
})
const answer = fc
  .tuple(fc.array(toolCall, { maxLength: 4 }), fc.constantFrom("end", "tools", "length", "refused", "other"))
  .map(([made, stop]): Answer => ({ ...says(...made), stop: made.length > 0 ? "tools" : stop }))

const script = fc.record({
  // Enough of them that the last calls of a run are reached.
  answers: fc.oneof(
    fc.array(answer, { minLength: 1, maxLength: 6 }),
    fc.array(answer, { minLength: 16, maxLength: 34 })
  ),
  kind: fc.constantFrom("implement", "implement", "migrate", "test", "research", "review"),
  complexity: fc.constantFrom("small", "medium", "large"),
  killedAt: fc.nat(40)
})

/** How the overlay's paths may look that a run publishes. */
const isInside = (each: string) => !each.startsWith("/") && !each.split("/").includes("..") && !each.includes(".git/")

it(
  "whatever a model says, a run ends within its calls, to the same files each time, also after a kill",
  () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const scripts = fc.sample(script, { numRuns: rounds({ quick: 250, deep: 3_000, long: 10_000 }), seed })
        const ends = new Set<string>()
        for (const { answers, complexity, killedAt, kind } of scripts) {
          const model = (_: unknown, n: number) => answers[(n - 1) % answers.length] ?? says()
          const once = (kept: Kept, step?: () => void) =>
            works(model, { kept, planned: { kind, complexity }, ...(step === undefined ? {} : { step }) })
          const whole = nothingKept()
          const outcome = yield* once(whole)
          ends.add(outcome._tag)
          expect(whole.asked.length).toBeLessThanOrEqual(complexity === "large" ? 32 : 16)
          if (outcome._tag === "Published") {
            expect(["implement", "migrate", "test"]).toContain(kind)
            expect(Object.keys(outcome.edits).filter((each) => !isInside(each))).toEqual([])
          }
          const cut = nothingKept()
          let left = killedAt
          yield* Effect.exit(
            once(cut, () => {
              if (left-- === 0) throw new Error("killed")
            })
          )
          expect(yield* once(cut)).toEqual(outcome)
          expect(cut.asked.length).toBeLessThanOrEqual(whole.asked.length + 1)
        }
        expect([...ends].toSorted()).toEqual(["Answered", "Escalate", "Failed", "Published", "Retry"])
      })
    ),
  600_000
)
