/**
 * A long lane on SQLite, worked by the real commands one after the other; git, builds and sandboxes are the memory ones.
 * Each `lane.step` is timed while a hundred entries are open, and what it commits is kept.
 */
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import type { Commit } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { openEntries } from "@pawl/core/lane/LaneReading"
import { type CommandKind, commandKinds } from "@pawl/core/model/Command"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings } from "@pawl/core/primitives/Settings"
import { Commands } from "@pawl/core/work/Commands"
import { execute } from "@pawl/core/work/Processes"
import { handlers } from "@pawl/core/worker/Handlers"
import * as SqlStores from "@pawl/sql/SqlStores"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { Effect, Layer } from "effect"
import { clean, laned, outcome, racing } from "../../packages/core/test/kit/LaneScenes.ts"
import * as MemoryPawl from "../../packages/core/test/kit/MemoryPawl.ts"

/** So many entries are open while steps are timed. */
export const entries = 100
/** So many of those in front land meanwhile. */
const landings = 40
/** So many are ready when they begin to land. */
export const chain = 20

/** One run of the command: how long, in ms, and what it committed. */
export interface Step {
  readonly ms: number
  /** CPU time of all threads. */
  readonly cpuMs: number
  readonly commits: ReadonlyArray<Commit>
}

const kinds = commandKinds.filter((kind) => handlers[kind] !== undefined)
const laneStep = handlers["lane.step"]!

/** Keeps what a piece of work commits, whoever else hears of it. */
const committing = <A, E, R>(work: Effect.Effect<A, E, R>, commits: Array<Commit>) => {
  const keep: Around = ({ args }, effect) =>
    Effect.tap(effect, () => Effect.sync(() => commits.push(args[0] as Commit)))
  return Effect.flatMap(Ledger, (ledger) => Effect.provideService(work, Ledger, wrap(Ledger, ledger, keep)))
}

/** Works through all that is due, and times each `lane.step` that leaves a long lane. */
const worked = Effect.fnUntraced(function* (projectId: string) {
  const commands = yield* Commands
  const steps: Array<Step> = []
  const timed: typeof laneStep = (command) =>
    Effect.gen(function* () {
      const commits: Array<Commit> = []
      const [began, used] = [performance.now(), process.cpuUsage()]
      yield* committing(laneStep(command), commits)
      const [ms, { system, user }] = [performance.now() - began, process.cpuUsage(used)]
      if ((yield* openEntries(projectId)).length >= entries) steps.push({ ms, cpuMs: (system + user) / 1000, commits })
    })
  const ours = { ...handlers, "lane.step": timed }
  for (;;) {
    const due = yield* commands.claim({ worker: "bench", kinds, limit: 1, leaseMs: Limits.commandLeaseMs })
    if (due.length === 0) return steps
    for (const each of due) yield* execute(each, ours)
  }
})

const lived = Effect.gen(function* () {
  const project = yield* laned
  yield* racing(project.id, clean(entries + landings))
  const steps = yield* worked(project.id)
  const { generation } = yield* outcome(project.id)
  if (generation !== entries + landings) throw new Error(`${generation} have landed`)
  return steps
})

/** Runs what is due of some kinds until nothing is. What commands of the lane commit is kept. */
const settle = Effect.fnUntraced(function* (without: ReadonlyArray<CommandKind>, commits: Array<Commit>) {
  const commands = yield* Commands
  const kept = (kind: "lane.step" | "candidate.promote") => {
    const handler = handlers[kind]!
    return (command: Parameters<typeof handler>[0]) => committing(handler(command), commits)
  }
  const ours = { ...handlers, "lane.step": kept("lane.step"), "candidate.promote": kept("candidate.promote") }
  const asked = kinds.filter((kind) => !without.includes(kind))
  for (;;) {
    const due = yield* commands.claim({ worker: "bench", kinds: asked, limit: 1, leaseMs: Limits.commandLeaseMs })
    if (due.length === 0) return
    for (const each of due) yield* execute(each, ours)
  }
})

/** All is verified before anything lands. */
const landed = Effect.gen(function* () {
  const project = yield* laned
  yield* racing(project.id, clean(chain))
  yield* settle(["candidate.promote"], [])
  const commits: Array<Commit> = []
  yield* settle([], commits)
  const { generation } = yield* outcome(project.id)
  if (generation !== chain) throw new Error(`${generation} have landed`)
  return commits
})

const on = <A, E>(filename: string, world: Effect.Effect<A, E, Layer.Success<typeof MemoryPawl.layer>>): Promise<A> => {
  const stores = Layer.provide(SqlStores.layer, SqliteClient.layer({ filename }))
  MemoryPawl.answers.set("/", MemoryPawl.page(200))
  const patient = Effect.flatMap(Settings, (settings) =>
    Effect.provideService(world, Settings, { ...settings, buildsPerDay: 100_000 })
  )
  return MemoryPawl.run(patient, Layer.merge(MemoryPawl.layer, stores))
}

/** The steps of one long lane, in a database file of its own. */
export const steps = (filename: string): Promise<ReadonlyArray<Step>> => on(filename, lived)

/** What the commands that land a chain of ready Candidates commit, in turn. */
export const landingCommits = (filename: string): Promise<ReadonlyArray<Commit>> => on(filename, landed)
