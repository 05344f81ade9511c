/** One Change over a store in memory, with runs that ask models; what the provider charged is counted beside it. */
import { Context, Effect } from "effect"
import { agentIn, type Asker, plannerOf, reviewerOf } from "@pawl/core/agent/Asker"
import { costOf } from "@pawl/core/agent/ModelCost"
import { type Answer, type Ask, Models, type ModelsShape, type Part, type TierModel } from "@pawl/core/agent/Models"
import type { TurnAsk, TurnServices } from "@pawl/core/agent/Turns"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import type { Change } from "@pawl/core/model/Change"
import type { ModelCall } from "@pawl/core/model/ModelCall"
import { repairKey, type TaskRun } from "@pawl/core/model/Task"
import { tierOf } from "@pawl/core/task/ModelRoute"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { runId, taskId } from "@pawl/core/primitives/Ids"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { insert } from "@pawl/core/ledger/Commit"
import { change, changeId, commit, projectId } from "@pawl/testing/tools/StoreFixtures"

/** US dollars for a million tokens. */
export const prices = { input: 3, cached: 0.3, output: 15 }
export const model: TierModel = { name: "scripted-1", contextTokens: 128_000, prices }

const time = "2030-01-01T00:00:00.000Z"

/** The first run of the nth Task, or of the one of a key. */
export const runOf = (n: number | string): TaskRun => {
  const task = taskId(changeId(), typeof n === "number" ? `t${n}` : n)
  return {
    id: runId(task, 1),
    projectId: projectId(),
    changeId: changeId(),
    taskId: task,
    attempt: 1,
    tier: "fast",
    workspaceFork: null,
    baseCommit: "a".repeat(40),
    baseGeneration: 0,
    startedAt: time,
    endedAt: null,
    outcome: null,
    modelCalls: 0,
    costUsd: 0,
    forkDeletedAt: null
  }
}

export const agent = (n: number): Asker => agentIn(runOf(n), "fast", [])
/** The run of the first repair, and its agent: its Task is as `Repairs` plans it. */
export const repairRun = runOf(repairKey(1))
export const repairer = agentIn(repairRun, tierOf("implement", "medium"), [])
export const planner = plannerOf({ id: changeId(), projectId: projectId() }, "strong")
export const reviewer = (n: number): Asker =>
  reviewerOf({ id: `cand_${String(n).padStart(24, "0")}`, projectId: projectId(), changeId: changeId() }, "balanced")

/** A question of one part. */
export const askOf = (text: string, more: Partial<TurnAsk> = {}): TurnAsk => ({
  system: "You change an app.",
  parts: [{ _tag: "User", text }],
  tools: [{ name: "read", description: "Reads a file.", parameters: { type: "object" } }],
  mustCall: null,
  maxOutput: 1000,
  ...more
})

/** The next question of a talk. */
export const after = ({ parts, ...ask }: TurnAsk, answer: Answer, result: string): TurnAsk => {
  const said: ReadonlyArray<Part> = [
    { _tag: "Assistant", text: answer.text, calls: answer.calls },
    { _tag: "User", text: result }
  ]
  return { ...ask, parts: [...parts, ...said] }
}

/** An answer that tells of as many tokens as an honest provider may: no token is shorter than a byte. */
export const answerTo = (ask: Ask, text: string, output = Math.min(ask.maxOutput, 200)): Answer => ({
  text,
  calls: [],
  stop: "end",
  usage: {
    input: Math.floor(JSON.stringify([ask.system, ask.tools, ask.parts]).length / 3),
    cacheRead: 0,
    cacheWrite: 0,
    output,
    known: true
  },
  requestId: null
})

/** What asks, and all that it charged: also for whoever was gone before the answer came. */
export interface Provider {
  readonly asked: Array<string>
  chargedUsd: number
  script: ModelsShape["ask"]
  readonly models: ModelsShape
}

export const newProvider = (script: ModelsShape["ask"]): Provider => {
  const provider: Provider = {
    asked: [],
    chargedUsd: 0,
    script,
    models: {
      available: true,
      of: () => model,
      ask: (ask) =>
        Effect.suspend(() => {
          provider.asked.push(ask.callId)
          return Effect.tap(provider.script(ask), ({ usage }) => {
            provider.chargedUsd += costOf(prices, usage)
            return Effect.void
          })
        })
    }
  }
  return provider
}

/** Answers each with a text that names its question. */
export const honest: ModelsShape["ask"] = (ask) => Effect.succeed(answerTo(ask, `answer to ${lastOf(ask)}`))
export const lastOf = (ask: Pick<Ask, "parts">): string => {
  const last = ask.parts.at(-1)
  return last === undefined ? "" : last.text
}

/** The stores of one world, each call of them wrapped. */
export const storesOf = (
  bare: Context.Context<TurnServices>,
  around: Around,
  { models }: Provider
): Context.Context<TurnServices> =>
  bare.pipe(
    Context.add(Ledger, wrap(Ledger, Context.get(bare, Ledger), around)),
    Context.add(Records, wrap(Records, Context.get(bare, Records), around)),
    Context.add(ObjectStore, wrap(ObjectStore, Context.get(bare, ObjectStore), around)),
    Context.add(DailyCounter, wrap(DailyCounter, Context.get(bare, DailyCounter), around)),
    Context.add(Models, models)
  )

/** Stores with one Change that may spend so much, and the runs of so many Tasks, and more. */
export const newStores = (
  budgetUsd: number,
  runs: number,
  more: ReadonlyArray<TaskRun> = []
): Context.Context<TurnServices> => {
  // Only the store itself: a context holds the scheduler of who made it, too.
  const objects = Effect.runSync(Effect.provide(ObjectStore, MemoryObjectStore.layerMemory))
  const bare = Context.add(MemoryLedger.makeMemoryStore().services, ObjectStore, objects)
  const writes = [
    insert("change", change(1, { budgetUsd })),
    ...Array.from({ length: runs }, (_, n) => insert("taskRun", runOf(n + 1))),
    ...more.map((run) => insert("taskRun", run))
  ]
  Effect.runSync(Effect.provide(commit({ writes }), bare))
  return bare
}

/** The Change, its calls and its runs as they are stored. */
export const stateOf = (stores: Context.Context<TurnServices>) =>
  Effect.runSync(
    Effect.gen(function* () {
      const records = yield* Records
      const all = { limit: "all" } as const
      const calls: ReadonlyArray<ModelCall> = (yield* records.list("modelCall", all)).items.map((each) => each.record)
      const runs = (yield* records.list("taskRun", all)).items.map((each) => each.record)
      const [stored] = (yield* records.list("change", all)).items
      if (stored === undefined) return yield* Effect.die(new Error("no Change"))
      return { calls, runs, change: stored.record as Change }
    }).pipe(Effect.provide(stores))
  )

/** Sums of money, to the millionth. */
export const total = (sums: ReadonlyArray<number>): number =>
  Math.round(sums.reduce((sum, each) => sum + each, 0) * 1e6) / 1e6
