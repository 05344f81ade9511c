import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import { askChecks, checksNow } from "@pawl/core/harness/OutsideChecks"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { user } from "@pawl/core/model/Actor"
import { Limits } from "@pawl/core/primitives/Limits"
import { giveUp } from "@pawl/core/task/OutsideLeases"
import * as Outside from "@pawl/core/task/OutsideRuns"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { person, settle } from "../kit/MemoryPawl.ts"
import { compiled, type Hands, inWorld, planned, turn } from "../kit/WorkWorld.ts"

/** A run that is worked outside, with nothing pushed yet. */
const held = (hands: Hands) =>
  Effect.gen(function* () {
    const changeId = yield* compiled(hands, [planned("a")])
    return (yield* Effect.provide(Outside.claim(person, `tsk_${changeId}_a`), MemorySecrets.layerMemory)).run
  })

const push = (runId: string, edits: Readonly<Record<string, string | null>>) =>
  Outside.receive(person, runId, { edits, message: "the work" })

const resultsOf = (checks: Effect.Success<ReturnType<typeof checksNow>>) =>
  checks?.results.map(({ checkId, result }) => [checkId, result])

/** The sandbox as it is, and what it was given; jobs whose id is chosen never end. */
const watchedSandbox = (isHeld: (id: string) => boolean) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const ran: Array<string> = []
    const begun = yield* Deferred.make<void>()
    const watched: Sandbox["Service"] = {
      ...sandbox,
      start: (job) =>
        Effect.andThen(
          Effect.sync(() => ran.push(job.id)),
          sandbox.start(job)
        ),
      // Who starts a job cannot be interrupted, and who waits for it can.
      poll: (handle, waitMs) =>
        isHeld(handle.id)
          ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
          : sandbox.poll(handle, waitMs)
    }
    return { begun, ran, watched }
  })

const twoChecks = JSON.stringify({
  checks: [
    { id: "test", command: "x" },
    { id: "more", command: "y" }
  ],
  probes: [{ path: "/" }]
})

describe("The checks of what was pushed for a run outside", () => {
  it("show what a Candidate of it would, once for a commit, and leave no evidence", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* held(hands)
        expect(yield* Effect.flip(askChecks(person, id, false))).toMatchObject({ _tag: "NothingPushed" })
        expect(yield* checksNow(id)).toBeNull()
        const commit = yield* push(id, { "result.txt": "broken", "said.txt": "it is broken" })
        const first = { number: 1, left: Limits.outsideCheckRuns - 1, commit, broken: null }
        const running = { ...first, state: "running", results: [] }
        expect(yield* askChecks(person, id, false)).toEqual({ begun: true, checks: running })
        expect(yield* askChecks(person, id, true)).toEqual({ begun: false, checks: running })
        yield* settle
        const shown = yield* checksNow(id)
        expect(shown).toMatchObject({ ...first, state: "shown" })
        expect(resultsOf(shown)).toEqual([
          ["build", "pass"],
          ["test", "fail"]
        ])
        expect(shown?.results[1]).toMatchObject({ required: true, output: "it is broken" })
        expect(yield* askChecks(person, id, false)).toEqual({ begun: false, checks: shown })
        expect(yield* askChecks(person, id, true)).toMatchObject({ begun: true, checks: { number: 2, commit } })
        yield* push(id, { "a.txt": "a" })
        expect(yield* askChecks(person, id, false)).toMatchObject({ begun: true, checks: { number: 3 } })
        yield* settle
        expect(resultsOf(yield* checksNow(id))?.map(([, result]) => result)).toEqual(["pass", "pass"])
        expect((yield* (yield* Records).list("evidence", { limit: "all" })).items).toEqual([])
        expect((yield* Outside.publish(person, id, "done")).task.status).toBe("completed")
      })
    ))

  it("are those that the pushed files define, beside those of the base; and of a pawl.json that cannot be read there are none", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* held(hands)
        yield* push(id, { "pawl.json": twoChecks })
        yield* askChecks(person, id, false)
        yield* settle
        expect(resultsOf(yield* checksNow(id))?.map(([check]) => check)).toEqual(
          expect.arrayContaining(["build", "test", "more"])
        )
        yield* push(id, { "pawl.json": "{" })
        yield* askChecks(person, id, false)
        yield* settle
        expect(yield* checksNow(id)).toMatchObject({
          state: "shown",
          results: [],
          broken: expect.stringContaining("pawl.json cannot be read")
        })
      })
    ))

  it("may be asked for so often and no more, and what was asked for is answered still", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* held(hands)
        for (let number = 1; number <= Limits.outsideCheckRuns; number++) {
          yield* push(id, { "a.txt": `${number}` })
          expect((yield* askChecks(person, id, false)).checks.left).toBe(Limits.outsideCheckRuns - number)
        }
        yield* settle
        expect(yield* askChecks(person, id, false)).toMatchObject({ begun: false, checks: { state: "shown", left: 0 } })
        const over = { _tag: "ChecksUsedUp", max: Limits.outsideCheckRuns }
        expect(yield* Effect.flip(askChecks(person, id, true))).toMatchObject(over)
        yield* push(id, { "a.txt": "once more" })
        expect(yield* Effect.flip(askChecks(person, id, false))).toMatchObject(over)
        expect((yield* Outside.publish(person, id, "done")).task.status).toBe("completed")
      })
    ))

  it("are ended when others are asked for meanwhile, which are then shown", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* held(hands)
        yield* push(id, { "a.txt": "one" })
        yield* askChecks(person, id, false)
        const { begun, watched } = yield* watchedSandbox((job) => job.includes("checks-1"))
        const working = yield* Effect.forkChild(Effect.provideService(turn("run.checks"), Sandbox, watched))
        yield* Deferred.await(begun)
        const commit = yield* push(id, { "a.txt": "two" })
        yield* askChecks(person, id, false)
        yield* TestClock.adjust(Limits.agentWatchMs)
        yield* Fiber.join(working)
        expect(yield* checksNow(id)).toMatchObject({ number: 2, state: "running" })
        yield* settle
        expect(yield* checksNow(id)).toMatchObject({ number: 2, state: "shown", commit })
      })
    ))

  it("go on after their worker was gone, and what had shown itself is not run twice", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* held(hands)
        yield* push(id, { "pawl.json": twoChecks })
        yield* askChecks(person, id, false)
        const first = yield* watchedSandbox((job) => job.endsWith("-more"))
        const working = yield* Effect.forkChild(Effect.provideService(turn("run.checks"), Sandbox, first.watched))
        yield* Deferred.await(first.begun)
        // What stands beside the one that is held comes to its end.
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(working)
        expect(first.ran.toSorted()).toEqual([`${id}-checks-1-more`, `${id}-checks-1-test`])
        yield* TestClock.adjust(Limits.commandLeaseMs)
        const second = yield* watchedSandbox(() => false)
        yield* Effect.provideService(turn("run.checks"), Sandbox, second.watched)
        expect(second.ran).toEqual([`${id}-checks-1-more`])
        expect(yield* checksNow(id)).toMatchObject({ state: "shown" })
      })
    ))

  it("are dropped with the run, or when they cannot be kept; then they can be asked for again", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* held(hands)
        yield* push(id, { "a.txt": "a" })
        yield* askChecks(person, id, false)
        hands.broken.add("OutsideChecks.shown")
        for (let tried = 0; tried < Limits.commandAttempts; tried++) {
          yield* settle
          yield* TestClock.adjust("10 seconds")
        }
        expect(yield* checksNow(id)).toMatchObject({ state: "dropped", results: [] })
        hands.broken.clear()
        expect(yield* askChecks(person, id, false)).toMatchObject({ begun: true, checks: { number: 2 } })
        yield* giveUp(person, id, "enough")
        expect(yield* checksNow(id)).toMatchObject({ state: "dropped" })
        yield* settle
        expect((yield* demand("taskRun", id)).record.checks).toMatchObject({ number: 2, outcome: null })
      })
    ))

  it("are for who holds the run alone, while its lease holds", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* held(hands)
        yield* push(id, { "a.txt": "a" })
        const other = user("usr_00000000-0000-4000-8000-000000000002")
        expect(yield* Effect.flip(askChecks(other, id, false))).toMatchObject({ _tag: "RunNotHeld" })
        yield* TestClock.adjust(Limits.outsideLeaseMs)
        expect(yield* Effect.flip(askChecks(person, id, false))).toMatchObject({ _tag: "RunNotHeld" })
      })
    ))
})
