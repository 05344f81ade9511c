import { changeOf, taskOf } from "@pawl/testing/contracts/agents/WorkFixtures"
import { identityRule } from "@pawl/core/agent/SourceWords"
import { AppLogs } from "@pawl/core/app/AppLogs"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Part } from "@pawl/core/agent/Models"
import { candidateOf } from "../kit/Scenes.ts"
import { call, inAgentWorld, inTurn, Killed, nothingKept, says } from "../kit/AgentWorld.ts"

const files = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "x" }], probes: [{ path: "/" }] }),
  "src/index.js": "export const one = 1\n",
  "result.txt": "fine\n"
}
const read = (path: string) => call("read", { path })
const edit = (path: string, old: string, by: string) => call("edit", { path, old, new: by })
const done = call("done", { message: "It is done" })
const words = (part: Part | undefined): string => (part === undefined || part._tag === "Assistant" ? "" : part.text)
const last = (parts: ReadonlyArray<Part>): string => words(parts.at(-1))

describe("The agent that is built in", () => {
  it("publishes what it made of the files, with what it read", () =>
    inAgentWorld({ ...files, "long.txt": "x".repeat(60_000) }, (works) =>
      Effect.gen(function* () {
        const model = inTurn(
          read("src/index.js"),
          says(edit("src/index.js", "one = 1", "one = 2"), call("write", { path: "new.txt", text: "hello" })),
          call("remove", { path: "long.txt" }),
          done
        )
        expect(yield* works(model)).toEqual({
          _tag: "Published",
          edits: { "src/index.js": "export const one = 2\n", "new.txt": "hello", "long.txt": null },
          message: "It is done",
          intents: [{ kind: "path", value: "src/index.js", mode: "read" }],
          usage: { modelCalls: 0, costUsd: 0 }
        })
      })
    ))

  it("is told the rules of the Project in every prompt, the fake identity rule word for word", () =>
    inAgentWorld({ ...files, "AGENTS.md": "Tabs, please." }, (works) =>
      Effect.gen(function* () {
        for (const kind of ["implement", "migrate", "test", "research", "review", "docs-review"] as const) {
          const kept = nothingKept()
          yield* works(inTurn(call("give_up", { reason: "no" })), { kept, planned: { kind } })
          const [ask] = kept.asked
          expect(identityRule).toBe(
            "use the fake identity module for any auth need; never add real authentication or collect credentials."
          )
          expect(ask?.system).toContain(identityRule)
          expect(ask?.system).toContain("ASSETS")
          expect(ask?.system).toContain("hono")
          expect(words(ask?.parts[0])).toContain("Tabs, please.")
          expect(words(ask?.parts[0])).toContain("test: x")
          expect(words(ask?.parts[0])).toContain("build: The app builds")
        }
      })
    ))

  it("is told nothing that a stranger can write outside of its fence, and none of it in the system's words", () =>
    inAgentWorld(
      {
        ...files,
        "AGENTS.md": "STRANGER",
        "STRANGER.txt": "STRANGER",
        "pawl.json": `{"checks":[{"id":"stranger","command":"STRANGER"}]}`
      },
      (works, projectId) =>
        Effect.gen(function* () {
          const version = `${projectId}@x`
          yield* (yield* AppLogs).append(projectId, [
            { time: yield* Time.now, channel: "production", version, level: "log", source: "console", text: "STRANGER" }
          ])
          yield* (yield* ObjectStore).put("findings/1", new TextEncoder().encode("STRANGER"))
          const kept = nothingKept()
          const model = inTurn(
            says(call("list"), call("read", { path: "STRANGER.txt" }), call("search", { text: "STRANGER" })),
            says(call("app_logs"), call("check"), call("run", { command: "x" })),
            says(edit("STRANGER.txt", "STRANGEST", "x")),
            done
          )
          yield* works(model, {
            kept,
            before: "STRANGER",
            evidence: "STRANGER",
            overlaps: [{ changeId: changeOf().id, taskId: taskOf().id, path: "STRANGER", symbol: null }],
            findings: [{ taskKey: "look", objectKey: "findings/1" }],
            notes: [{ id: "n", by: "usr_1", text: "STRANGER" }]
          })
          const final = kept.asked.at(-1)
          const fence = /The fence of this run is (data-[0-9a-f]{16})\./.exec(words(final?.parts[0]))?.[1]
          expect(fence).toBeDefined()
          for (const ask of kept.asked) expect(ask.system).not.toContain("STRANGER")
          const all = (final?.parts ?? []).map(words).join("\n")
          expect(all.split("STRANGER").length).toBeGreaterThan(10)
          const results = (final?.parts ?? []).filter((part) => part._tag === "ToolResult").map(words)
          expect(results.length).toBe(7)
          for (const result of results) expect(result.startsWith(`<${fence} of="`)).toBe(true)
          const outside = all.replaceAll(new RegExp(`<${fence} of="[^"\\n]*">\\n[^]*?\\n</${fence}>`, "g"), "")
          expect(outside).not.toContain("STRANGER")
        })
    ))

  it("may not end while a check fails that did not fail before, and is told what it said", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const model = inTurn(
          edit("result.txt", "fine", "broken"),
          done,
          edit("result.txt", "broken", "fine again"),
          done
        )
        expect(yield* works(model, { kept })).toMatchObject({
          _tag: "Published",
          edits: { "result.txt": "fine again\n" }
        })
        expect(last(kept.asked[2]?.parts ?? [])).toContain(
          "this fails now and did not fail before.\n\ntest: fails\nran"
        )
        expect(kept.asked.length).toBe(4)
      })
    ))

  it("may end although a check fails that failed before", () =>
    inAgentWorld({ ...files, "result.txt": "broken" }, (works) =>
      Effect.gen(function* () {
        expect(yield* works(inTurn(says(call("write", { path: "a.txt", text: "a" }), done)))).toMatchObject({
          _tag: "Published"
        })
      })
    ))

  it("may not end with settings of checks that nobody can read, or without what the build needs", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const broken = yield* works(
          inTurn(
            says(call("write", { path: "pawl.json", text: `{"checks":7}` }), done),
            call("give_up", { reason: "x" })
          ),
          { kept }
        )
        expect(broken._tag).toBe("Failed")
        expect(last(kept.asked[1]?.parts ?? [])).toContain("pawl.json cannot be read")
        const empty = nothingKept()
        yield* works(inTurn(says(call("remove", { path: "src/index.js" }), done), call("give_up", { reason: "x" })), {
          kept: empty
        })
        expect(last(empty.asked[1]?.parts ?? [])).toContain("build: fails\nThere is nothing to serve.")
      })
    ))

  it("runs the checks of the source that it began with, also when it takes them away", () =>
    inAgentWorld({ ...files, "test/a.test.js": "first" }, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const without = JSON.stringify({ checks: [], probes: [] })
        yield* works(
          inTurn(
            says(
              edit("result.txt", "fine", "broken"),
              call("write", { path: "pawl.json", text: without }),
              call("remove", { path: "test/a.test.js" }),
              done
            ),
            call("give_up", { reason: "x" })
          ),
          { kept }
        )
        expect(last(kept.asked[1]?.parts ?? [])).toContain("test: fails")
      })
    ))

  it("answers, with a read-only kind, and cannot write", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const model = inTurn(
          says(
            call("write", { path: "a", text: "a" }),
            edit("result.txt", "fine", "x"),
            call("remove", { path: "result.txt" })
          ),
          call("answer", { text: "It is fine" })
        )
        const outcome = yield* works(model, { kept, planned: { kind: "research" } })
        expect(outcome).toMatchObject({ _tag: "Answered", text: "It is fine" })
        for (const part of kept.asked[1]?.parts.slice(-3) ?? []) expect(words(part)).toContain("there is no tool")
        expect(kept.asked[0]?.tools.map(({ name }) => name)).toEqual([
          "list",
          "read",
          "search",
          "run",
          "check",
          "app_logs",
          "why",
          "answer",
          "give_up"
        ])
      })
    ))

  it("gives up, or asks for a stronger model", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        expect(yield* works(inTurn(call("give_up", { reason: "no way" })))).toMatchObject({
          _tag: "Failed",
          reason: "no way"
        })
        expect(yield* works(inTurn(call("give_up", { reason: "hard", escalate: true })))).toMatchObject({
          _tag: "Escalate",
          reason: "hard"
        })
      })
    ))

  it.each([
    ["small", 16],
    ["medium", 16],
    ["large", 32]
  ] as const)("of a %s Task ends after %i calls", (complexity, most) =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const outcome = yield* works((_, n) => says(call("search", { text: `${n}` })), {
          kept,
          planned: { complexity }
        })
        expect(outcome).toMatchObject({ _tag: "Retry", reason: `it did not end within ${most} calls` })
        expect(kept.asked.length).toBe(most)
        expect(last(kept.asked[most - 2]?.parts ?? [])).toContain("2 calls left")
        expect(kept.asked[most - 1]?.tools.map(({ name }) => name)).toEqual(["done", "give_up"])
      })
    )
  )

  it("tells the attempt after it what failed at the last call", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const model = inTurn(
          edit("result.txt", "fine", "broken"),
          ...Array.from({ length: 14 }, (_, n) => call("search", { text: `${n}` })),
          done
        )
        const outcome = yield* works(model)
        expect(outcome).toMatchObject({ _tag: "Retry" })
        expect("reason" in outcome && outcome.reason).toContain("did not end within 16 calls; at the last one:")
        expect("reason" in outcome && outcome.reason).toContain("test: fails")
        expect("reason" in outcome && outcome.reason).not.toContain("data-")
      })
    ))

  it("reads what people write to it at its next turn, once", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const said: Array<{ id: string; by: string; text: string }> = []
        const model = inTurn(
          call("list"),
          call("list", { folder: "src" }),
          call("search", { text: "one" }),
          call("give_up", { reason: "x" })
        )
        yield* works(
          (ask, n) => {
            if (n === 2) said.push({ id: "note_1", by: "usr_1", text: "Make it blue" })
            return model(ask, n)
          },
          { kept, notes: () => said }
        )
        const tellings = kept.asked.map(
          ({ parts }) => parts.filter((part) => words(part).includes("Make it blue")).length
        )
        expect(tellings).toEqual([0, 0, 1, 1])
        expect(kept.asked[2]?.parts.map(words).find((text) => text.includes("blue"))).toContain(`of="note of usr_1"`)
      })
    ))

  it("is told a note after what it had answered before, also when the talk is built again after a kill", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const said: Array<{ id: string; by: string; text: string }> = []
        const model = inTurn(call("list"), call("list", { folder: "src" }), call("give_up", { reason: "x" }))
        const dies = works(
          (_, n) => {
            // Somebody writes while the second answer is on its way; it never comes.
            if (n === 2) said.push({ id: "note_1", by: "usr_1", text: "Make it blue" })
            return n === 2 ? Effect.die(new Killed()) : model(_, n)
          },
          { kept, notes: () => said }
        )
        yield* Effect.flip(Effect.sandbox(dies))
        yield* works(model, { kept, notes: () => said })
        const places = kept.asked.map(({ parts }) => parts.findIndex((part) => words(part).includes("Make it blue")))
        // The opening, the first answer, its result, the note.
        expect(places).toEqual([-1, -1, 3, 3])
      })
    ))

  it("goes on after a kill with the same answers, the same fence and the same files, and runs nothing twice", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const model = inTurn(
          edit("result.txt", "fine", "finer"),
          call("run", { command: "x" }),
          call("write", { path: "b.txt", text: "b" }),
          call("check"),
          done
        )
        const whole = nothingKept()
        const outcome = yield* works(model, { kept: whole })
        const steps = whole.answers.size + whole.steps.size
        expect([...whole.steps.keys()]).toEqual(["fence", "tool-2-1", "tool-4-1", "tool-5-1"])
        for (let at = 1; at <= steps; at++) {
          const kept = nothingKept()
          let count = 0
          const killed = yield* works(model, {
            kept,
            step: () => {
              if (++count === at) throw new Error("killed")
            }
          }).pipe(Effect.sandbox, Effect.flip)
          expect(killed.reasons.length).toBe(1)
          expect(yield* works(model, { kept })).toEqual(outcome)
          expect(kept.asked.length).toBeLessThanOrEqual(whole.asked.length + 1)
        }
      })
    ))

  it("begins again when another version made other files of the same answers", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const model = inTurn(edit("result.txt", "fine", "finer"), call("run", { command: "x" }), done)
        yield* works(model, { kept })
        kept.answers.set(1, says(call("list")))
        expect(yield* works(model, { kept })).toMatchObject({ _tag: "Retry", diverged: true })
      })
    ))

  it("ends where its calls lead nowhere: the same again and again, nothing that can be read, no call at all", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const same = nothingKept()
        expect((yield* works(inTurn(call("list")), { kept: same }))._tag).toBe("Retry")
        expect(same.asked.length).toBe(Limits.agentRepeats)
        const malformed = nothingKept()
        expect((yield* works(inTurn(says({ ...call("read"), input: null })), { kept: malformed }))._tag).toBe("Retry")
        expect(malformed.asked.length).toBe(Limits.agentMalformedTurns)
        const silent = nothingKept()
        expect((yield* works(inTurn(says()), { kept: silent }))._tag).toBe("Retry")
        expect(silent.asked.length).toBe(2)
      })
    ))

  it("is told why its Change stands where it stands, with what the checks said", () =>
    inAgentWorld(files, (works, projectId) =>
      Effect.gen(function* () {
        const none = nothingKept()
        const model = inTurn(call("why"), done)
        yield* works(model, { kept: none })
        expect(last(none.asked[1]?.parts ?? [])).toContain("has no Candidate yet")
        const { changeId } = yield* candidateOf(projectId, "r", { "result.txt": "broken" })
        const kept = nothingKept()
        yield* works(model, { kept, changeId })
        const told = last(kept.asked[1]?.parts ?? [])
        expect(told).toMatch(/^<data-[0-9a-f]{16} of="why">\nThe newest Candidate is rejected/)
        expect(told).toContain("test: fail\nran")
      })
    ))

  it("tells a quarter of a long output from its beginning and the rest from its end, and keeps all of it", () =>
    inAgentWorld(files, (works, projectId) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        yield* works(inTurn(call("run", { command: "x" }), done), { kept })
        expect(last(kept.asked[1]?.parts ?? [])).toContain("exit 0\nran")
        const objects = yield* ObjectStore
        const bytes = yield* objects.get(
          `context/${projectId}/run_tsk_chg_00000000-0000-4000-8000-000000000001_hello_1/tool-1-1.txt`
        )
        expect(new TextDecoder().decode(bytes)).toBe("ran")
      })
    ))
})
