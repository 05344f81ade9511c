import { Deferred, Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { slice } from "@pawl/testing/Depth"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Commands } from "@pawl/core/work/Commands"
import { answers, page, run, settle } from "../kit/MemoryPawl.ts"
import { clean, laned, outcome, racing } from "../kit/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** Three Changes race, the first is bad. */
const begun = Effect.gen(function* () {
  const project = yield* laned
  yield* racing(project.id, [{ "result.txt": "broken" }, ...clean(2)])
  return project
})

/** Works until the commit of this number: nothing more happens from then on, before it is stored or right after. */
const until = (place: number, when: "before" | "after") =>
  Effect.gen(function* () {
    const dead = yield* Deferred.make<void>()
    const ledger = yield* Ledger
    let count = 0
    const die = Effect.andThen(Deferred.succeed(dead, undefined), Effect.never)
    const dying: Ledger["Service"] = {
      commit: (commit) => {
        const isLast = ++count === place
        if (!isLast) return ledger.commit(commit)
        return when === "before" ? die : Effect.andThen(ledger.commit(commit), die)
      }
    }
    const work = Effect.andThen(Effect.provideService(settle, Ledger, dying), Deferred.succeed(dead, undefined))
    yield* Effect.forkDetach(work)
    yield* Deferred.await(dead)
    return count
  })

/** What the scene comes to, after a death at a commit and a new beginning. */
const afterDeath = (place: number, when: "before" | "after") =>
  run(
    Effect.gen(function* () {
      const project = yield* begun
      yield* until(place, when)
      yield* Effect.flatMap(Commands, (commands) => commands.releaseAll)
      yield* settle
      const { ends, generation } = yield* outcome(project.id)
      return { generation, ends }
    })
  )

describe("A lane of three whose process dies", () => {
  it("comes to the same whatever write it died before, or after", async () => {
    const commits = await run(
      Effect.gen(function* () {
        yield* begun
        return yield* until(Number.POSITIVE_INFINITY, "before")
      })
    )
    expect(commits).toBeGreaterThan(30)
    const deaths = Array.from({ length: commits }, (_, n) =>
      (["before", "after"] as const).map((when) => [n + 1, when] as const)
    ).flat()
    for (const [place, when] of slice(deaths, { quick: 12 }))
      expect([place, when, await afterDeath(place, when)]).toEqual([
        place,
        when,
        { generation: 2, ends: ["rejected checks_failed", "landed landed", "landed landed"] }
      ])
  })
})
