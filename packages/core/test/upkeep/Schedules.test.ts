import { Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as Commit from "@pawl/core/ledger/Commit"
import { commandKinds } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import { find } from "@pawl/core/ledger/Decision"
import { Conflict, Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Time from "@pawl/core/primitives/Time"
import type { Project } from "@pawl/core/model/Project"
import { run, tick } from "@pawl/core/upkeep/Schedules"

const midnight = Date.UTC(2030, 0, 1)
const at = (hours: number, minutes: number) => midnight + (hours * 60 + minutes) * 60_000

const play = <A, E>(program: Effect.Effect<A, E, Effect.Services<typeof tick> | Commands>) =>
  Effect.runPromise(
    Effect.andThen(TestClock.setTime(midnight), program).pipe(
      Effect.provide(MemoryLedger.layerMemory),
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )

/** The ids of all commands that wait, which are taken out of the queue. */
const taken = Effect.gen(function* () {
  const commands = yield* Commands
  const claimed = yield* commands.claim({ worker: "test", kinds: commandKinds, limit: 100, leaseMs: 1000 })
  yield* Effect.forEach(claimed, ({ lease }) => commands.finish(lease))
  return claimed.map(({ command }) => command.id).toSorted()
})

const archived = (n: number): Project => ({
  id: `proj_00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  organizationId: "org_00000000-0000-4000-8000-000000000001",
  slug: `p-${n}`,
  name: `p-${n}`,
  label: `p-${n}`,
  status: "archived",
  createdBy: "usr_1",
  createdAt: Time.fromMillis(midnight),
  updatedAt: Time.fromMillis(midnight),
  cleanedAt: null
})
const store = (project: Project) =>
  Effect.flatMap(Ledger, (ledger) =>
    ledger.commit({ name: "test", projectId: project.id, writes: [Commit.insert("project", project)] })
  )

describe("The tick", () => {
  it("queues one sweep a day at 04:17 UTC, and none before", () =>
    play(
      Effect.gen(function* () {
        yield* TestClock.setTime(at(4, 15))
        const first = yield* Effect.forkChild(run)
        yield* TestClock.setTime(at(4, 16))
        expect(yield* taken).toEqual([])
        yield* TestClock.setTime(at(4, 17))
        expect(yield* taken).toEqual(["forks.sweep:2030-01-01", "retention.sweep:2030-01-01"])
        yield* TestClock.setTime(at(5, 30))
        expect(yield* taken).toEqual(["project.audits:2030-01-01"])
        yield* Fiber.interrupt(first)
        yield* TestClock.setTime(at(28, 16))
        const second = yield* Effect.forkChild(run)
        yield* TestClock.setTime(at(28, 16) + 1)
        expect(yield* taken).toEqual([])
        yield* TestClock.setTime(at(28, 18))
        expect(yield* taken).toEqual(["forks.sweep:2030-01-02", "retention.sweep:2030-01-02"])
        yield* Fiber.interrupt(second)
      })
    ))

  it("catches up with a daily slot that was missed while the server was down, also when it is never up at that time", () =>
    play(
      Effect.gen(function* () {
        const seen: Array<ReadonlyArray<string>> = []
        for (let night = 0; night < 4; night++) {
          yield* TestClock.setTime(at(24 * night + 1, 0))
          yield* tick
          seen.push((yield* taken).filter((id) => id.startsWith("retention.sweep")))
        }
        expect(seen).toEqual([
          [],
          ["retention.sweep:2030-01-01"],
          ["retention.sweep:2030-01-02"],
          ["retention.sweep:2030-01-03"]
        ])
      })
    ))

  it("keeps firing the others when one schedule has a defect", () =>
    play(
      Effect.gen(function* () {
        yield* TestClock.setTime(at(4, 17))
        const records = yield* Records
        const list: Records["Service"]["list"] = (kind, query) =>
          kind === "project" ? Effect.die("a row that cannot be") : records.list(kind, query)
        expect(yield* Effect.provideService(tick, Records, { ...records, list })).toEqual([
          "claim.expire",
          "packs.sweep",
          "candidate.reviews",
          "release.recover",
          "calls.sweep",
          "forks.sweep",
          "retention.sweep"
        ])
      })
    ))

  it("fires once among eight processes that tick at one moment, and when they all tick again", () =>
    play(
      Effect.gen(function* () {
        yield* TestClock.setTime(at(4, 17))
        const ledger = yield* Ledger
        // Every scheduler has read before any of them commits.
        const slow = { commit: (commit: Commit.Commit) => Effect.andThen(Effect.yieldNow, ledger.commit(commit)) }
        const racing = Effect.all(
          Array.from({ length: 8 }, () => Effect.provideService(tick, Ledger, slow)),
          { concurrency: "unbounded" }
        )
        const fired = (yield* racing).flat()
        expect(fired.toSorted()).toEqual([
          "calls.sweep",
          "candidate.reviews",
          "claim.expire",
          "forks.sweep",
          "packs.sweep",
          "project.cleanup",
          "release.recover",
          "retention.sweep"
        ])
        expect(yield* taken).toEqual(["forks.sweep:2030-01-01", "retention.sweep:2030-01-01"])
        expect((yield* racing).flat()).toEqual([])
        expect(yield* taken).toEqual([])
      })
    ))

  it("loses no firing when a rival's commit comes between, and none is told that did not happen", () =>
    play(
      Effect.gen(function* () {
        yield* TestClock.setTime(at(4, 17))
        const ledger = yield* Ledger
        let refusals = 0
        const refused = (commit: Commit.Commit) =>
          refusals++ < 3
            ? new Conflict({ kind: "schedule", id: "any", expected: "1", actual: "2" })
            : ledger.commit(commit)
        expect(yield* Effect.provideService(tick, Ledger, { commit: refused })).toContain("forks.sweep")
        expect(yield* taken).toEqual(["forks.sweep:2030-01-01", "retention.sweep:2030-01-01"])
      })
    ))

  it("does not fire while the installation is paused, and makes up for the day when it no longer is", () =>
    play(
      Effect.gen(function* () {
        const settings = yield* Settings
        yield* TestClock.setTime(at(4, 17))
        expect(yield* Effect.provideService(tick, Settings, { ...settings, paused: true })).toEqual([])
        expect(yield* find("schedule", "forks.sweep")).toBe(null)
        yield* TestClock.setTime(at(9, 0))
        yield* tick
        expect(yield* taken).toContain("forks.sweep:2030-01-01")
      })
    ))

  it("queues the cleanup of at most 10 archived Projects with leftovers, which take turns", () =>
    play(
      Effect.gen(function* () {
        const projects = Array.from({ length: 14 }, (_, n) => archived(n + 1))
        yield* Effect.forEach(projects, store)
        yield* store({ ...archived(15), cleanedAt: Time.fromMillis(midnight) })
        yield* store({ ...archived(16), status: "active" })
        const ids = projects.map((project) => `project.cleanup:${project.id}`)
        yield* tick
        expect(yield* taken).toEqual(ids.slice(0, 10))
        yield* TestClock.setTime(at(0, 1))
        yield* tick
        expect(yield* taken).toEqual(ids.slice(10))
        yield* TestClock.setTime(at(0, 2))
        yield* tick
        expect(yield* taken).toEqual(ids.slice(0, 10))
      })
    ))

  it("goes on ticking when the store was away for a while", () =>
    play(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        let away = true
        const flaky = {
          commit: (commit: Commit.Commit) =>
            away ? new Conflict({ kind: "schedule", id: "any", expected: "1", actual: "2" }) : ledger.commit(commit)
        }
        yield* TestClock.setTime(at(4, 15))
        const fiber = yield* Effect.forkChild(Effect.provideService(run, Ledger, flaky))
        yield* TestClock.setTime(at(4, 17))
        expect(yield* taken).toEqual([])
        away = false
        yield* TestClock.setTime(at(4, 18))
        expect(yield* taken).toEqual(["forks.sweep:2030-01-01", "retention.sweep:2030-01-01"])
        yield* Fiber.interrupt(fiber)
      })
    ))
})
