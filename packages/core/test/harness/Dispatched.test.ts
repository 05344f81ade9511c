import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import type { Answer, Ask, ToolCall } from "@pawl/core/agent/Models"
import { Models } from "@pawl/core/agent/Models"
import * as Budget from "@pawl/core/change/Budget"
import { work } from "@pawl/core/harness/BuiltIn"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { newProvider, type Provider } from "../agent/Asking.ts"
import { call, plainOptions, says } from "../kit/AgentWorld.ts"
import { person, settle } from "../kit/MemoryPawl.ts"
import { type Hands, inWorld, newProject, open, planned, type Script, taskOf, worked } from "../kit/WorkWorld.ts"

/** The agent that is built in, for all runs of these Tasks. */
const builtIn = (hands: Hands, ...keys: ReadonlyArray<string>) => {
  const script: Script = (job) => Effect.provide(work(job, plainOptions), MemorySecrets.layerMemory)
  for (const key of keys)
    hands.agents.set(
      key,
      Array.from({ length: 50 }, () => script)
    )
}

/** Which turn of which Task is asked for: ids of calls say it. */
const turnOf = ({ callId }: Ask) => {
  const [, key = "", turn = "0"] = /_([a-z]+)_\d+_(\d+)_\d+$/.exec(callId) ?? []
  return { key, turn: Number(turn) }
}

/** A model that says for each Task what stands here, turn by turn. */
const scripted = (all: Readonly<Record<string, ReadonlyArray<ToolCall>>>) =>
  newProvider((ask) => {
    const { key, turn } = turnOf(ask)
    const said = all[key]?.[turn - 1]
    const answer: Answer = says(...(said === undefined ? [] : [said]))
    return Effect.succeed({ ...answer, usage: { input: 4000, cacheRead: 0, cacheWrite: 0, output: 100, known: true } })
  })

const withModels = (provider: Provider) => Effect.provideService(Models, provider.models)

const changeSetsOf = (changeId: string) =>
  Effect.flatMap(Records, (records) => records.list("changeSet", { where: { changeId }, limit: "all" })).pipe(
    Effect.map(({ items }) => items.map(({ record }) => record))
  )

const done = call("done", { message: "It is done" })

describe("A Task that the agent that is built in works", () => {
  it("is completed by its ChangeSet, and the next one stands on it and is told what was found", () =>
    inWorld((hands) => {
      const provider = scripted({
        look: [call("search", { text: "one" }), call("answer", { text: "It says one" })],
        make: [call("edit", { path: "src/index.js", old: "one", new: "two" }), done],
        test: [call("edit", { path: "src/index.js", old: "two", new: "three" }), done]
      })
      builtIn(hands, "look", "make", "test")
      const asked: Array<Ask> = []
      const script = provider.script
      provider.script = (ask) => (asked.push(ask), script(ask))
      return Effect.gen(function* () {
        const changeId = yield* worked(hands, [
          planned("look", [], { kind: "research" }),
          planned("make", ["look"]),
          planned("test", ["make"])
        ])
        for (const key of ["look", "make", "test"]) expect((yield* taskOf(changeId, key)).status).toBe("completed")
        const sets = yield* changeSetsOf(changeId)
        expect(sets.map(({ files }) => files.map(({ path }) => path))).toEqual([["src/index.js"], ["src/index.js"]])
        const first = asked.find((ask) => turnOf(ask).key === "make")?.parts[0]
        expect(first?.text).toMatch(/<data-[0-9a-f]{16} of="findings of the Task look">\nIt says one\n/)
        expect(asked.length).toBe(6)
      }).pipe(withModels(provider))
    }))

  it("goes on at the turn where its budget stopped it, and makes the same of the files", () =>
    inWorld((hands) => {
      const edits = ["two", "three", "four", "five"].map((word, at) =>
        call("edit", { path: "src/index.js", old: ["one", "two", "three", "four"][at], new: word })
      )
      const provider = scripted({ make: [...edits, call("check"), done] })
      builtIn(hands, "make")
      hands.plan = () => Effect.succeed([planned("make")])
      return Effect.gen(function* () {
        const changeId = yield* open((yield* newProject).id, { budgetUsd: 0.06 })
        yield* settle
        expect((yield* demand("change", changeId)).record.status).toBe("budget_blocked")
        const before = provider.asked.length
        expect([before > 0, before < 6]).toEqual([true, true])
        yield* Budget.raise(person, changeId, 5)
        yield* settle
        expect((yield* taskOf(changeId, "make")).status).toBe("completed")
        expect(provider.asked.length).toBe(6)
        expect(new Set(provider.asked.map((callId) => turnOf({ callId } as Ask).turn)).size).toBe(6)
        const [made] = yield* changeSetsOf(changeId)
        expect(made?.files).toMatchObject([{ path: "src/index.js", status: "modified" }])
      }).pipe(withModels(provider))
    }))

  it("is worked on by the next process after a kill in a call, which alone is asked again", () =>
    inWorld((hands) => {
      const provider = scripted({
        make: [call("edit", { path: "src/index.js", old: "one", new: "two" }), call("run", { command: "x" }), done]
      })
      builtIn(hands, "make")
      hands.plan = () => Effect.succeed([planned("make")])
      return Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const script = provider.script
        provider.script = (ask) =>
          turnOf(ask).turn === 3 && provider.asked.length === 3
            ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
            : script(ask)
        const changeId = yield* open((yield* newProject).id)
        const first = yield* Effect.forkChild(settle)
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(first)
        yield* settle
        expect((yield* taskOf(changeId, "make")).status).toBe("completed")
        expect(provider.asked.length).toBe(4)
        const task = yield* taskOf(changeId, "make")
        const kept = `context/${task.projectId}/run_${task.id}_1/kept-fence.json`
        expect((yield* (yield* ObjectStore).get(kept)).length).toBeGreaterThan(16)
      }).pipe(withModels(provider))
    }))

  it("begins anew, and uses up no try, when another version of the program began it: more often than there are tries", () =>
    inWorld((hands) => {
      const provider = scripted({
        make: [call("edit", { path: "src/index.js", old: "one", new: "two" }), call("run", { command: "x" }), done]
      })
      builtIn(hands, "make")
      hands.plan = () => Effect.succeed([planned("make")])
      const upgrades = Limits.attemptsPerTier + 1
      return Effect.gen(function* () {
        const objects = yield* ObjectStore
        const script = provider.script
        const changeId = yield* open((yield* newProject).id)
        // The first uses up a try: it calls nothing.
        const answer: typeof script = (ask) => (ask.callId.includes("_make_1_") ? Effect.succeed(says()) : script(ask))
        const runs = Array.from({ length: upgrades }, (_, at) => at + 2)
        for (const attempt of runs) {
          const reached = yield* Deferred.make<void>()
          provider.script = (ask) =>
            turnOf(ask).turn === 3 ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) : answer(ask)
          const first = yield* Effect.forkChild(settle)
          yield* Deferred.await(reached)
          yield* Fiber.interrupt(first)
          // What a command said on other files; and words that this version cannot read.
          const task = yield* taskOf(changeId, "make")
          const key = `context/${task.projectId}/run_${task.id}_${attempt}/kept-tool-2-1.json`
          const said = JSON.parse(new TextDecoder().decode(yield* objects.get(key)))
          const other = attempt % 2 === 1 ? { ...said, files: "other" } : { said: "otherwise" }
          yield* objects.put(key, new TextEncoder().encode(JSON.stringify(other)))
        }
        provider.script = script
        yield* settle
        const task = yield* taskOf(changeId, "make")
        expect(task).toMatchObject({ status: "completed", tier: "fast", attempt: upgrades + 2 })
        for (const attempt of runs) {
          const { record } = yield* demand("taskRun", `run_${task.id}_${attempt}`)
          expect(record).toMatchObject({ outcome: "diverged", tier: "fast" })
          expect(record.reason).toContain("another version")
        }
      }).pipe(withModels(provider))
    }))
})
