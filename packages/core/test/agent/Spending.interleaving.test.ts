import { Cause, Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { depth, rounds, seed as chance } from "@pawl/testing/Depth"
import { type Asker } from "@pawl/core/agent/Asker"
import { ModelRefused, ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import type { ModelsShape } from "@pawl/core/agent/Models"
import * as Turns from "@pawl/core/agent/Turns"
import type { Commit } from "@pawl/core/ledger/Commit"
import type { ModelCall } from "@pawl/core/model/ModelCall"
import type { Around } from "@pawl/testing/tools/PortWrap"
import { interleave, seededDraw } from "@pawl/testing/tools/SeededScheduler"
import {
  agent,
  answerTo,
  askOf,
  newProvider,
  newStores,
  planner,
  repairer,
  repairRun,
  reviewer,
  stateOf,
  storesOf,
  total
} from "./Asking.ts"

/** Gives way to the others before and after every call, so that each call is a place to interleave. */
const giveWay: Around = (_call, effect) => Effect.tap(Effect.andThen(Effect.yieldNow, effect), Effect.yieldNow)

const killed = "the process was killed"

/** A model whose answers, prices, faults and deaths are drawn. `lies` answers cost more than was kept for them. */
const drawn =
  (draw: (below: number) => number, lies: boolean): ModelsShape["ask"] =>
  (ask) =>
    Effect.suspend((): ReturnType<ModelsShape["ask"]> => {
      const away = { status: null, retryAfterMs: null, reason: "away" } as const
      switch (draw(16)) {
        case 0:
          return new ModelUnavailable({ ...away, kind: "rate", charged: "no" })
        case 1:
          return new ModelUnavailable({ ...away, kind: "server", charged: "unknown" })
        case 2:
          return new ModelRefused({ kind: "request", status: 400, reason: "no" })
        case 3:
          return Effect.die(killed)
        default:
          return Effect.succeed(answerTo(ask, "fine", draw(ask.maxOutput + 1) * (lies && draw(8) === 0 ? 40 : 1)))
      }
    }).pipe(Effect.andThen((answer) => Effect.as(Effect.yieldNow, answer)))

/** Short: what is digested at once waits for nothing outside the scheduler. */
const question = (n: number) => askOf(`question ${n}`, { system: "s", tools: [], maxOutput: 3000 })

/** Works so many turns as a process does that is started again after each death, and comes back from each wait. */
const working = (asker: Asker, count: number) =>
  Effect.gen(function* () {
    let turns = yield* Turns.of(asker, null)
    for (let n = 1; n <= count;) {
      const exit = yield* Effect.exit(turns.turn(n, question(n)))
      if (Exit.isSuccess(exit)) n++
      else if (Cause.hasDies(exit.cause)) turns = yield* Turns.of(asker, null)
      else {
        const failure = Cause.findErrorOption(exit.cause)
        const tag = failure._tag === "Some" ? failure.value._tag : "nothing"
        if (tag === "TurnStopped" || tag === "TurnFailed" || tag === "ModelRefused") return tag
        yield* Effect.yieldNow
      }
    }
    return "done"
  })

const askers = (crowd: "agents" | "all"): ReadonlyArray<readonly [Asker, number]> => [
  ...Array.from({ length: 8 }, (_, n) => [agent(n + 1), 3] as const),
  ...(crowd === "all"
    ? ([
        [planner, 2],
        [repairer, 2],
        [reviewer(1), 1],
        [reviewer(2), 1]
      ] as const)
    : [])
]

/** What does not hold after any of these commits, in their order: the Change as each left it, and every call. */
const problemsAfterEach = (commits: ReadonlyArray<Commit>, budgetUsd: number, lies: boolean): ReadonlyArray<string> => {
  const known = new Map<string, ModelCall>()
  return commits.flatMap(({ name, writes = [] }) => {
    for (const write of writes)
      if (write._tag !== "Delete" && write.kind === "modelCall") known.set(write.record.id, write.record)
    const { reservedUsd, spentUsd } = writes
      .flatMap((write) => (write._tag === "Update" && write.kind === "change" ? [write.record] : []))
      .at(-1)!
    const calls = [...known.values()]
    const open = calls.filter(({ status }) => status === "reserved")
    const isOver = total([spentUsd, reservedUsd]) > budgetUsd
    // A lie may exceed it; nothing is asked for after that.
    const mayBeOver = lies && !writes.some((write) => write._tag === "Insert")
    return [
      ...(isOver && !mayBeOver ? [`${name}: ${spentUsd} + ${reservedUsd} > ${budgetUsd}`] : []),
      ...(total(open.map((each) => each.reservedUsd)) === reservedUsd
        ? []
        : [`${name}: ${reservedUsd} is not what calls keep`]),
      ...(total(calls.map((each) => each.costUsd)) === spentUsd ? [] : [`${name}: ${spentUsd} is not what calls cost`])
    ]
  })
}

/** Who asks, as its calls tell. */
const whoOf = ({ purpose, runId }: ModelCall): string => (runId === repairRun.id ? "repair" : purpose)

/** Of how many kinds of askers calls were on their way at once. */
const kindsAtOnce = (commits: ReadonlyArray<Commit>): number => {
  const open = new Map<string, string>()
  let most = 0
  for (const { writes = [] } of commits) {
    for (const write of writes)
      if (write._tag !== "Delete" && write.kind === "modelCall") {
        if (write.record.status === "reserved") open.set(write.record.id, whoOf(write.record))
        else open.delete(write.record.id)
      }
    most = Math.max(most, new Set(open.values()).size)
  }
  return most
}

/** Plays one interleaving; answers what was wrong after any commit, or at the end. */
const problemOf = (seed: number, crowd: "agents" | "all", lies = false) => {
  const draw = seededDraw(seed * 7 + 1)
  // From one that lets hardly anybody ask to one that is enough for all: seeds that follow each other have some of each.
  const budgetUsd = (5 + ((seed * 37) % 120)) / 100
  const provider = newProvider(drawn(draw, lies))
  const bare = newStores(budgetUsd, 8, [repairRun])
  const wrong: Array<string> = []
  /** What was stored, by the revision of the Change that it made: who wrote may be told of it later than the next one. */
  const stored = new Map<number, Commit>()
  const note = (each: Commit) => {
    const made = (each.writes ?? []).flatMap((write) =>
      write._tag === "Update" && write.kind === "change" ? [write.revision] : []
    )
    if (made.length === 0 || stored.has(made[0]!)) wrong.push(`${each.name} does not write the Change`)
    else stored.set(made[0]!, each)
  }
  const watched: Around = (call, effect) =>
    giveWay(
      call,
      call.port === "Ledger" ? Effect.tap(effect, () => Effect.sync(() => note(call.args[0] as Commit))) : effect
    )
  const services = storesOf(bare, watched, provider)
  const { exits } = interleave(
    seed,
    askers(crowd).map(([asker, count]) => Effect.provide(working(asker, count), services))
  )
  const inOrder = [...stored].toSorted(([one], [other]) => one - other).map(([, each]) => each)
  wrong.push(...problemsAfterEach(inOrder, budgetUsd, lies))
  const { calls, change, runs } = stateOf(bare)
  for (const exit of exits) if (Exit.isFailure(exit)) wrong.push(Cause.pretty(exit.cause))
  const open = calls.filter(({ status }) => status === "reserved")
  if (open.length > 0 || change.reservedUsd !== 0) wrong.push(`${open.length} calls are still kept for`)
  if (change.spentUsd < provider.chargedUsd - 1e-9)
    wrong.push(`${provider.chargedUsd} was charged, ${change.spentUsd} booked`)
  const ofRuns = total(calls.flatMap(({ costUsd, runId }) => (runId === undefined ? [] : [costUsd])))
  if (total(runs.map(({ costUsd }) => costUsd)) !== ofRuns) wrong.push("the runs cost something else than their calls")
  if (calls.length !== provider.asked.length) wrong.push(`${calls.length} calls, ${provider.asked.length} were asked`)
  return {
    wrong,
    commits: stored.size,
    kindsAtOnce: kindsAtOnce(inOrder),
    stopped: exits.filter((exit) => Exit.isSuccess(exit) && exit.value === "TurnStopped").length
  }
}

/** A thousand of them take most of two minutes where nothing else runs. */
const deepMs = 600_000

describe("One budget that many spend at once", () => {
  it.each([
    ["8 agents", "agents", 1],
    ["the planner, 8 agents, a repair and two reviews", "all", rounds({ quick: 3, deep: 4 })]
  ] as const)("is never exceeded, after no commit of any interleaving: %s", { timeout: deepMs }, (_, crowd, kinds) => {
    const seeds = Array.from(
      { length: rounds({ quick: 15, deep: 250, long: 1000 }) },
      (_, at) => 1000 * chance + at + 1
    )
    let [commits, stopped, atOnce] = [0, 0, 0]
    for (const seed of seeds) {
      const played = problemOf(seed, crowd)
      expect({ seed, wrong: played.wrong }).toEqual({ seed, wrong: [] })
      commits += played.commits
      stopped += played.stopped
      atOnce = Math.max(atOnce, played.kindsAtOnce)
    }
    expect(atOnce).toBeGreaterThanOrEqual(kinds)
    // They did meet the end of the budget.
    expect(stopped).toBeGreaterThan(seeds.length / 2)
    console.log(
      `${seeds.length} interleavings (${depth}), ${commits} commits, ${stopped} askers met the end of a budget`
    )
  })

  it(
    "is exceeded only by a call that cost more than was kept for it, and then no other is made",
    { timeout: deepMs },
    () => {
      for (let seed = 1; seed <= rounds({ quick: 5, deep: 75, long: 300 }); seed++)
        expect({ seed, wrong: problemOf(seed, "all", true).wrong }).toEqual({ seed, wrong: [] })
    }
  )
})
