/** What every Journal promises: the finished steps of a process, as they were recorded. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { insert } from "@pawl/core/ledger/Commit"
import { Journal } from "@pawl/core/work/Journal"
import {
  change,
  claimOne,
  command,
  commit,
  failure,
  onStore,
  seedChanges,
  send,
  type StoreFixture
} from "../../tools/StoreFixtures.ts"

const steps = (process: string) =>
  Effect.flatMap(Journal, (journal) => Effect.map(journal.steps(process), (all) => [...all]))

/** Declares the suite. Each of its tests has a store of its own. */
export const journalContract = (name: string, fixture: StoreFixture) => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: Journal`, () => {
    promise(
      "is empty for a process that never ran",
      Effect.gen(function* () {
        expect(yield* steps("agent.wake:none")).toEqual([])
      })
    )

    promise(
      "gives back each step's result, in the order of the steps, each process by itself",
      Effect.gen(function* () {
        yield* send([command("a"), command("b")])
        const [a, b] = [yield* claimOne, yield* claimOne]
        const record = (leased: typeof a, step: string, result: unknown) =>
          commit({ journal: { process: leased.lease.commandId, step, result }, lease: leased.lease })
        yield* record(a, "z", { tree: null, list: ["ä", 1.5, true] })
        yield* record(b, "z", "text")
        yield* record(a, "a", null)
        expect(yield* steps("agent.wake:a")).toEqual([
          ["z", { tree: null, list: ["ä", 1.5, true] }],
          ["a", null]
        ])
        expect(yield* steps("agent.wake:b")).toEqual([["z", "text"]])
      })
    )

    promise(
      "records no step of a commit that was refused",
      Effect.gen(function* () {
        yield* seedChanges(1)
        yield* send([command("a")])
        const { lease } = yield* claimOne
        yield* failure(
          commit({
            journal: { process: lease.commandId, step: "one", result: 1 },
            lease,
            writes: [insert("change", change(1))]
          })
        )
        expect(yield* steps("agent.wake:a")).toEqual([])
      })
    )
  })
}
