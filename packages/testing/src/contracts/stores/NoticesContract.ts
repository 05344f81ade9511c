/**
 * What all Notices promise: who joined a place hears the others there, and neither itself nor another place. Nothing
 * here says when: a test waits for what must come.
 */
import { Effect, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import type { Notices } from "@pawl/core/ledger/Notices"

/** How an adapter's test joins. */
export interface NoticesFixture {
  /** One more process at a place that no other test names. */
  readonly join: (place: string) => Effect.Effect<Notices["Service"], unknown, Scope.Scope>
}

interface Ear {
  /** What was heard, and not asked for yet. */
  readonly heard: ReadonlyArray<string>
  /** All that was heard since it was asked last, up to this topic, which is waited for. */
  readonly until: (topic: string) => Effect.Effect<ReadonlyArray<string>>
  readonly stop: () => void
}

const listen = (notices: Notices["Service"]): Ear => {
  const heard: Array<string> = []
  let wake = () => undefined as void
  const stop = notices.subscribe({
    heard: (topic) => {
      heard.push(topic)
      wake()
    },
    missed: () => undefined
  })
  const until = (topic: string) =>
    Effect.callback<ReadonlyArray<string>>((resume) => {
      wake = () => {
        if (heard.includes(topic)) resume(Effect.succeed(heard.splice(0, heard.indexOf(topic) + 1)))
      }
      wake()
    })
  return { heard, until, stop }
}

const moment = Effect.promise(() => new Promise<void>((resolve) => void setTimeout(resolve)))

let places = 0

/** Declares the suite; `name` names the adapter in its title. */
export const noticesContract = (name: string, { join }: NoticesFixture): void => {
  const promise = (title: string, body: (place: string) => Effect.Effect<void, unknown, Scope.Scope>) =>
    it(title, () => Effect.runPromise(Effect.scoped(body(`place_${++places}`))))

  describe(`${name}: Notices`, () => {
    promise("tell all others at the place, and not the one who says it", (place) =>
      Effect.gen(function* () {
        const [one, two, three] = [yield* join(place), yield* join(place), yield* join(place)]
        const [ofOne, ofTwo, ofThree] = [listen(one), listen(two), listen(three)]
        one.publish("said by one")
        expect(yield* ofTwo.until("said by one")).toEqual(["said by one"])
        expect(yield* ofThree.until("said by one")).toEqual(["said by one"])
        two.publish("said by two")
        expect(yield* ofOne.until("said by two")).toEqual(["said by two"])
        expect(yield* Effect.all([one.away, two.away, three.away])).toEqual([null, null, null])
      })
    )

    promise("are not heard at another place", (place) =>
      Effect.gen(function* () {
        const [here, beside] = [yield* join(place), yield* join(place)]
        const [there, far] = [yield* join(`${place}_b`), yield* join(`${place}_b`)]
        const [ofBeside, ofFar] = [listen(beside), listen(far)]
        here.publish("said here")
        yield* ofBeside.until("said here")
        there.publish("said there")
        expect(yield* ofFar.until("said there")).toEqual(["said there"])
      })
    )

    promise("are heard once more when they are published again while the first one is being sent", (place) =>
      Effect.gen(function* () {
        const [here, there] = [yield* join(place), yield* join(place)]
        const ear = listen(there)
        here.publish("a")
        // It is on its way now.
        yield* moment
        here.publish("a")
        yield* moment
        here.publish("end")
        expect(yield* ear.until("end")).toEqual(["a", "a", "end"])
      })
    )

    promise("tell of 1,000 long topics that are published in one moment, each of them, in their order", (place) =>
      Effect.gen(function* () {
        const [here, there] = [yield* join(place), yield* join(place)]
        const ear = listen(there)
        const topics = Array.from({ length: 1000 }, (_, n) => `${n}:`.padEnd(998, "x") + "é")
        for (const topic of topics) here.publish(topic)
        expect(yield* ear.until(topics.at(-1)!)).toEqual(topics)
      })
    )

    promise("are heard by each who listens, and no more by one who stopped", (place) =>
      Effect.gen(function* () {
        const [here, there] = [yield* join(place), yield* join(place)]
        const [stops, stays] = [listen(there), listen(there)]
        here.publish("a")
        yield* Effect.all([stops.until("a"), stays.until("a")])
        stops.stop()
        here.publish("b")
        expect(yield* stays.until("b")).toEqual(["b"])
        expect(stops.heard).toEqual([])
      })
    )
  })
}
