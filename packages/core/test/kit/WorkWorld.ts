/** A planned Change over memory layers: a scripted planner and scripted agents, and hands on every commit. */
import { Context, Effect, type Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as Changes from "@pawl/core/change/Changes"
import { type PlannedTask } from "@pawl/core/change/WorkGraph"
import type { Turns } from "@pawl/core/agent/Turns"
import { Planner, type PlannerShape } from "@pawl/core/change/Planner"
import type { commandKinds } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import { handlers } from "@pawl/core/worker/Handlers"
import type { Commit } from "@pawl/core/ledger/Commit"
import type { Kind } from "@pawl/core/model/Entities"
import type { Lifecycle } from "@pawl/core/model/Lifecycle"
import { statusOf } from "@pawl/core/ledger/CommitRules"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger, LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { execute } from "@pawl/core/work/Processes"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Projects from "@pawl/core/project/Projects"
import { Agent, type AgentJob, type AgentOutcome, type AgentShape } from "@pawl/core/task/Agent"
import { answers, layer, organizationId, page, person, run, settle, type World } from "./MemoryPawl.ts"
import { expectRow, type Seen, titleOf } from "./Rows.ts"

export type Services = Layer.Success<typeof layer>

/** What an agent does with one run. */
export type Script = (
  job: AgentJob
) => Effect.Effect<AgentOutcome, Effect.Error<ReturnType<AgentShape["work"]>>, Services>

export const usage = { modelCalls: 1, costUsd: 0.01 }

/** Writes a file named after the Task. */
export const publishes: Script = ({ task }) =>
  Effect.succeed({
    _tag: "Published",
    edits: { [`${task.key}.txt`]: task.id },
    message: task.key,
    intents: [],
    usage
  })

export const ends =
  (_tag: "Retry" | "Escalate" | "Failed" | "Stopped", reason: string = _tag): Script =>
  () =>
    Effect.succeed({ _tag, reason, usage })

/** A planned Task that depends on these. */
export const planned = (key: string, dependsOn: ReadonlyArray<string> = [], more: Partial<PlannedTask> = {}) => ({
  key,
  title: key,
  kind: "implement" as const,
  complexity: "small" as const,
  instructions: `do ${key}`,
  dependsOn,
  writes: [],
  ...more
})

type Hook = Effect.Effect<unknown, unknown, Services>

/** What a test may change while a world runs. */
export interface Hands {
  /** Scripts by Task key, one per run; afterwards, and for other Tasks, an agent publishes. */
  readonly agents: Map<string, Array<Script>>
  plan: (turns: Turns) => Effect.Effect<unknown, Effect.Error<ReturnType<PlannerShape["plan"]>>, Services>
  /** Run once, right before the next commit of this name. */
  readonly before: Map<string, Hook>
  /** Commits of these names find no store. */
  readonly broken: Set<string>
  /** Put around every commit of the program and the processes. */
  around: (commit: Commit, done: ReturnType<Ledger["Service"]["commit"]>) => ReturnType<Ledger["Service"]["commit"]>
  /** The steps of each kind's life that commits had applied, in their order. */
  readonly seen: Map<Kind, Array<Seen>>
  /** Every run that an agent was given. */
  readonly jobs: Array<AgentJob>
}

const newHands = (): Hands => ({
  agents: new Map(),
  plan: () => Effect.succeed([planned("a")]),
  before: new Map(),
  broken: new Set(),
  around: (_, done) => done,
  seen: new Map(),
  jobs: []
})

const note = (hands: Hands, commit: Commit) => {
  for (const write of commit.writes ?? []) {
    if (write._tag !== "Update") continue
    const [from, to] = [statusOf(write.kind, write.from), statusOf(write.kind, write.record)]
    if (to === null) continue
    const seen = hands.seen.get(write.kind) ?? []
    hands.seen.set(write.kind, [...seen, { step: `${from} → ${to}`, commit }])
  }
}

const watched = (ledger: Ledger["Service"], hands: Hands, context: Context.Context<Services>): Ledger["Service"] => ({
  ...ledger,
  commit: (commit) =>
    Effect.gen(function* () {
      const hook = hands.before.get(commit.name)
      hands.before.delete(commit.name)
      if (hook !== undefined) yield* Effect.orDie(Effect.provide(hook, context))
      if (hands.broken.has(commit.name))
        return yield* new LedgerUnavailable({
          operation: "commit",
          reason: `${commit.name} is broken`,
          lasting: true
        })
      const done = Effect.tap(ledger.commit(commit), () => Effect.sync(() => note(hands, commit)))
      return yield* hands.around(commit, done)
    })
})

/** Runs a program in a world of its own, over memory or over other stores. */
export const inWorld = <E>(
  program: (hands: Hands) => Effect.Effect<unknown, E, Services>,
  over: World = layer
): Promise<void> =>
  run(
    Effect.gen(function* () {
      answers.clear()
      answers.set("/", page(200))
      const hands = newHands()
      const bare = yield* Effect.context<Services>()
      // Hooks run over the bare store; the program and the processes over the watched one.
      const context = Context.add(bare, Ledger, watched(Context.get(bare, Ledger), hands, bare))
      const script = (job: AgentJob) => {
        hands.jobs.push(job)
        return Effect.provide((hands.agents.get(job.task.key)?.shift() ?? publishes)(job), context)
      }
      yield* program(hands).pipe(
        Effect.provide(context),
        Effect.provideService(Agent, { work: script }),
        Effect.provideService(Planner, {
          available: true,
          plan: (_change, _base, turns) => Effect.provide(hands.plan(turns), context)
        })
      )
    }).pipe(Effect.provide(TestClock.layer()), Effect.provideService(References.MinimumLogLevel, "None")),
    over
  )

export const files = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "x" }], probes: [{ path: "/" }] }),
  "src/index.js": "one",
  "result.txt": "fine"
}

export const newProject = Effect.tap(Projects.create(person, { organizationId, slug: "corner", files }), () => settle)

/** A Change that is to be planned; nothing has run for it yet. */
export const open = (projectId: string, more: { readonly startPlanning?: boolean; readonly budgetUsd?: number } = {}) =>
  Effect.map(
    Changes.open(person, { projectId, clientRequestId: "r", goal: "g", budgetUsd: 1, ...more }),
    ({ change }) => change.id
  )

/** A Change with this graph, worked as far as it goes. */
export const worked = (hands: Hands, tasks: ReadonlyArray<PlannedTask>) =>
  Effect.gen(function* () {
    const project = yield* newProject
    hands.plan = () => Effect.succeed(tasks)
    const changeId = yield* open(project.id)
    yield* settle
    return changeId
  })

/** A Change whose graph is compiled, with no agent at work yet. */
export const compiled = (hands: Hands, tasks: ReadonlyArray<PlannedTask>) =>
  Effect.gen(function* () {
    const project = yield* newProject
    hands.plan = () => Effect.succeed(tasks)
    const changeId = yield* open(project.id)
    yield* turn("change.dispatch")
    return changeId
  })

/** Runs what is due, and what is put off, as the program's clock goes on. */
export const settleAll = Effect.gen(function* () {
  for (let turn = 0; turn < 8; turn++) {
    yield* settle
    yield* TestClock.adjust("6 minutes")
  }
  yield* settle
})

/** Runs one due command of these kinds; whatever it sends waits. */
export const turn = (...kinds: ReadonlyArray<(typeof commandKinds)[number]>) =>
  Effect.gen(function* () {
    const claimed = yield* (yield* Commands).claim({ worker: "test", kinds, limit: 1, leaseMs: Limits.commandLeaseMs })
    yield* Effect.forEach(claimed, (leased) => execute(leased, handlers), { discard: true })
    return claimed.length
  })

export const statusOfChange = (id: string) => Effect.map(demand("change", id), ({ record }) => record.status)
export const taskOf = (changeId: string, key: string) =>
  Effect.map(demand("task", `tsk_${changeId}_${key}`), ({ record }) => record)

type Title = `${string} × ${string} → ${string}: ${string}`
/** Makes the step of one row. */
export type Case = (hands: Hands) => Effect.Effect<unknown, unknown, Services>

/**
 * One test per row of a lifecycle, titled by the row and what it promises. Each must have made its step in a real
 * commit, with the events that the row names; and no row of the table is left without a test.
 */
export const eachRow = (life: Lifecycle<string, string>, kind: Kind, cases: Readonly<Record<Title, Case>>) =>
  describe(`Every row of the life of a ${life.name}`, () => {
    const rowOf = (title: string) => title.slice(0, title.indexOf(":"))
    it("has a test, and no test is of another row", () =>
      expect(Object.keys(cases).map(rowOf).toSorted()).toEqual(life.rows.map(titleOf).toSorted()))

    it.each(Object.entries(cases))("%s", (title, program) =>
      inWorld((hands) =>
        Effect.gen(function* () {
          yield* program(hands)
          expectRow(life, rowOf(title), hands.seen.get(kind) ?? [])
        })
      )
    )
  })
