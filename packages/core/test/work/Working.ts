/** Workers over a store in memory, for tests: kinds with bodies that a test says, under the test clock. */
import { Deferred, Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import type { CommandKind } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import type { SlotsPerLane } from "@pawl/core/work/Lanes"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { execute, type Handler, type Handlers } from "@pawl/core/work/Processes"
import { worker } from "@pawl/core/work/Worker"
import { Limits } from "@pawl/core/primitives/Limits"
import { onStore, send, type Stores } from "@pawl/testing/tools/StoreFixtures"

export const play = <A, E>(body: Effect.Effect<A, E, Stores>): Promise<A> =>
  onStore({ layer: MemoryLedger.layerMemory }, Effect.provideService(body, References.MinimumLogLevel, "None"))

export const slots: SlotsPerLane = {
  landing: 4,
  canonical: 4,
  verification: 4,
  provisioning: 2,
  planning: 4,
  agents: 8,
  webhooks: 8,
  signing: 2
}

/** A worker that runs until the test ends it: `Fiber.interrupt` is a graceful stop. */
export const working = (handlers: Handlers<never>) =>
  Effect.tap(Effect.forkChild(worker({ name: "w", slots, handlers })), () => turns)

/** Lets every fiber that can go on do so; the clock stands. */
export const turns = Effect.repeat(Effect.yieldNow, { times: 200 })

export const stop = <A, E>(fiber: Fiber.Fiber<A, E>) => Fiber.interrupt(fiber)

export const one = (kind: CommandKind, subject: string, project?: string | null) =>
  send([{ kind, id: `${kind}:${subject}`, payload: { subject } }], project)

/** Claims what is due, as a worker that dies does. */
export const claimed = Effect.flatMap(Commands, (commands) =>
  commands.claim({
    worker: "another",
    kinds: ["candidate.create", "release.run", "agent.wake"],
    limit: 1,
    leaseMs: Limits.commandLeaseMs
  })
)

/** A body that begins, and ends when it is told to. Answers how often it began. */
export const held = Effect.gen(function* () {
  const end = yield* Deferred.make<void>()
  const begun = { times: 0, subjects: [] as Array<unknown> }
  const handler: Handler<never> = (command) =>
    Effect.suspend(() => {
      begun.times++
      begun.subjects.push(command.payload["subject"])
      return Deferred.await(end)
    })
  return { handler, begun, end: Deferred.succeed(end, undefined) }
})

export const letters = Effect.flatMap(Commands, (commands) =>
  commands.deadLetters("proj_00000001-0000-4000-8000-000000000000")
)

/** Runs the next due command to its end in this fiber. */
export const runNext = (handlers: Handlers<never>) =>
  Effect.flatMap(claimed, (all) => Effect.forEach(all, (leased) => execute(leased, handlers)))

/** Runs what is due, then lets time pass, again and again. */
export const runFor = (handlers: Handlers<never>, ms: number, stepMs: number) =>
  Effect.repeat(Effect.andThen(runNext(handlers), TestClock.adjust(stepMs)), { times: Math.ceil(ms / stepMs) - 1 })

export const minute = 60_000
