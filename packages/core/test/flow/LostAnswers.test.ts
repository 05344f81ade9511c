import { Context, Effect, Logger, LogLevel, TestClock, TestContext } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Deciding"
import { Ledger, LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import * as Projects from "@pawl/core/project/Projects"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { type Fault, inject } from "@pawl/testing/Faults"
import { wrap } from "@pawl/testing/PortWrap"
import { answers, organizationId, page, person, run, settle } from "./MemoryPawl.ts"

const files = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "x" }] }),
  "src/index.js": "one",
  "result.txt": "fine"
}

/** A client that sends a request again when it got no answer. */
const insist = <A, E, R>(request: Effect.Effect<A, E, R>) =>
  Effect.retry(request, { while: (error) => error instanceof LedgerUnavailable, times: 3 })

const prepare = Effect.gen(function* () {
  const project = yield* Projects.create(person, { organizationId, slug: "corner", files })
  yield* settle
  const { change } = yield* Changes.open(person, {
    projectId: project.id,
    clientRequestId: "r",
    goal: "g",
    budget_usd: 1
  })
  yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files: { "src/index.js": "two" } })
  return { project, change }
})

/** Runs what is due, and what a fault put off, by the program's own clock: a lease of 30 s among it. */
const settleAll = Effect.zipRight(settle, Effect.zipRight(TestClock.adjust("40 seconds"), settle))

/** From the request of a Candidate to its release. */
const path = (changeId: string) =>
  Effect.gen(function* () {
    const { candidate } = yield* insist(Candidates.request(person, { changeId }))
    yield* settleAll
    const promoted = yield* insist(Promotions.promote(person, candidate.id))
    yield* settleAll
    return { candidateId: candidate.id, promoted }
  })

/** Plays the path with one fault at the `nth` commit, and answers what is wrong in the end, and how many commits there were. */
const play = (fault: Fault | null, nth: number) =>
  run(
    Effect.gen(function* () {
      const { project, change } = yield* prepare
      const ledger = yield* Ledger
      const faults = inject({
        fault: fault ?? "fail-before",
        nth: fault === null ? -1 : nth,
        counts: (call) => call.port === "Ledger",
        failure: () => new LedgerUnavailable({ operation: "commit", reason: "injected" })
      })
      const broken = Context.make(Ledger, wrap(Ledger, ledger, faults.around))
      const { candidateId, promoted } = yield* Effect.provide(path(change.id), broken)
      const evidence = yield* (yield* Records).list("evidence", { where: { subject: candidateId } })
      const events = yield* (yield* EventLog).read(project.id, 0, 100)
      expect((yield* demand("head", project.id)).record).toMatchObject({ generation: 1, syncedGeneration: 1 })
      expect((yield* demand("release", promoted.releaseId ?? "")).record.status).toBe("deployed")
      expect((yield* demand("change", change.id)).record.status).toBe("completed")
      expect(evidence.items.map((each) => each.record.checkId).toSorted()).toEqual(["build", "test"])
      expect(events.filter((event) => event.type === "canonical.advanced").length).toBe(1)
      expect(events.filter((event) => event.type === "change.completed").length).toBe(1)
      expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1))
      return faults.calls()
    }).pipe(Effect.provide(TestContext.TestContext), Logger.withMinimumLogLevel(LogLevel.Error))
  )

describe("A lost answer is safe to retry", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it.each(["fail-before", "commit-then-fail"] as const)(
    "at every commit from a Candidate's request to its release: %s",
    async (fault) => {
      const commits = await play(null, -1)
      expect(commits).toBeGreaterThan(10)
      await Promise.all(
        Array.from({ length: commits }, (_, nth) =>
          play(fault, nth).catch((error: unknown) => expect.fail(`commit ${nth}: ${String(error)}`))
        )
      )
      console.log(`${commits} commits, each with ${fault}`)
    }
  )
})
