/** What every Commands promises: each command to one worker at a time, Projects in turn, and none forgotten. */
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { type CommandKind, commandKinds } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import { commandsAgain } from "./CommandsAgain.ts"
import { commandsDead } from "./CommandsDead.ts"
import * as SetClock from "../../tools/SetClock.ts"
import {
  claim,
  claimOne,
  command,
  commit,
  failure,
  ids,
  onStore,
  projectId,
  race,
  send,
  type StoreFixture
} from "../../tools/StoreFixtures.ts"

/** Declares the suite, those of `CommandsAgain` and `CommandsDead` with it. Each test has a store of its own. */
export const commandsContract = (name: string, fixture: StoreFixture) => {
  commandsAgain(name, fixture)
  commandsDead(name, fixture)
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))
  const commands = Commands

  describe(`${name}: Commands`, () => {
    promise(
      "hands out a command once, with its payload and its tries counted",
      Effect.gen(function* () {
        yield* send([command("a", { payload: { deep: { list: [1, null, "ä"] } }, maxAttempts: 3 })])
        const [leased, ...more] = yield* claim(5)
        expect(more).toEqual([])
        expect(leased!.command).toEqual({
          id: "agent.wake:a",
          kind: "agent.wake",
          projectId: projectId(),
          payload: { deep: { list: [1, null, "ä"] } },
          attempts: 1,
          maxAttempts: 3,
          dueAt: "2030-01-01T00:00:00.000Z",
          createdAt: "2030-01-01T00:00:00.000Z",
          lastProblem: null
        })
        expect(yield* claim(5)).toEqual([])
      })
    )

    promise(
      "lets one of 32 racing workers have a command",
      Effect.gen(function* () {
        yield* send([command("a"), command("b")])
        const claimed = (yield* race(Array.from({ length: 32 }, () => claim(1)))).flatMap((exit) =>
          exit._tag === "Success" ? ids(exit.value) : []
        )
        expect([...claimed].sort()).toEqual(["agent.wake:a", "agent.wake:b"])
      })
    )

    promise(
      "hands out only the kinds that are asked for, only when due, oldest due first",
      Effect.gen(function* () {
        yield* send([
          command("late", { delayMs: 20 }),
          command("soon", { delayMs: 10 }),
          command("now"),
          { kind: "release.run", id: "release.run:x", payload: {} }
        ])
        expect(ids(yield* claim(5, { kinds: ["agent.wake"] }))).toEqual(["agent.wake:now"])
        yield* TestClock.adjust(30)
        expect(ids(yield* claim(5, { kinds: ["agent.wake"] }))).toEqual(["agent.wake:soon", "agent.wake:late"])
        expect(ids(yield* claim(5))).toEqual(["release.run:x"])
      })
    )

    promise(
      "takes Projects in turn, so that none waits for a crowded one",
      Effect.gen(function* () {
        yield* send(Array.from({ length: 20 }, (_, n) => command(`crowd-${n}`)))
        yield* TestClock.adjust(5)
        yield* send([command("second")], projectId(2))
        yield* send([command("directory")], null)
        expect(ids(yield* claim(3))).toEqual(["agent.wake:crowd-0", "agent.wake:second", "agent.wake:directory"])
        yield* send([command("second-2"), command("second-3")], projectId(2))
        const order: Array<string> = []
        for (let i = 0; i < 5; i++) order.push(...ids(yield* claim(1)))
        expect(order).toEqual([
          "agent.wake:crowd-1",
          "agent.wake:second-2",
          "agent.wake:crowd-2",
          "agent.wake:second-3",
          "agent.wake:crowd-3"
        ])
      })
    )

    promise(
      "hands out what has an earlier place first, of its own Project",
      Effect.gen(function* () {
        yield* TestClock.adjust(1000)
        const now = yield* Clock.currentTimeMillis
        yield* send([command("a"), command("b", { order: now - 5 }), command("c", { order: now - 6 })])
        yield* send([command("later", { order: now - 900, delayMs: 100 })])
        yield* send([command("other")], projectId(2))
        const order: Array<string> = []
        for (let i = 0; i < 4; i++) order.push(...ids(yield* claim(1)))
        expect(order.filter((id) => !id.endsWith(":other"))).toEqual(["agent.wake:c", "agent.wake:b", "agent.wake:a"])
        expect(order.slice(0, 2)).toContain("agent.wake:other")
      })
    )

    promise(
      "hands out a command again when its lease ended, which is a death and no try",
      Effect.gen(function* () {
        yield* send([command("a", { maxAttempts: 2 })])
        const first = yield* claimOne
        yield* TestClock.adjust(999)
        expect(yield* claim()).toEqual([])
        yield* TestClock.adjust(1)
        const second = yield* claimOne
        expect([first, second].map(({ command, deaths }) => [command.attempts, deaths])).toEqual([
          [1, 0],
          [1, 1]
        ])
        expect((yield* failure((yield* commands).finish(first.lease)))._tag).toBe("LeaseLost")
        yield* TestClock.adjust(1000)
        const third = yield* claimOne
        expect([third.command.attempts, third.deaths]).toEqual([1, 2])
        expect(yield* (yield* commands).fail(third.lease, "it broke", 0)).toBe("retried")
        expect(yield* claimOne).toMatchObject({ command: { attempts: 2 }, deaths: 2 })
      })
    )

    promise(
      "keeps a lease that is renewed, and not one that has ended",
      Effect.gen(function* () {
        yield* send([command("a")])
        const { lease } = yield* claimOne
        yield* TestClock.adjust(900)
        yield* (yield* commands).renew(lease, 1000)
        yield* TestClock.adjust(900)
        expect(yield* claim()).toEqual([])
        yield* TestClock.adjust(100)
        expect((yield* failure((yield* commands).renew(lease, 1000)))._tag).toBe("LeaseLost")
      })
    )

    promise(
      "tries a failed command again after its delay, until all tries are used; then it is a dead letter",
      Effect.gen(function* () {
        yield* send([command("a", { maxAttempts: 2 })])
        const all = yield* commands
        expect(yield* all.fail((yield* claimOne).lease, "first", 100)).toBe("retried")
        expect(yield* claim()).toEqual([])
        yield* TestClock.adjust(100)
        const second = yield* claimOne
        expect(second.command).toMatchObject({ attempts: 2, lastProblem: "first", dueAt: "2030-01-01T00:00:00.100Z" })
        expect(yield* all.fail(second.lease, "second", 100)).toBe("dead")
        yield* TestClock.adjust(100_000)
        expect(yield* claim()).toEqual([])
        expect(yield* all.deadLetters(projectId())).toEqual([
          { ...second.command, lastProblem: "second", diedAt: "2030-01-01T00:00:00.100Z" }
        ])
        expect(yield* all.deadLetter("agent.wake:a")).toMatchObject({ lastProblem: "second" })
        expect(yield* all.deadLetters(projectId(2))).toEqual([])
      })
    )

    promise(
      "gives an interrupted try back uncounted, after a delay",
      Effect.gen(function* () {
        yield* send([command("a")])
        yield* (yield* commands).release((yield* claimOne).lease, 10)
        expect(yield* claim()).toEqual([])
        yield* TestClock.adjust(10)
        expect((yield* claimOne).command.attempts).toBe(1)
      })
    )

    promise(
      "buries a command that is given up, whatever tries it has left",
      Effect.gen(function* () {
        yield* send([command("a")])
        const all = yield* commands
        expect(yield* all.fail((yield* claimOne).lease, "it is no use", null)).toBe("dead")
        expect(yield* claim()).toEqual([])
        expect(yield* all.deadLetter("agent.wake:a")).toMatchObject({ attempts: 1, lastProblem: "it is no use" })
        yield* all.retry("agent.wake:a")
        expect(yield* claimOne).toMatchObject({ command: { attempts: 1 }, deaths: 0, outage: null })
      })
    )

    promise(
      "remembers since when and how often a command waits for machinery, until it comes through, and counts no try",
      Effect.gen(function* () {
        yield* send([command("a")])
        const all = yield* commands
        const began = Date.UTC(2030, 0, 1)
        const next = Effect.gen(function* () {
          const leased = yield* claimOne
          expect(leased.command.attempts).toBe(1)
          return leased
        })
        const seen: Array<unknown> = []
        for (const why of ["outage", "outage", "stopped", "waits", "outage"] as const) {
          const leased = yield* next
          seen.push(leased.outage)
          yield* all.release(leased.lease, 10, why)
          expect(yield* claim()).toEqual([])
          yield* TestClock.adjust(10)
        }
        const last = yield* next
        seen.push(last.outage)
        expect(seen).toEqual([
          null,
          { sinceMs: began, waits: 1 },
          { sinceMs: began, waits: 2 },
          { sinceMs: began, waits: 2 },
          null,
          { sinceMs: began + 40, waits: 1 }
        ])
        yield* all.fail(last.lease, "the work itself", 0)
        expect(yield* claimOne).toMatchObject({ command: { attempts: 2 }, outage: null })
      })
    )

    promise(
      "tells from when on the queued commands of a Project could be worked on: sent, or back from an outage",
      Effect.gen(function* () {
        const all = yield* commands
        const began = Date.UTC(2030, 0, 1)
        const since = (kind: CommandKind, project = projectId()) => all.workableSince(project, ["release.run", kind])
        expect(yield* since("agent.wake")).toBe(null)
        yield* send([command("a")])
        yield* TestClock.adjust(5)
        yield* send([command("b")])
        expect(yield* since("agent.wake")).toBe(began + 5)
        expect([yield* since("app.remove"), yield* since("agent.wake", projectId(2))]).toEqual([null, null])
        const { lease } = yield* claimOne
        yield* all.release(lease, 70, "outage")
        expect(yield* since("agent.wake")).toBe(began + 75)
        yield* TestClock.adjust(70)
        for (const again of yield* claim(2)) yield* all.release(again.lease, 0, "waits")
        expect(yield* since("agent.wake")).toBe(began + 75)
        for (const done of yield* claim(2)) yield* all.finish(done.lease)
        expect(yield* since("agent.wake")).toBe(null)
      })
    )

    promise(
      "leaves to others the commands of a Project and kinds that a claim excepts",
      Effect.gen(function* () {
        yield* send([command("a"), { kind: "release.run", id: "release.run:x", payload: {} }])
        yield* send([command("directory")], null)
        yield* send([command("other")], projectId(2))
        const except = [
          { projectId: projectId(), kinds: ["agent.wake"] as const },
          { projectId: null, kinds: ["agent.wake"] as const }
        ]
        expect(ids(yield* claim(5, { except })).toSorted()).toEqual(["agent.wake:other", "release.run:x"])
        expect(ids(yield* claim(5)).toSorted()).toEqual(["agent.wake:a", "agent.wake:directory"])
      })
    )

    promise(
      "hands out the one kind that is left when a claim excepts all others of a Project and of the directory",
      Effect.gen(function* () {
        yield* send([command("a"), { kind: "release.run", id: "release.run:x", payload: {} }])
        const kinds = commandKinds.filter((kind) => kind !== "agent.wake")
        const except = [projectId(), null].map((each) => ({ projectId: each, kinds }))
        expect(ids(yield* claim(5, { except }))).toEqual(["agent.wake:a"])
        yield* send([command("b")])
        expect(ids(yield* claim(1, { except }))).toEqual(["agent.wake:b"])
        expect(ids(yield* claim(5))).toEqual(["release.run:x"])
      })
    )

    promise(
      "forgets a finished command, which may be sent again",
      Effect.gen(function* () {
        yield* send([command("a")])
        const { lease } = yield* claimOne
        yield* (yield* commands).finish(lease)
        expect((yield* failure((yield* commands).finish(lease)))._tag).toBe("LeaseLost")
        yield* send([command("a")])
        expect((yield* claimOne).command.attempts).toBe(1)
      })
    )

    promise(
      "hands a command to its sender at once, and to a worker when that lease ends",
      Effect.gen(function* () {
        yield* send([command("a", { leasedBy: { token: "mine", leaseMs: 500 } })])
        expect(yield* claim()).toEqual([])
        yield* commit({ lease: { commandId: "agent.wake:a", token: "mine" } })
        yield* TestClock.adjust(500)
        expect(yield* claimOne).toMatchObject({ command: { attempts: 1 }, deaths: 1 })
        yield* send([command("a", { leasedBy: { token: "late", leaseMs: 500 } })])
        expect((yield* failure(commit({ lease: { commandId: "agent.wake:a", token: "late" } })))._tag).toBe("LeaseLost")
      })
    )

    promise(
      "ends every lease at once, and counts them",
      Effect.gen(function* () {
        yield* send([command("a"), command("b"), command("c", { delayMs: 1000 })])
        const before = yield* claim(2)
        const all = yield* commands
        expect(yield* all.releaseAll).toBe(2)
        expect((yield* failure(all.renew(before[0]!.lease, 10)))._tag).toBe("LeaseLost")
        expect((yield* claim(5)).map((each) => [each.command.attempts, each.deaths])).toEqual([
          [1, 1],
          [1, 1]
        ])
      })
    )

    promise(
      "wakes who waits for work when a command is sent, without a look at the clock",
      Effect.gen(function* () {
        const all = yield* commands
        expect(yield* claim()).toEqual([])
        const waiting = yield* Effect.forkChild(all.awaitWork(60_000))
        yield* send([command("a")])
        yield* Fiber.join(waiting)
        expect(ids(yield* claim())).toEqual(["agent.wake:a"])
      })
    )

    promise(
      "wakes who waits although another worker of the process has looked since",
      Effect.gen(function* () {
        const all = yield* commands
        expect(yield* claim()).toEqual([])
        const waiting = yield* Effect.forkChild(all.awaitWork(60_000))
        yield* Effect.yieldNow
        expect(yield* claim()).toEqual([])
        yield* send([command("a")])
        yield* Fiber.join(waiting)
      })
    )

    promise(
      "misses nothing that is sent between a claim and the wait after it",
      Effect.gen(function* () {
        expect(yield* claim()).toEqual([])
        yield* send([command("a")])
        yield* (yield* commands).awaitWork(60_000)
      })
    )

    promise(
      "wakes when a delayed command comes due or a lease ends, and else when the time is up",
      Effect.gen(function* () {
        const all = yield* commands
        const awaken = Effect.fnUntraced(function* (timeoutMs: number, ms: number) {
          const waiting = yield* Effect.forkChild(all.awaitWork(timeoutMs))
          yield* TestClock.adjust(ms - 1)
          expect(waiting.pollUnsafe()).toBe(undefined)
          yield* TestClock.adjust(1)
          yield* Fiber.join(waiting)
        })
        yield* send([command("a", { delayMs: 300 })])
        expect(yield* claim()).toEqual([])
        yield* awaken(60_000, 300)
        expect(ids(yield* claim(1, { leaseMs: 400 }))).toEqual(["agent.wake:a"])
        yield* awaken(60_000, 400)
        yield* (yield* commands).finish((yield* claimOne).lease)
        expect(yield* claim()).toEqual([])
        yield* awaken(200, 200)
      })
    )

    promise(
      "keeps who waits for work no longer because the clock was set back meanwhile, and then sees what is due",
      Effect.gen(function* () {
        const { clock, set } = yield* SetClock.make
        yield* Effect.gen(function* () {
          yield* send([command("a", { delayMs: 1000 })])
          expect(yield* claim()).toEqual([])
          const waiting = yield* Effect.forkChild((yield* commands).awaitWork(500))
          yield* TestClock.adjust(100)
          yield* set(-3_600_000)
          yield* TestClock.adjust(400)
          yield* Fiber.join(waiting)
          yield* send([command("b")])
          expect(ids(yield* claim())).toEqual(["agent.wake:b"])
        }).pipe(Effect.provideService(Clock.Clock, clock))
      })
    )
  })
}
