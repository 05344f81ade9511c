import { numbers } from "@pawl/testing/Depth"
import { interleave } from "@pawl/testing/tools/SeededScheduler"
import { Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import * as Admission from "../../../src/http/request/Admission.ts"
import { ServerLimits } from "../../../src/ServerLimits.ts"

const places = ServerLimits.answersPerCaller

describe("Admission", () => {
  it.each([places - 1, places])(
    "loses no place in any order of a caller who comes and leaves while %i places are taken",
    (taken) => {
      for (const seed of numbers(1000, { quick: 200 })) {
        const admission = Admission.make()
        const program = Effect.gen(function* () {
          const held: Array<Admission.Place> = []
          const enter = admission.enter("a", (place) => void held.push(place))
          for (let n = 0; n < taken; n++) yield* enter
          const coming = yield* Effect.forkChild(enter)
          const leaving = yield* Effect.forkChild(Effect.sync(() => held[0]?.leave()))
          yield* Fiber.interrupt(coming)
          yield* Fiber.await(leaving)
          for (const place of held) place.leave()
          let again = 0
          const more = yield* Effect.forEach(Array.from({ length: places }), () =>
            Effect.forkChild(admission.enter("a", () => void again++))
          )
          yield* Effect.repeat(Effect.yieldNow, { times: 200 })
          yield* Fiber.interruptAll(more)
          return again
        })
        expect(interleave(seed, [program]).exits, `seed ${seed}`).toEqual([Exit.succeed(places)])
      }
    }
  )
})
