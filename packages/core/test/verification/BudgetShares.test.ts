import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { SandboxSlots } from "@pawl/core/verification/SandboxSlots"
import { why } from "@pawl/core/why/Why"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import { demand } from "@pawl/core/ledger/Decision"
import { ObjectStore, ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import * as FairSlots from "@pawl/core/primitives/FairSlots"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Time from "@pawl/core/primitives/Time"
import * as Projects from "@pawl/core/project/Projects"
import { organizationId, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor, candidateOf, files, newProject } from "../kit/Scenes.ts"

const day = Effect.map(Time.now, (now) => now.slice(0, 10))
const yesterday = Effect.map(Time.nowMillis, (now) => Time.fromMillis(now - Time.dayMs).slice(0, 10))
const month = Effect.map(day, (today) => `${today.slice(0, 7)}-01`)
const other = "org_00000000-0000-4000-8000-000000000002" as const

const used = (name: string, period: string) => Effect.flatMap(DailyCounter, (counter) => counter.used(name, period))
const use = (name: string, period: string, amount: number) =>
  Effect.flatMap(DailyCounter, (counter) => counter.add(name, period, amount))

describe("The sandbox time of a month", () => {
  it("is asked for before each check: what a check used up is a gap of the next one, and not tried twice more", () =>
    run(
      Effect.gen(function* () {
        const checks = ["one", "two"].map((id) => ({ id, command: "node --test" }))
        const source = { ...files, "pawl.json": JSON.stringify({ checks }) }
        const project = yield* Projects.create(person, { organizationId, slug: "twice", files: source })
        yield* settle
        const period = yield* month
        yield* use("sandbox-ms", period, Limits.sandboxMsPerMonth - 1)
        const { changeId, id } = yield* askedFor(project.id, "r1", { "a.txt": "a" })
        // One after the other: the process has one slot.
        yield* Effect.provideService(settle, SandboxSlots, FairSlots.make(1))
        const checked = (yield* evidenceOf(id)).filter((row) => row.checkId !== "build")
        expect(checked.map((row) => [row.result, row.attempt])).toEqual([
          ["pass", 1],
          ["gap", 1]
        ])
        expect(checked[1]?.summary).toBe("no sandbox budget: checks have run for all 5 hours of this month")
        expect((yield* demand("candidate", id)).record.status).toBe("rejected")
        expect((yield* why(id)).next).toEqual({
          code: "sandbox_budget_used_up",
          changeId,
          reason: "no sandbox budget: checks have run for all 5 hours of this month"
        })
        expect((yield* Candidates.request(person, { changeId, retry: true })).created).toBe(true)
      })
    ))

  it("is not spent again because what a check showed could not be stored", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const period = yield* month
        const store = yield* ObjectStore
        let away = 5
        const put: typeof store.put = (key, bytes) =>
          key.startsWith("evidence/") && away-- > 0
            ? new ObjectStoreUnavailable({ operation: "put", key, reason: "it is away" })
            : store.put(key, bytes)
        const { id } = yield* askedFor(project.id, "r1", { "a.txt": "a" })
        const before = yield* used("sandbox-ms", period)
        for (let minute = 0; minute < 10; minute++) {
          yield* Effect.provideService(settle, ObjectStore, { ...store, put })
          yield* TestClock.adjust("1 minutes")
        }
        expect(away).toBeLessThan(0)
        expect((yield* demand("candidate", id)).record.status).toBe("verified")
        expect((yield* used("sandbox-ms", period)) - before).toBe(1)
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("is counted for the organization too, and one that has used its share leaves the rest to another that was active", () =>
    run(
      Effect.gen(function* () {
        const period = yield* month
        const project = yield* newProject()
        yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        expect(yield* used(`sandbox-ms/${organizationId}`, period)).toBe(1)
        const half = Limits.sandboxMsPerMonth / 2
        for (const name of ["sandbox-ms", `sandbox-ms/${organizationId}`]) yield* use(name, period, half)
        // Alone, it goes on.
        expect((yield* candidateOf(project.id, "r2", { "b.txt": "b" })).status).toBe("verified")
        for (const name of ["sandbox-ms", `sandbox-ms/${other}`]) yield* use(name, period, 1000)
        const kept = "no sandbox budget: what is left of the 5 hours of this month is kept for other organizations"
        expect(yield* candidateOf(project.id, "r3", { "c.txt": "c" })).toMatchObject({
          status: "rejected",
          reason: kept
        })
        const theirs = yield* Projects.create(person, { organizationId: other, slug: "theirs", files })
        yield* settle
        expect((yield* candidateOf(theirs.id, "r4", { "d.txt": "d" })).status).toBe("verified")
      })
    ))
})

describe("The builds of a day", () => {
  it("are shared: an organization beyond its share leaves the rest to one that built yesterday", () =>
    run(
      Effect.gen(function* () {
        const [today, before] = [yield* day, yield* yesterday]
        yield* use(`app-builds/${other}`, before, 1)
        const project = yield* newProject()
        expect(yield* used(`app-builds/${organizationId}`, today)).toBe(1)
        const { buildsPerDay } = yield* Settings
        for (const name of ["app-builds", `app-builds/${organizationId}`]) yield* use(name, today, buildsPerDay / 2 - 1)
        const late = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        expect(late.status).toBe("rejected")
        const summary = (yield* evidenceOf(late.id)).find((row) => row.checkId === "build")?.summary
        expect(summary).toBe("all 60 builds of today are used, or kept for other organizations")
        expect((yield* why(late.id)).next).toEqual({ code: "builds_used_up", changeId: late.changeId })
        const theirs = yield* Projects.create(person, { organizationId: other, slug: "theirs", files })
        yield* settle
        expect((yield* candidateOf(theirs.id, "r2", { "a.txt": "a" })).status).toBe("verified")
      })
    ))
})
