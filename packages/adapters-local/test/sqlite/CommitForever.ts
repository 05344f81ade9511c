/** A process that commits without end, from eight fibers, and says each time what was acknowledged. */
import { Effect } from "effect"
import { change, commit, event, projectId } from "@pawl/testing/tools/StoreFixtures"
import { insert } from "@pawl/core/ledger/Commit"
import { storesOn } from "./SqliteFixture.ts"

const first = Number(process.argv[3])
const loop = (fiber: number) =>
  Effect.gen(function* () {
    for (let n = first + fiber; ; n += 8) {
      const outcome = yield* commit({
        projectId: projectId(),
        writes: [insert("change", change(n))],
        events: [event({ n })]
      })
      if (outcome._tag === "Committed") process.stdout.write(`${n} ${outcome.events!.first}\n`)
    }
  })

Effect.runFork(
  Effect.provide(
    Effect.all([0, 1, 2, 3, 4, 5, 6, 7].map(loop), { concurrency: "unbounded" }),
    storesOn(process.argv[2]!)
  )
)
