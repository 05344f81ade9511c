/**
 * Every delivery counts once: thousands of deliveries of one Project's events to three consumer groups, repeated,
 * shuffled, several at a time, and redelivered after the consumer died before or after its commit. Seeded.
 */
import { Context, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { system } from "@pawl/core/model/Actor"
import { Commands } from "@pawl/core/work/Commands"
import { consumerKey } from "@pawl/core/model/Consumer"
import type { Decide } from "@pawl/core/event/Consumption"
import type { Event } from "@pawl/core/model/Event"
import { EventLog } from "@pawl/core/event/EventLog"
import * as EventRouter from "@pawl/core/event/EventRouter"
import { insert, update } from "@pawl/core/ledger/Commit"
import { find } from "@pawl/core/ledger/Decision"
import { Ledger, LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Limits } from "@pawl/core/primitives/Limits"
import type { Records } from "@pawl/core/ledger/Records"
import { type Around, wrap } from "./PortWrap.ts"
import { seededDraw } from "./SeededScheduler.ts"
import {
  change,
  changeId,
  claim,
  commit,
  event,
  onStore,
  projectId,
  stored,
  type StoreFixture,
  time
} from "./StoreFixtures.ts"

type Draw = (below: number) => number

/** What is delivered; what consumers make of it has another type, so that they are not told of each other. */
const isSource = ({ type }: Event): boolean => type === "canonical.advanced"

/** Adds to a record, and dies at an event that is not the next one. */
const counting: Decide<Records> = (each) =>
  Effect.gen(function* () {
    if (!isSource(each)) return null
    const counter = yield* find("change", changeId(1))
    if (counter === null) return yield* Effect.die(new Error("no counter"))
    const { reason, spentUsd } = counter.record
    if (Number(each.data["n"]) !== Number(reason ?? 0) + 1)
      return yield* Effect.die(new Error(`${String(each.data["n"])} came after ${reason}`))
    return { writes: [update("change", counter, { spentUsd: spentUsd + 1, reason: String(each.data["n"]) })] }
  })

const answering: Decide<never> = (each) =>
  Effect.succeed(
    isSource(each)
      ? {
          events: [{ type: "claim.expired", subject: projectId(), data: { n: each.data["n"] }, actor: system("test") }]
        }
      : null
  )

/** A command of its own for each time it decides: two for one event would both be there. */
const sending =
  (draw: Draw): Decide<never> =>
  (each) =>
    Effect.sync(() =>
      isSource(each)
        ? {
            commands: [
              {
                kind: "forks.sweep" as const,
                id: `forks.sweep:${String(each.data["n"])}/${draw(2 ** 31)}`,
                payload: { n: each.data["n"] }
              }
            ]
          }
        : null
    )

/** The consumer dies at one commit in eight: half of them before it, half after it, when nobody heard the answer. */
const dying = (draw: Draw) => {
  let died = 0
  const around: Around = (call, effect) => {
    if (call.port !== "Ledger") return effect
    return Effect.suspend(() => {
      const fate = draw(16)
      if (fate > 1) return effect
      died++
      const lost = Effect.suspend(() =>
        Effect.fail(new LedgerUnavailable({ operation: "commit", reason: "the consumer died" }))
      ) as unknown as typeof effect
      return fate === 0 ? lost : Effect.andThen(effect, lost)
    })
  }
  return { around, died: () => died }
}

interface Told {
  readonly deliveries: number
  readonly events: number
  readonly died: number
}

const publish = Effect.fnUntraced(function* (n: number) {
  const committed = yield* commit({ events: [event({ n })] })
  const first = committed._tag === "Committed" ? (committed.events?.first ?? 0) : 0
  const [published] = yield* (yield* EventLog).read(projectId(), first - 1, 1)
  if (published === undefined) return yield* Effect.die(new Error(`event ${n} is not there`))
  return published
})

const groupsOf = (draw: Draw): Readonly<Record<string, Decide<Records>>> => ({
  "test:counting": counting,
  "test:answering": answering,
  "test:sending": sending(draw)
})

/** Publishes and delivers, `wanted` times in all, and then once more what nobody delivered to its end. */
const play = Effect.fnUntraced(function* (draw: Draw, wanted: number) {
  const groups = groupsOf(draw)
  const names = Object.keys(groups)
  yield* commit({
    writes: [
      insert("change", change(1, { spentUsd: 0 })),
      ...names.map((name) => EventRouter.newGroup(projectId(), name, 0, time))
    ]
  })
  const ledger = yield* Ledger
  const faults = dying(draw)
  const mortal = Context.make(Ledger, wrap(Ledger, ledger, faults.around))
  const bag: Array<{ readonly name: string; readonly event: Event }> = []
  let [deliveries, events] = [0, 0]
  let newest: Event | null = null

  const deliver = (given: (typeof bag)[number]) =>
    EventRouter.deliver(given.name, given.event, groups[given.name]!).pipe(
      Effect.provide(mortal),
      // Nobody heard that it was done, so it comes again.
      Effect.catchTag("LedgerUnavailable", () => Effect.sync(() => void bag.push(given)))
    )
  while (deliveries < wanted) {
    if (bag.length === 0 || draw(14) === 0) {
      newest = yield* publish(++events)
      for (const name of names) for (let copies = 1 + draw(8); copies > 0; copies--) bag.push({ name, event: newest })
    }
    const taken = Array.from({ length: Math.min(1 + draw(6), bag.length, wanted - deliveries) }, () => {
      const index = draw(bag.length)
      const [given] = bag.splice(index, 1)
      return given!
    })
    deliveries += taken.length
    yield* Effect.forEach(taken, deliver, { concurrency: "unbounded", discard: true })
  }
  for (const name of names)
    if (newest !== null) {
      const given = { name, event: newest }
      yield* EventRouter.deliver(name, given.event, groups[name]!)
    }
  return { deliveries, events, died: faults.died() } satisfies Told
})

const everyEvent = Effect.gen(function* () {
  const log = yield* EventLog
  const all: Array<Event> = []
  for (;;) {
    const page = yield* log.read(projectId(), all.at(-1)?.sequence ?? 0, Limits.eventsPageSize)
    if (page.length === 0) return all
    all.push(...page)
  }
})

/** Declares the suite for a store. At least `wanted` deliveries are made; the same `seed` makes the same ones. */
export const eventDeliveries = (name: string, fixture: StoreFixture, wanted: number, seed = 20_260_117) => {
  describe(`${name}: EventRouter`, () => {
    it(`counts every event once per group over ${wanted.toLocaleString("en-US")} shuffled deliveries`, () =>
      onStore(
        fixture,
        Effect.gen(function* () {
          const { deliveries, died, events } = yield* play(seededDraw(seed), wanted)
          const numbers = Array.from({ length: events }, (_, index) => index + 1)
          expect((yield* stored("change", changeId(1))).record).toMatchObject({
            spentUsd: events,
            reason: String(events)
          })
          const answers = (yield* everyEvent).filter((each) => !isSource(each))
          expect(answers.map((each) => each.data["n"])).toEqual(numbers)
          const sent = yield* claim(events * 2, { kinds: ["forks.sweep"] })
          expect(sent.map(({ command }) => command.payload["n"]).toSorted((a, b) => Number(a) - Number(b))).toEqual(
            numbers
          )
          // Nothing was given up on the way.
          expect(yield* claim(1, { kinds: ["event.consume"] })).toEqual([])
          expect(yield* (yield* Commands).deadLetters(projectId())).toEqual([])
          for (const group of ["counting", "answering", "sending"])
            expect((yield* stored("consumer", consumerKey(projectId(), `test:${group}`))).record.failing).toBeNull()
          expect(died).toBeGreaterThan(events / 100)
          console.log(
            `${name}: ${deliveries} shuffled deliveries of ${events} events to 3 groups, ${died} consumers died on the way: ${events * 3} effects, each once (seed ${seed})`
          )
        })
      ))
  })
}
