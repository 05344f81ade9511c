import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { EventLog } from "@pawl/core/event/EventLog"
import type { Event } from "@pawl/core/model/Event"
import { find } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Retention } from "@pawl/core/ledger/Retention"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings } from "@pawl/core/primitives/Settings"
import { archive } from "@pawl/core/project/Archival"
import { usage } from "@pawl/core/project/Usage"
import { Meters } from "@pawl/core/telemetry/Meters"
import { report } from "@pawl/core/bundle/BundleReports"
import { archiveEvents } from "@pawl/core/upkeep/EventArchive"
import { person, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"
import { after, keysUnder, play, runOne } from "../kit/UpkeepScenes.ts"

/** All that the archive of a Project holds, in the order of its objects. */
const archived = (projectId: string) =>
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    const bodies = yield* Effect.forEach(yield* keysUnder(`events/${projectId}/`), (key) => objects.get(key))
    const lines = bodies.flatMap((body) => new TextDecoder().decode(body).trimEnd().split("\n"))
    return lines.map((line) => JSON.parse(line) as Event)
  })

const feed = (projectId: string, from = 0) => Effect.flatMap(EventLog, (log) => log.read(projectId, from, 100))
let sent = 0
const sweep = Effect.gen(function* () {
  const command = { kind: "retention.sweep" as const, id: `retention.sweep:archive:${++sent}`, payload: {} }
  yield* (yield* Ledger).commit({ name: "test", projectId: null, commands: [command] })
  while (yield* runOne("retention.sweep")) continue
})

describe("The archive of events", () => {
  it("gets each day what the feed has come to hold, in dense ranges, and the same when the sweep is repeated", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* candidateOf(project.id, "r0", { "0.txt": "0" })
        yield* sweep
        const first = yield* feed(project.id)
        expect(yield* archived(project.id)).toEqual(first)
        yield* archiveEvents(project.id)
        expect(yield* keysUnder(`events/${project.id}/`)).toHaveLength(1)
        yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        yield* after(1)
        yield* sweep
        const all = yield* feed(project.id)
        expect(all.length).toBeGreaterThan(first.length)
        expect(yield* archived(project.id)).toEqual(all)
        const names = (yield* keysUnder(`events/${project.id}/`)).map((key) => key.split("/")[2])
        const [one, two] = [first.length, all.length].map((each) => String(each).padStart(16, "0"))
        const next = String(first.length + 1).padStart(16, "0")
        expect(names).toEqual([`0000000000000001-${one}.jsonl`, `${next}-${two}.jsonl`])
      })
    ))

  it("goes on after what the feed has lost, keeps what it has for a year, and then lets it go", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        const lost = (yield* feed(project.id)).length
        yield* TestClock.adjust("1 days")
        yield* (yield* Retention).forget(project.id, "2030-01-01T12:00:00.000Z")
        yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        yield* sweep
        expect((yield* archived(project.id))[0]?.sequence).toBe(lost + 1)
        yield* TestClock.adjust(`${Limits.retentionDaysEvents - 1} days`)
        yield* sweep
        expect((yield* archived(project.id)).length).toBeGreaterThan(0)
        yield* TestClock.adjust("2 days")
        yield* sweep
        expect(yield* archived(project.id)).toEqual([])
      })
    ))

  it("goes with an archived Project as its feed does", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* sweep
        yield* TestClock.adjust("1 days")
        yield* archive(person, project.id)
        yield* settle
        expect(yield* keysUnder(`events/${project.id}/`)).toEqual([])
        yield* sweep
        const types = (yield* archived(project.id)).map(({ type }) => type)
        expect(types).toContain("project.archived")
        expect(types).not.toContain("canonical.advanced")
      })
    ))
})

describe("The bundles of a Project", () => {
  const told: Array<string> = []
  const watched = Logger.layer([Logger.make(({ message }) => void told.push(String(message)))])
  const alerts = Effect.map(Meters, ({ bundleAlerts }) =>
    bundleAlerts.samples().reduce((sum, { value }) => sum + value, 0)
  )

  it("are told of once when they come over 80 % of their budget, and again when they had come below", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        const objects = yield* ObjectStore
        const before = yield* alerts
        const told80 = Effect.sync(() => told.filter((line) => line.includes("80 %")).length)
        const budget = { ...(yield* Settings), bundleBytesPerProject: 100_000 }
        const look = Effect.provideService(report(project.id), Settings, budget)
        yield* look
        expect([yield* alerts, yield* told80]).toEqual([before, 0])
        const large = `apps/${project.id}/large/bundle.json`
        yield* objects.put(large, new Uint8Array(90_000))
        yield* look
        yield* look
        expect([(yield* alerts) - before, yield* told80]).toEqual([1, 1])
        const bytes = (yield* find("bundleReport", project.id))?.record.bundleBytes ?? 0
        expect(bytes).toBeGreaterThan(90_000)
        expect((yield* usage(project.id)).bundleBytes).toBe(bytes)
        yield* objects.remove(large)
        yield* look
        yield* objects.put(large, new Uint8Array(90_000))
        yield* look
        expect([(yield* alerts) - before, yield* told80]).toEqual([2, 2])
      }).pipe(Effect.provide(watched))
    ))

  it("stand in the Project's usage, beside its builds, its sandbox time and its money", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        const other = yield* newProject("other")
        expect(yield* usage(project.id)).toMatchObject({
          spentUsd: 0,
          reservedUsd: 0,
          modelCallsToday: 0,
          modelCallsCap: 500,
          buildsToday: 2,
          sandboxMsThisMonth: 1
        })
        expect(yield* usage(other.id)).toMatchObject({ buildsToday: 1, sandboxMsThisMonth: 0 })
      })
    ))
})
