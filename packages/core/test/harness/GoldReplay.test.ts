import { depth, seed, slice } from "@pawl/testing/Depth"
import type { Answer, Part } from "@pawl/core/agent/Models"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { call, inAgentWorld, type Model, nothingKept, says } from "../kit/AgentWorld.ts"
import { type Gold, type GoldCall, type GoldForm, goldForms, goldOf } from "./GoldExercises.ts"

const exercises = 49
const base = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "x" }], probes: [{ path: "/" }] }),
  "package.json": `{"scripts":{"test":"x"}}`
}

const flood = new Uint8Array(10 * 1024 * 1024).fill("no end of it\n".charCodeAt(3))
const isolation = { name: "memory", version: "1", guarantees: [] }
/** Everything that runs says 10 MB. */
const flooding = Sandbox.of({
  isolation: Effect.succeed(isolation),
  start: (job) => Effect.succeed({ id: job.id }),
  poll: () =>
    Effect.succeed({
      _tag: "Finished",
      result: {
        outcome: { _tag: "Exited", code: 0 },
        output: flood,
        outputTruncated: false,
        isolation,
        startedAtMs: 0,
        finishedAtMs: 1
      }
    }),
  cancel: () => Effect.void
})

const said = (calls: ReadonlyArray<GoldCall>): Answer => says(...calls.map(({ input, name }) => call(name, input)))
/** The same calls, with arguments that break off. */
const cut = (answer: Answer): Answer => ({
  ...answer,
  calls: answer.calls.map((each) => ({ ...each, input: null, raw: each.raw.slice(0, -2) }))
})

/** The answers of a model that solves an exercise. */
const answersOf = ({ answers }: Gold, form: GoldForm, number: number): ReadonlyArray<Answer> => {
  const solution = answers.map(said)
  const done = says(call("done", { message: "It is done" }))
  if (form === "outputs of 10 MB")
    return [
      ...solution.flatMap((each, at) => (at % 4 === 1 ? [each, says(call("run", { command: "x" }))] : [each])),
      done
    ]
  if (form !== "malformed arguments, again and again") return [...solution, done]
  const every = 2 + (number % 3)
  return [...solution, done].flatMap((each, at) => (at % every === every - 1 ? [cut(each), each] : [each]))
}

const resultsIn = (parts: ReadonlyArray<Part>) => parts.filter((part) => part._tag === "ToolResult")

/** Replays a solution. What comes of it, and which calls were refused, must be what the exercise says. */
const replay = (number: number, form: GoldForm) => {
  const gold = goldOf(number, form)
  return inAgentWorld({ ...base, ...gold.before }, (works) =>
    Effect.gen(function* () {
      const kept = nothingKept()
      const answers = answersOf(gold, form, number)
      const model: Model = (_, n) => answers[n - 1] ?? says()
      const working = works(model, { kept, planned: { complexity: "large" } })
      const outcome = yield* form === "outputs of 10 MB" ? Effect.provideService(working, Sandbox, flooding) : working
      if (outcome._tag !== "Published") throw new Error(`it is lost: ${JSON.stringify(outcome)}`)
      const files: Record<string, unknown> = { ...base, ...gold.before, ...outcome.edits }
      const there = Object.fromEntries(Object.entries(files).filter(([, text]) => text !== null))
      expect(there).toEqual({ ...base, ...gold.after })
      expect(kept.asked.length).toBe(answers.length)
      if (form === "malformed arguments, again and again") return
      const failed = resultsIn(kept.asked.at(-1)?.parts ?? []).map((part) => part.failed)
      const runs = answers.slice(0, -1).flatMap((answer) => answer.calls.map(({ name }) => name))
      const expected = gold.answers.flat().map(({ refused }) => refused)
      expect(failed.filter((_, at) => runs[at] !== "run")).toEqual(expected)
    })
  )
}

describe("A solution in calls of tools comes to its files, byte for byte, and every mistake in it is told:", () => {
  const numbers = Array.from({ length: exercises }, (_, at) => at + 1)
  for (const form of goldForms)
    it(
      form,
      async () => {
        for (const number of slice(numbers, { quick: 5 })) await replay(seed * exercises + number, form)
      },
      depth === "quick" ? 60_000 : 300_000
    )
})
