import { Effect, Fiber, Option } from "effect"
import { describe, expect, it } from "vitest"
import { ServerLimits } from "@pawl/server/ServerLimits"
import * as Admission from "../../../src/http/request/Admission.ts"
import { strangerAt } from "../../../src/http/request/RateLimits.ts"

const run = <A>(program: Effect.Effect<A, unknown>) => Effect.runPromise(program)

/** Enters as often as is asked, each in a fiber of its own; answers those who were let in. */
const entering = (admission: Admission.Admission, caller: string, times: number, into: Array<Admission.Place>) =>
  Effect.forEach(Array.from({ length: times }), () =>
    Effect.forkChild(Effect.result(admission.enter(caller, (place) => void into.push(place))))
  ).pipe(Effect.tap(() => Effect.yieldNowWith(10)))

describe("A caller's answers", () => {
  it("are so many at once; the next wait their turn, and other callers do not", () =>
    run(
      Effect.gen(function* () {
        const admission = Admission.make()
        const mine: Array<Admission.Place> = []
        const others: Array<Admission.Place> = []
        const fibers = yield* entering(admission, "me", ServerLimits.answersPerCaller + 2, mine)
        expect(mine.length).toBe(ServerLimits.answersPerCaller)
        yield* entering(admission, "you", 1, others)
        expect(others.length).toBe(1)
        mine[0]!.leave()
        mine[0]!.leave()
        yield* Effect.yieldNowWith(10)
        expect(mine.length).toBe(ServerLimits.answersPerCaller + 1)
        // Whoever leaves the queue makes way.
        yield* Fiber.interrupt(fibers.at(-1)!)
        for (const place of mine) place.leave()
        const after: Array<Admission.Place> = []
        yield* entering(admission, "me", ServerLimits.answersPerCaller, after)
        expect(after.length).toBe(ServerLimits.answersPerCaller)
      })
    ))

  it("wait while more of them is unread than may be in memory", () =>
    run(
      Effect.gen(function* () {
        const admission = Admission.make()
        const places: Array<Admission.Place> = []
        yield* entering(admission, "me", 1, places)
        places[0]!.hold(ServerLimits.answerBytesPerCaller)
        yield* entering(admission, "me", 1, places)
        expect(places.length).toBe(1)
        places[0]!.leave()
        yield* Effect.yieldNowWith(10)
        expect(places.length).toBe(2)
      })
    ))

  it("are refused beyond those that may wait", () =>
    run(
      Effect.gen(function* () {
        const admission = Admission.make()
        yield* entering(admission, "me", ServerLimits.answersPerCaller + ServerLimits.answersWaiting, [])
        const problem = yield* Effect.flip(admission.enter("me", () => undefined))
        expect([problem.status, problem.code]).toEqual([429, "too_many_at_once"])
      })
    ))
})

describe("Someone without credentials", () => {
  const at = (address: string) => strangerAt(Option.some(address))

  it("is counted by the address, whatever form it has", () => {
    for (const same of ["192.0.2.7", "192.0.2.7:4711", "::ffff:192.0.2.7", "::FFFF:192.0.2.7"])
      expect(at(same)).toBe("address 192.0.2.7")
    expect(at("192.0.2.8")).not.toBe(at("192.0.2.7"))
  })

  it("is counted by the network of an IPv6 address", () => {
    for (const same of [
      "2001:db8:0:1::1",
      "2001:db8:0:1:ffff::2",
      "[2001:0db8:0:1::3]:443",
      "2001:DB8:0:1:2:3:4:5%eth0"
    ])
      expect(at(same)).toBe("address 2001:db8:0:1")
    expect(at("2001:db8:0:2::1")).toBe("address 2001:db8:0:2")
    expect(at("::1")).toBe("address 0:0:0:0")
  })
})
