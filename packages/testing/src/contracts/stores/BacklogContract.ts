/** What every Backlog promises: commands counted by kind and state, and how far consumers are behind. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { newGroup } from "@pawl/core/event/EventRouter"
import { Backlog } from "@pawl/core/telemetry/Backlog"
import {
  claim,
  command,
  commit,
  event,
  onStore,
  projectId,
  send,
  type StoreFixture,
  time
} from "../../tools/StoreFixtures.ts"

const queue = Effect.flatMap(Backlog, (backlog) => backlog.queue)
const lag = Effect.flatMap(Backlog, (backlog) => backlog.lag)

const depths = Effect.map(queue, (all) => all.map(({ count, kind, state }) => `${kind} ${state} ${count}`).sort())

const join = (group: string, sequence: number, project = 1) =>
  commit({ projectId: projectId(project), writes: [newGroup(projectId(project), group, sequence, time)] })

/** Declares the suite. Each of its tests has a store of its own. */
export const backlogContract = (name: string, fixture: StoreFixture) => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: Backlog`, () => {
    promise(
      "counts nothing in an empty store",
      Effect.gen(function* () {
        expect(yield* queue).toEqual([])
        expect(yield* lag).toEqual([])
      })
    )

    promise(
      "counts commands of all Projects and of the directory by kind and state, each once",
      Effect.gen(function* () {
        yield* send([command("a", { maxAttempts: 1 }), command("b"), command("c", { delayMs: 60_000 })])
        yield* send([{ ...command("d"), id: "app.remove:d", kind: "app.remove" }], projectId(2))
        yield* send([{ ...command("e"), id: "forks.sweep:e", kind: "forks.sweep" }], null)
        expect(yield* depths).toEqual([
          "agent.wake ready 2",
          "agent.wake waiting 1",
          "app.remove ready 1",
          "forks.sweep ready 1"
        ])
        const [held] = yield* claim(1, { kinds: ["agent.wake"], leaseMs: 1000 })
        expect((yield* depths).slice(0, 3)).toEqual([
          "agent.wake leased 1",
          "agent.wake ready 1",
          "agent.wake waiting 1"
        ])
        expect(yield* (yield* Commands).fail(held!.lease, "it broke", 0)).toBe("dead")
        expect((yield* depths).slice(0, 3)).toEqual(["agent.wake dead 1", "agent.wake ready 1", "agent.wake waiting 1"])
      })
    )

    promise(
      "counts a command whose lease has ended as ready",
      Effect.gen(function* () {
        yield* send([command("a")])
        yield* claim(1, { leaseMs: 1000 })
        expect(yield* depths).toEqual(["agent.wake leased 1"])
        yield* TestClock.adjust(1000)
        expect(yield* depths).toEqual(["agent.wake ready 1"])
      })
    )

    promise(
      "tells of the group that is furthest behind, and how many groups do the same",
      Effect.gen(function* () {
        yield* commit({ events: [event(), event(), event()] })
        yield* commit({ projectId: projectId(2), events: [event()] })
        yield* join("webhook:one", 3)
        yield* join("webhook:two", 1)
        yield* join("webhook:three", 1, 2)
        yield* join("other", 3)
        // A Project that has no event yet.
        yield* join("other", 0, 3)
        expect([...(yield* lag)].sort((a, b) => a.consumer.localeCompare(b.consumer))).toEqual([
          { consumer: "other", groups: 2, events: 0 },
          { consumer: "webhook", groups: 3, events: 2 }
        ])
      })
    )
  })
}
