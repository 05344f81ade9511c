import { Cause, Context, Effect, Exit, Option } from "effect"
import { describe, expect, it } from "vitest"
import { numbers, rounds } from "@pawl/testing/Depth"
import { interleave } from "@pawl/testing/tools/SeededScheduler"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { makeMemoryStore } from "@pawl/adapters-memory/MemoryLedger"
import { copy } from "@pawl/adapters-memory/MemoryState"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Settings, type SettingsShape } from "@pawl/core/primitives/Settings"
import { NotFastForward, Repositories } from "@pawl/core/project/Repositories"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { person } from "../kit/MemoryPawl.ts"
import { addCandidate, brokenLine, candidateId, must, newWorld, objectId, projectId } from "./World.ts"

/** Two promoters on one Candidate, one on another of the same base. */
const targets = [1, 1, 2] as const

const ground = newWorld()
addCandidate(ground, { n: 1, status: "verified" })
addCandidate(ground, { n: 2, status: "verified" })

/** Gives way to the others before and after every call, so that each call is a place to interleave. */
const giveWay: Around = (_call, effect) => Effect.tap(Effect.andThen(Effect.yieldNow, effect), Effect.yieldNow)

/** Canonical `main` alone, with git's rule: it moves only from where the caller thinks it is. */
const repositories = (): Repositories["Service"] => {
  let main = objectId(1)
  const unused = Effect.die(new Error("not part of a promotion"))
  return {
    seed: () => unused,
    begin: () => unused,
    fork: () => unused,
    commit: () => unused,
    merge: () => unused,
    commitTree: () => unused,
    parents: () => unused,
    mergeFile: () => unused,
    read: () => unused,
    files: () => unused,
    diff: () => unused,
    diffText: () => unused,
    open: () => unused,
    compact: () => unused,
    remove: () => unused,
    main: () => unused,
    resolve: (_ref, commit) => Effect.succeed({ commit, tree: commit }),
    list: () => Effect.succeed([]),
    advance: ({ expected, commit }) =>
      Effect.suspend(() => {
        if (main === commit) return Effect.void
        if (main !== expected) return Effect.fail(new NotFastForward({ from: expected, to: commit }))
        main = commit
        return Effect.void
      })
  }
}

const objects = ObjectStore.of({
  put: () => Effect.void
} as unknown as ObjectStore["Service"])

const settings: SettingsShape = {
  environment: "production",
  appsDomain: null,
  paused: false,
  fixturesEnabled: false,
  buildsPerDay: 60,
  sandboxMsPerMonth: 18_000_000,
  smokeRetryMs: 0,
  appUrl: (host) => host
}

const play = (seed: number) => {
  const store = makeMemoryStore(copy(ground))
  const services = store.services.pipe(
    Context.add(Ledger, wrap(Ledger, Context.get(store.services, Ledger), giveWay)),
    Context.add(Records, wrap(Records, Context.get(store.services, Records), giveWay)),
    Context.add(Repositories, wrap(Repositories, repositories(), giveWay)),
    Context.add(ObjectStore, objects),
    Context.add(Settings, settings)
  )
  const { exits, trail } = interleave(
    seed,
    targets.map((n) => Effect.provide(Promotions.promote(person, candidateId(n)), services))
  )
  return { exits, trail, state: store.dump() }
}

const problemOf = ({ exits, state }: ReturnType<typeof play>): string | null => {
  const broken = brokenLine(state)
  if (broken !== null) return broken
  const outcomes = exits.map((exit) => {
    if (Exit.isSuccess(exit)) return exit.value.outcome
    const failure = Cause.findErrorOption(exit.cause)
    return Option.isSome(failure) ? failure.value._tag : `defect: ${Cause.pretty(exit.cause)}`
  })
  const winners = outcomes.filter((outcome) => outcome === "promoted").length
  if (winners !== 1) return `${winners} promoters won: ${outcomes.join(", ")}`
  if (must(state, "head", projectId).record.generation !== 1) return "the generation did not advance once"
  const first = must(state, "candidate", candidateId(1)).record.status
  const expected =
    first === "promoted"
      ? (i: number) => (i < 2 ? ["promoted", "alreadyPromoted"] : ["Stale"])
      : (i: number) => (i < 2 ? ["Stale"] : ["promoted"])
  const lie = outcomes.findIndex((outcome, i) => !expected(i).includes(outcome))
  return lie === -1 ? null : `promoter ${lie} learned ${outcomes[lie]}; Candidate 1 is ${first}`
}

describe("The real promote program under chosen interleavings", () => {
  it("has one winner, and tells each promoter the truth, in 20,000 seeded interleavings", () => {
    const distinct = new Set<string>()
    const seeds = numbers(rounds({ quick: 20_000, deep: 20_000, long: 150_000 }), { quick: 2_000 })
    for (const seed of seeds) {
      const played = play(seed)
      const problem = problemOf(played)
      if (problem !== null) expect.fail(`seed ${seed}: ${problem}`)
      distinct.add(played.trail)
    }
    console.log(`${seeds.length} of at least 20000 seeds, ${distinct.size} distinct interleavings`)
    expect(distinct.size).toBeGreaterThan(seeds.length * 0.95)
  }, 1_100_000)

  it("plays the same interleaving again by its number", () => {
    for (const seed of [1, 77, 4242]) {
      const [one, two] = [play(seed), play(seed)]
      expect(one.trail).toBe(two.trail)
      expect(one.exits.map(String)).toEqual(two.exits.map(String))
    }
  })
})
