/**
 * Many connections swap one head by compare-and-swap, and what each of them saw is written down. The history must be
 * one line: every generation won once, none left out, and nobody reads what was replaced before the read began.
 */
import { rounds } from "../../Depth.ts"
import { type Context, Effect, type Scope } from "effect"
import { expect, it } from "vitest"
import { update } from "@pawl/core/ledger/Commit"
import { EventLog } from "@pawl/core/event/EventLog"
import { insert } from "@pawl/core/ledger/Commit"
import { commit, event, head, here, projectId, stored, type Stores, type Within } from "../../tools/StoreFixtures.ts"

/** How an adapter's test opens one database more than once. */
export interface Connections {
  /** As many stores over the same database, empty at first, each with a connection of its own. */
  readonly open: (count: number) => Effect.Effect<ReadonlyArray<Context.Context<Stores>>, unknown, Scope.Scope>
  /** Runs the whole test elsewhere; here, when it is not said. */
  readonly within?: Within
}

/** One try: `began` and `ended` count what happened in this process, so that they tell before from after. */
interface Try {
  readonly who: number
  readonly began: number
  readonly ended: number
  /** The generation that was read. */
  readonly saw: number
  readonly won: boolean
}

const keptHead = stored("head", head().projectId)

const swap = Effect.fnUntraced(function* (who: number, tick: () => number) {
  const began = tick()
  const before = yield* keptHead
  const saw = before.record.generation
  const outcome = yield* Effect.result(
    commit({
      writes: [update("head", before, { ...before.record, generation: saw + 1 })],
      events: [event({ who, generation: saw + 1 })]
    })
  )
  if (outcome._tag === "Failure" && outcome.failure._tag !== "Conflict") return yield* outcome.failure
  return { who, began, ended: tick(), saw, won: outcome._tag === "Success" } satisfies Try
})

const judge = (history: ReadonlyArray<Try>): number => {
  const wins = history.filter(({ won }) => won).toSorted((a, b) => a.saw - b.saw)
  expect(wins.map(({ saw }) => saw + 1)).toEqual(wins.map((_, index) => index + 1))
  // What was won before a try began, that try has read, or something newer.
  let newest = 0
  const ends = history.filter(({ won }) => won).toSorted((a, b) => a.ended - b.ended)
  let next = 0
  for (const each of history.toSorted((a, b) => a.began - b.began)) {
    for (; next < ends.length && ends[next]!.ended < each.began; next++) newest = Math.max(newest, ends[next]!.saw + 1)
    expect(each.saw).toBeGreaterThanOrEqual(newest)
  }
  return wins.length
}

const winnersIn = Effect.gen(function* () {
  const log = yield* EventLog
  const winners: Array<readonly [sequence: number, generation: unknown, who: unknown]> = []
  for (let page = yield* log.read(projectId(), 0, 100); page.length > 0;) {
    for (const { data, sequence } of page) winners.push([sequence, data["generation"], data["who"]])
    page = yield* log.read(projectId(), winners.length, 100)
  }
  return winners
})

/** `swaps` are the tries of each connection, won or lost; a quick run takes a tenth of them, a long one ten times as many. */
export const linearHistoryContract = (
  name: string,
  connections: Connections,
  { count, swaps }: { readonly count: number; readonly swaps: number }
): void => {
  it(
    `${name}: ${count} connections with ${swaps} swaps each make one line, and every winner is told of once`,
    () =>
      (connections.within ?? here)(() =>
        Effect.runPromise(
          Effect.scoped(
            Effect.gen(function* () {
              const tries = rounds({ quick: Math.ceil(swaps / 10), deep: swaps, long: swaps * 5 })
              const stores = yield* connections.open(count)
              let time = 0
              const tick = () => ++time
              yield* Effect.provide(commit({ writes: [insert("head", head())] }), stores[0]!)
              const began = performance.now()
              const histories = yield* Effect.forEach(
                stores,
                (store, who) =>
                  Effect.provide(
                    Effect.replicateEffect(
                      Effect.suspend(() => swap(who, tick)),
                      tries
                    ),
                    store
                  ),
                { concurrency: "unbounded" }
              )
              const ms = performance.now() - began
              const history = histories.flat()
              const won = judge(history)
              const [winners, last] = yield* Effect.provide(Effect.all([winnersIn, keptHead]), stores[0]!)
              expect(last.record.generation).toBe(won)
              expect(winners).toEqual(
                history
                  .filter((each) => each.won)
                  .toSorted((a, b) => a.saw - b.saw)
                  .map(({ saw, who }) => [saw + 1, saw + 1, who])
              )
              console.log(
                `${name}: ${history.length} swaps from ${count} connections, ${won} won, one line (${Math.round((history.length * 1000) / ms)} swaps/s)`
              )
            })
          )
        )
      ),
    1_100_000
  )
}
