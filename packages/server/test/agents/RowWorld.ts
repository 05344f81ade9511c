/**
 * Planned Changes over memory stores, worked by the agent that is built in and planned by the planner that asks a model:
 * both ask a real HTTP provider that does what a script says. Which rows of the lives of Tasks and Changes they reach is
 * read off what was committed.
 */
import * as HttpModels from "@pawl/adapters-models/HttpModels"
import type { PlannedTask } from "@pawl/core/change/WorkGraph"
import * as ModelPlanner from "@pawl/core/change/ModelPlanner"
import * as BuiltIn from "@pawl/core/harness/BuiltIn"
import type { Commit, Write } from "@pawl/core/ledger/Commit"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import type { Change } from "@pawl/core/model/Change"
import type { Task } from "@pawl/core/model/Task"
import { TaskLifecycle } from "@pawl/core/model/TaskLifecycle"
import * as WebCryptoSecrets from "@pawl/server/http/WebCryptoSecrets"
import { calls, type Turn } from "@pawl/testing/provider/Script"
import * as ScriptedProvider from "@pawl/testing/provider/ScriptedProvider"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { type Hands, inWorld, type Services } from "../../../core/test/kit/WorkWorld.ts"
import { titleOf } from "../e2e/kit/ScriptedTeam.ts"
import { type Gate, gate } from "../e2e/agents/Watch.ts"

/** What was reached so far, as `task: from × trigger → to`. */
export type Reached = Set<string>

/** All rows of both tables, named alike. */
export const allRows: ReadonlyArray<string> = [TaskLifecycle, ChangeLifecycle].flatMap(({ name, rows }) =>
  rows.map(({ from, to, trigger }) => `${name}: ${from} × ${trigger} → ${to}`)
)

/** Which trigger moved a Task: where two lead from one status to another, the record says which. */
const taskTrigger = (from: Task, to: Task, { name }: Commit): string | null => {
  switch (`${from.status} ${to.status}`) {
    case "ready ready":
      return to.reason === from.reason ? null : "deferred"
    case "running running":
      return to.attempt === from.attempt ? null : "retried"
    case "blocked pending":
      return from.blockedBy === "dependency" ? "dependencyRevived" : "givenBack"
    case "blocked ready":
      return name.startsWith("Budget.") ? "budgetRaised" : "retriedByOperator"
  }
  if (to.status === "blocked") {
    if (from.status === "blocked" && to.reason === from.reason) return null
    if (to.blockedBy === "stopped") return "stoppedByPerson"
    if (to.blockedBy === "person") return "handedOver"
    if (to.blockedBy === "dependency") return "dependencyFailed"
    return to.blockedBy === "dead_letter" && from.status !== "running" ? "wakeDeadLettered" : "budgetStopped"
  }
  return TaskLifecycle.rows.find((row) => row.from === from.status && row.to === to.status)?.trigger ?? null
}

const rowIn = (write: Write, commit: Commit): ReadonlyArray<string> => {
  if (write._tag !== "Update") return []
  if (write.kind === "task") {
    const [from, to] = [write.from as Task, write.record as Task]
    const trigger = taskTrigger(from, to, commit)
    return trigger === null ? [] : [`task: ${from.status} × ${trigger} → ${to.status}`]
  }
  if (write.kind !== "change") return []
  const [from, to] = [write.from as Change, write.record as Change]
  const row = ChangeLifecycle.rows.find((each) => each.from === from.status && each.to === to.status)
  return row === undefined ? [] : [`change: ${row.from} × ${row.trigger} → ${row.to}`]
}

/** A planner and agents that do what a script says. */
export interface Crew {
  readonly hands: Hands
  /** What the planner proposes from now on, and what each agent answers, by the key of its Task; else it writes a file. */
  readonly follow: (tasks: unknown, agents?: Readonly<Record<string, ReadonlyArray<Turn>>>) => void
  /** The model stands still in the first call of this Task's agent, or of the planner, until somebody opens. */
  readonly stands: (key: string) => Gate<void>
  /** Somebody does something right before the next commit of this name. */
  readonly before: (
    name: string,
    act: Effect.Effect<unknown, unknown, Services>
  ) => Effect.Effect<void, never, Services>
  /** Titles of the Tasks that the model was asked for, call by call; `planner` for a plan. */
  readonly asked: () => ReadonlyArray<string>
}

/** A Task whose agent is known by its title. */
export const task = (key: string, dependsOn: ReadonlyArray<string> = [], more: Partial<PlannedTask> = {}) => ({
  key,
  title: key,
  kind: "implement",
  complexity: "small",
  instructions: `Do ${key}.`,
  dependsOn,
  reads: [],
  writes: [],
  ...more
})

const publishes = (key: string): ReadonlyArray<Turn> => [
  calls("write", { path: `${key}.txt`, text: key }),
  calls("done", { message: key })
]

const model = { name: "scripted", contextTokens: 128_000, prices: { input: 1, cached: 0.1, output: 2 } }

/** Runs a program in a world of its own, and adds the rows that it reached. */
export const inRowWorld = async <E>(
  reached: Reached,
  program: (crew: Crew) => Effect.Effect<unknown, E, Services>
): Promise<void> => {
  let plan: unknown = [task("a")]
  let scripts: Readonly<Record<string, ReadonlyArray<Turn>>> = {}
  const gates = new Map<string, Gate<void>>()
  const provider = await ScriptedProvider.open(async (asked) => {
    const key = asked.tools.includes("propose_plan") ? "planner" : (titleOf(asked) ?? "")
    const closed = gates.get(key)
    gates.delete(key)
    await closed?.pass()
    if (key === "planner") return calls("propose_plan", { tasks: plan })
    const turns = scripts[key] ?? publishes(key)
    const at = (asked.text.match(/"role":"assistant"/g) ?? []).length
    return turns[Math.min(at, turns.length - 1)] ?? calls("give_up", { reason: "nothing to say" })
  })
  const models = HttpModels.layer({
    endpoint: { dialect: "openai-chat", url: provider.url, key: null },
    tiers: { fast: model, balanced: model, strong: model }
  }).pipe(Layer.provide(FetchHttpClient.layer))
  const minds = Layer.merge(
    ModelPlanner.layer({ othersOf: () => Effect.succeed([]), packages: [] }),
    BuiltIn.layer({ notesFor: () => Effect.succeed([]), packages: [] })
  ).pipe(Layer.provideMerge(models), Layer.provide(WebCryptoSecrets.layer))
  try {
    await inWorld((hands) => {
      const pending = new Map<string, Effect.Effect<unknown>>()
      hands.around = (commit, done) => {
        const act = pending.get(commit.name) ?? Effect.void
        pending.delete(commit.name)
        return Effect.tap(Effect.andThen(act, done), (outcome) =>
          Effect.sync(() => {
            if (outcome._tag !== "Committed") return
            for (const write of commit.writes ?? []) for (const row of rowIn(write, commit)) reached.add(row)
          })
        )
      }
      return program({
        hands,
        follow: (tasks, agents = {}) => {
          plan = tasks
          scripts = agents
        },
        stands: (key) => {
          const made = gate<void>()
          gates.set(key, made)
          return made
        },
        before: (name, act) =>
          Effect.map(Effect.context<Services>(), (context) => {
            pending.set(name, Effect.orDie(Effect.provide(act, context)))
          }),
        asked: () => provider.asked().map((each) => titleOf(each) ?? "planner")
      }).pipe(Effect.provide(minds))
    })
  } finally {
    await provider.close()
  }
}
