/** The real lane of three under orders that a seed draws: workers, a promoter, and what people do meanwhile. */
import { Cause, Context, Effect, Exit, Layer, Option, References } from "effect"
import * as ClockOf from "effect/Clock"
import * as Random from "effect/Random"
import { numbers, rounds } from "@pawl/testing/Depth"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { SeededScheduler, seededDraw } from "@pawl/testing/tools/SeededScheduler"
import { makeMemoryStore } from "@pawl/adapters-memory/MemoryLedger"
import { makeMemoryRepositories } from "@pawl/adapters-memory/MemoryRepositories"
import { Repos } from "@pawl/adapters-memory/MemoryRepository"
import * as Policies from "@pawl/core/approval/Policies"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { pause, resume } from "@pawl/core/lane/LaneControl"
import { leave } from "@pawl/core/lane/LaneEntries"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { generationKey } from "@pawl/core/model/Entities"
import { commandKinds } from "@pawl/core/model/Command"
import * as FairSlots from "@pawl/core/primitives/FairSlots"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings } from "@pawl/core/primitives/Settings"
import { Repositories } from "@pawl/core/project/Repositories"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { SandboxSlots } from "@pawl/core/verification/SandboxSlots"
import { handlers } from "@pawl/core/worker/Handlers"
import { Commands } from "@pawl/core/work/Commands"
import { execute } from "@pawl/core/work/Processes"
import { layer, person } from "../kit/MemoryPawl.ts"
import { VirtualClock } from "../kit/VirtualTime.ts"
import { type Ground, laneGrounds, sandboxOf, settings } from "./LaneGrounds.ts"
import { allOf, brokenHoldings, brokenLaws, twoOfOne } from "./StoredLaws.ts"

/** What happens beside the workers and the promoter. */
export type Scenario =
  | "nothing more"
  | "a cancel"
  | "a Policy"
  | "a rollback"
  | "a pause"
  | "a way out"
  | "flaky checks"

/** Signing waits for another thread, and says nothing here. */
const kinds = commandKinds.filter((kind) => handlers[kind] !== undefined && kind !== "statement.sign")

/** Gives way to the others before each call, so that each call is a place to interleave. */
const giveWay: Around = (_call, effect) => Effect.andThen(Effect.yieldNow, effect)

/** Works until nothing was due for long: what was put off comes due meanwhile. */
const working = Effect.gen(function* () {
  const commands = yield* Commands
  for (let idle = 0; idle < 4;) {
    const claimed = yield* commands.claim({ worker: "w", kinds, limit: 1, leaseMs: Limits.commandLeaseMs })
    idle = claimed.length === 0 ? idle + 1 : 0
    yield* Effect.forEach(claimed, (leased) => execute(leased, handlers), { discard: true })
    if (claimed.length === 0) yield* Effect.sleep("7 minutes")
  }
})

/** A person who promotes whatever is verified, whoever's turn it is. What is refused is refused. */
const promoting = (projectId: string, draw: (below: number) => number) =>
  Effect.gen(function* () {
    const records = yield* Records
    for (let n = 0; n < 2; n++) {
      for (let waits = draw(24); waits > 0; waits--) yield* Effect.yieldNow
      const { items } = yield* records.list("candidate", { projectId, where: { status: "verified" }, limit: "all" })
      const one = items[draw(Math.max(1, items.length))]?.record
      if (one !== undefined) yield* refusable(Promotions.promote(person, one.id))
    }
  })

/** A refusal is an answer; a defect is not. */
const refusable = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.exit(work), (exit) =>
    Exit.isFailure(exit) && Option.isNone(Cause.findErrorOption(exit.cause))
      ? Effect.failCause(exit.cause)
      : Effect.void
  )

/** Looks at what is under way for a while, and then does something once. */
const meanwhile = (scenario: Scenario, { changes, projectId }: Ground, draw: (below: number) => number) =>
  Effect.gen(function* () {
    for (let waits = draw(60); waits > 0; waits--) yield* Effect.yieldNow
    if (scenario === "a cancel") yield* refusable(Cancellation.cancel(person, changes[draw(3)]!))
    if (scenario === "a Policy") yield* refusable(Policies.change(person, projectId, { approvalsRequired: 2 }))
    if (scenario === "a rollback") yield* rollingBack(projectId)
    if (scenario === "a pause") yield* pausing(projectId)
    if (scenario === "a way out") yield* refusable(leave(person, changes[draw(3)]!))
  })

/** Nothing of the lane lands between the two. */
const pausing = (projectId: string) =>
  Effect.gen(function* () {
    yield* refusable(pause(person, projectId, "a look"))
    const before = (yield* newestGeneration(projectId)).record.generation
    yield* Effect.sleep("6 minutes")
    const { actor, generation } = (yield* newestGeneration(projectId)).record
    if (generation > before && actor.id !== person.id)
      return yield* Effect.die(new Error("what the lane ordered landed while it was paused"))
    yield* refusable(resume(person, projectId))
  })

const newestGeneration = (projectId: string) =>
  Effect.flatMap(demand("head", projectId), ({ record }) =>
    demand("generation", generationKey(projectId, record.generation))
  )

const rollingBack = (projectId: string) =>
  Effect.gen(function* () {
    const { generation } = (yield* demand("head", projectId)).record
    yield* refusable(Rollbacks.request(person, { projectId, targetGeneration: 0, expectedGeneration: generation }))
  })

/** Promotes a rollback that was verified, and has the lane go on after it: a while later, twice. */
const lookedAfter = (projectId: string) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 2; turn++) {
      yield* Effect.sleep("6 minutes")
      const listing = { projectId, where: { status: "verified" }, limit: "all" } as const
      for (const { record } of (yield* (yield* Records).list("candidate", listing)).items)
        if ((yield* demand("change", record.changeId)).record.kind === "rollback")
          yield* refusable(Promotions.promote(person, record.id))
      yield* refusable(resume(person, projectId))
    }
  })

/** What every play needs: where it may begin, and ports that nothing of it is kept in. */
interface Stage {
  readonly beside: Context.Context<Layer.Success<typeof layer>>
  readonly grounds: ReadonlyArray<Ground>
}

const staged = async (scenario: Scenario): Promise<Stage> => ({
  beside: await Effect.runPromise(Effect.scoped(Layer.build(layer))),
  grounds: await laneGrounds(scenario === "flaky checks" ? { flakeRetries: 1 } : {})
})

/** Both lists of one moment: nothing can come in between. */
const twoOpen = (records: Records["Service"]): string | null => {
  const all = <K extends "laneEntry" | "candidate">(kind: K) =>
    Effect.runSync(records.list(kind, { limit: "all" })).items.map(({ record }) => record)
  return twoOfOne(all("laneEntry"), all("candidate"))
}

const play = ({ beside, grounds }: Stage, seed: number, scenario: Scenario) => {
  const draw = seededDraw(seed * 31 + 7)
  const ground = grounds[draw(grounds.length)]!
  const store = makeMemoryStore(ground.state)
  const repos = new Repos(ground.repos)
  const time = new VirtualClock(ground.now)
  const held = { now: 0, most: 0 }
  const broken: Array<string> = []
  // Of its own, so that what else is drawn is the same.
  const chance = seededDraw(seed * 31 + 11)
  const isFlaky = () => scenario === "flaky checks" && chance(4) === 0
  const ledger = Context.get(store.services, Ledger)
  const look = Effect.sync(() => {
    const problem = twoOpen(Context.get(store.services, Records))
    if (problem !== null) broken.push(problem)
  })
  const watched: Ledger["Service"] = { commit: (commit) => Effect.tap(ledger.commit(commit), look) }
  const services = beside.pipe(
    Context.merge(store.services),
    Context.add(Ledger, wrap(Ledger, watched, giveWay)),
    Context.add(Records, wrap(Records, Context.get(store.services, Records), giveWay)),
    Context.add(Repositories, wrap(Repositories, makeMemoryRepositories(repos), giveWay)),
    Context.add(Sandbox, sandboxOf(held, isFlaky)),
    Context.add(SandboxSlots, FairSlots.make(2)),
    Context.add(Settings, settings),
    Context.add(ClockOf.Clock, time.clock),
    Context.add(References.MinimumLogLevel, "None")
  )
  const programs: ReadonlyArray<Effect.Effect<unknown, unknown, Layer.Success<typeof layer>>> = [
    working,
    working,
    promoting(ground.projectId, draw),
    meanwhile(scenario, ground, draw),
    ...(scenario === "a rollback" ? [lookedAfter(ground.projectId)] : [])
  ]
  // What a process held that is gone is free again.
  const begun = Effect.flatMap(Commands, (commands) => commands.releaseAll)
  const { exits, trail } = inTurns(
    seed,
    time,
    programs.map((each, n) =>
      Effect.andThen(n === 0 ? begun : Effect.void, each).pipe(Effect.provide(services), Random.withSeed(seed * 16 + n))
    )
  )
  return { exits, ground, held, repos, state: store.dump(), trail, broken }
}

/** Side by side under the interleaving of a seed. Time goes on when nobody can do anything. */
const inTurns = (seed: number, time: VirtualClock, programs: ReadonlyArray<Effect.Effect<unknown, unknown>>) => {
  const scheduler = new SeededScheduler(seed)
  const exits: Array<Exit.Exit<unknown, unknown>> = []
  for (const program of programs)
    Effect.runFork(Effect.andThen(Effect.yieldNow, program), { scheduler }).addObserver((exit) => {
      exits.push(exit)
    })
  for (scheduler.drain(); exits.length < programs.length; scheduler.drain())
    if (!time.goOn()) throw new Error(`seed ${seed}: a program waits for something outside the scheduler`)
  return { exits, trail: scheduler.trail.join(" ") }
}

const filesOf = ({ ground, repos, state }: ReturnType<typeof play>): ReadonlySet<string> => {
  const tree = allOf(state, "head")[0]?.tree ?? ""
  const project = repos.projects.get(ground.projectId)
  const all = [project?.canon, ...(project?.forks.values() ?? [])]
  return new Set(
    all
      .map((each) => each?.trees.get(tree))
      .find((each) => each !== undefined)
      ?.keys()
  )
}

/** What a played lane broke; null when nothing. */
const problemOf = (played: ReturnType<typeof play>): string | null => {
  const { broken: early, exits, ground, held, state } = played
  for (const exit of exits) if (Exit.isFailure(exit)) return Cause.pretty(exit.cause)
  if (early[0] !== undefined) return early[0]
  if (held.most > 2 || held.now !== 0) return `I10: ${held.most} sandboxes at once, ${held.now} were never given back`
  const broken = brokenLaws(state, allOf(state, "lane")[0]?.state === "paused")
  if (broken !== null) return broken
  const by = new Map(ground.changes.map((changeId, n) => [changeId, `src/${"abc"[n]}.txt`]))
  return brokenHoldings(state, filesOf(played), by)
}

/** How many seeds a scenario is played with. */
export const seeds = numbers(rounds({ quick: 300, deep: 600, long: 20_000 }), { quick: 30 })

/** What plays of a scenario came to. */
interface Played {
  /** What was broken first; null for nothing. */
  readonly problem: string | null
  /** How many orders there were. */
  readonly distinct: number
  /** How many checks were run once more. */
  readonly retries: number
}

/** Plays a scenario with every seed. */
export const played = async (scenario: Scenario): Promise<Played> => {
  const stage = await staged(scenario)
  const trails = new Set<string>()
  let retries = 0
  for (const seed of seeds) {
    const one = play(stage, seed, scenario)
    const problem = problemOf(one)
    if (problem !== null)
      return { problem: `seed ${seed} with ${scenario}: ${problem}`, distinct: trails.size, retries }
    trails.add(one.trail)
    retries += allOf(one.state, "evidence").filter(({ attempt }) => attempt === 2).length
  }
  console.log(`${scenario}: ${seeds.length} seeds from ${stage.grounds.length} places, ${trails.size} distinct orders`)
  return { problem: null, distinct: trails.size, retries }
}
