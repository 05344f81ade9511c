/** The tool that has checks run, while they take longer than a call may. */
import { taskTools } from "@pawl/server/mcp/tools/TaskTools"
import type { ApiQuestion, ToolApi } from "@pawl/server/mcp/ToolApi"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"

const caller = { taskId: "tsk_a", runId: "run_a_1", changeId: "chg_a", projectId: "proj_a" }
const running = { number: 1, left: 9, commit: "abc", state: "running", broken: null, results: [] }
const result = { checkId: "test", required: true, result: "fail", summary: "exit 1", output: "it is broken" }

it("answers within its time while they run, and called once more waits on for the same ones", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const asked: Array<ApiQuestion> = []
      let now: object = running
      const api: ToolApi = {
        json: <A>(question: ApiQuestion) =>
          Effect.sync(() => {
            asked.push(question)
            return { checks: now } as A
          }),
        text: () => Effect.die(new Error("no text was asked for"))
      }
      const [tool] = taskTools(caller).filter(({ name }) => name === "checks_run")
      if (tool === undefined) throw new Error("there is no checks_run")
      const fenced = (of: string, text: string) => `<${of}>${text}</>`
      const call = () => Effect.forkChild(tool.call({}, { api, origin: "", fenced }))
      const first = yield* call()
      yield* TestClock.adjust("49 seconds")
      expect(first.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(first)).toMatchObject({
        text: expect.stringContaining("still run"),
        structured: { checks: { state: "running" } }
      })
      const second = yield* call()
      yield* TestClock.adjust("10 seconds")
      now = { ...running, state: "shown", results: [result] }
      yield* TestClock.adjust("10 seconds")
      const { structured, text } = yield* Fiber.join(second)
      expect(structured).toEqual({ checks: now })
      expect(text).toContain("test: fails\n<what test said>it is broken</>")
      expect(asked.filter(({ body }) => body !== undefined).length).toBe(2)
      expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(["/v1/runs/run_a_1/checks"]))
    }).pipe(Effect.provide(TestClock.layer()))
  ))
