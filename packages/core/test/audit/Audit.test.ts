import { Clock, Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { remove } from "@pawl/core/app/Removal"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import type { Records } from "@pawl/core/ledger/Records"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import * as Projects from "@pawl/core/project/Projects"
import { Repositories } from "@pawl/core/project/Repositories"
import { reuseCrimes } from "./ReuseCrimes.ts"
import { type FindingCode, findingCodes } from "@pawl/core/model/Audit"
import { statementKey } from "@pawl/core/model/Statement"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Audits from "@pawl/core/audit/Audits"
import { sourceIndexKey } from "@pawl/core/project/SourceIndex"
import { alter, crimes, type History, history, other, tampered } from "./AuditCrimes.ts"
import { policyCrimes } from "./PolicyCrimes.ts"
import { answers, organizationId, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { changeOf, queued, recovered, releaseOf } from "../kit/ReleaseScenes.ts"
import { play } from "../kit/UpkeepScenes.ts"

/** What somebody did to the repository or the objects. */
interface Damage {
  readonly what: string
  readonly code: FindingCode
  readonly generation: number
  readonly around: (
    made: History
  ) => Effect.Effect<
    <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
    unknown,
    Repositories | ObjectStore | Records
  >
}

const withRepositories = (change: (real: Repositories["Service"]) => Partial<Repositories["Service"]>) =>
  Effect.map(
    Repositories,
    (real) =>
      <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.provideService(work, Repositories, { ...real, ...change(real) }) as Effect.Effect<A, E, R>
  )

/** Some time after all that was done. */
const later =
  (ms: number) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Clock.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe() + ms
      return Effect.provideService(work, Clock.Clock, {
        sleep: (duration) => clock.sleep(duration),
        currentTimeMillisUnsafe: () => now,
        currentTimeMillis: Effect.succeed(now),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos
      })
    })

const damages: ReadonlyArray<Damage> = [
  {
    what: "main is moved back",
    code: "main_mismatch",
    generation: 3,
    around: (made) =>
      Effect.flatMap(Effect.orDie(demand("generation", `${made.projectId}/1`)), ({ record }) =>
        withRepositories(() => ({ main: () => Effect.succeed({ commit: record.commit, tree: record.tree }) }))
      )
  },
  {
    what: "a file is slipped into the tree of a merge",
    code: "tree_not_derived",
    generation: 1,
    around: (made) =>
      Effect.flatMap(Effect.orDie(demand("generation", `${made.projectId}/1`)), ({ record: { tree } }) =>
        withRepositories((real) => ({
          list: (ref, id) =>
            Effect.map(real.list(ref, id), (entries) =>
              id === tree
                ? [...entries, { path: "slipped.js", type: "file" as const, id: other, size: 1, executable: false }]
                : entries
            )
        }))
      )
  },
  {
    what: "a rollback stands on another commit",
    code: "composition_mismatch",
    generation: 3,
    around: (made) =>
      Effect.flatMap(Effect.orDie(demand("candidate", made.back)), ({ record }) =>
        withRepositories((real) => ({
          parents: (ref, commit) => (commit === record.commit ? Effect.succeed([other]) : real.parents(ref, commit))
        }))
      )
  },
  {
    what: "a file index is removed",
    code: "source_index_missing",
    generation: 2,
    around: (made) =>
      Effect.gen(function* () {
        const { tree } = (yield* demand("generation", `${made.projectId}/2`)).record
        yield* (yield* ObjectStore).remove(sourceIndexKey(made.projectId, tree))
        return (work) => work
      })
  }
]

const codesAt = (report: Effect.Success<ReturnType<typeof Audits.examine>>) =>
  report.findings.map(({ generation, code }) => `S${generation} ${code}`)

describe("An audit", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("finds nothing in a history that is as it was made, keeps its report and tells of it", () =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* history
        const report = yield* Audits.run(projectId)
        expect(report).toMatchObject({ generations: 4, findings: [], moreFindings: 0, notes: [] })
        expect(yield* Audits.lastReport(projectId)).toEqual(report)
        yield* Audits.run(projectId)
        const events = yield* (yield* EventLog).read(projectId, 0, 100)
        expect(events.filter((event) => event.type === "audit.passed").map((event) => event.data)).toEqual([
          { generations: 4, findings: [] },
          { generations: 4, findings: [] }
        ])
      })
    ))

  it.each([...crimes, ...policyCrimes])("names it when $what", ({ code, generation, tamper }) =>
    run(
      Effect.gen(function* () {
        const made = yield* history
        const report = yield* Audits.examine(made.projectId).pipe(tampered(tamper(made)))
        expect(codesAt(report)).toContain(`S${generation} ${code}`)
      })
    )
  )

  it.each(damages)("names it when $what", ({ around, code, generation }) =>
    run(
      Effect.gen(function* () {
        const made = yield* history
        const damaged = yield* around(made)
        expect(codesAt(yield* damaged(Audits.examine(made.projectId)))).toContain(`S${generation} ${code}`)
      })
    )
  )

  it("has a test for every kind of difference", () => {
    const tried = [...crimes, ...policyCrimes, ...damages, ...reuseCrimes].map(({ code }) => code)
    // Those two have tests of their own.
    const beside: ReadonlyArray<FindingCode> = ["statement_unsigned", "approval_not_carried"]
    expect([...new Set<FindingCode>([...tried, ...beside])].sort()).toEqual([...findingCodes].sort())
  })

  it("notes a statement that waits for its signature, and calls it wrong after a minute", () =>
    run(
      Effect.gen(function* () {
        const made = yield* history
        const { projectId } = made
        const unsigned = alter(
          "statement",
          () => statementKey(projectId, 1),
          (row) => ({ ...row, signature: null })
        )(made)
        const now = yield* Audits.examine(projectId).pipe(tampered(unsigned))
        expect([codesAt(now), now.notes.map(({ code }) => code)]).toEqual([[], ["statement_unsigned"]])
        const after = yield* Audits.examine(projectId).pipe(tampered(unsigned), later(Limits.signatureWaitMs))
        expect(codesAt(after)).toEqual(["S0 statement_unsigned"])
      })
    ))

  it("says what retention removed, and does not call it wrong", () =>
    run(
      Effect.gen(function* () {
        const made = yield* history
        yield* (yield* ObjectStore).removePrefix(`evidence/${made.projectId}/`)
        const report = yield* Audits.examine(made.projectId)
        expect(report.findings).toEqual([])
        expect(new Set(report.notes.map((note) => note.code))).toEqual(new Set(["evidence_output_expired"]))
      })
    ))

  it("finds nothing wrong with a stuck release of a Project that has nothing to release to any more", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* queued
        yield* remove(person, scene.project.id)
        yield* recovered
        expect((yield* releaseOf(scene.releaseId)).status).toBe("failed")
        expect((yield* changeOf(scene.changeId)).status).toBe("completed")
        yield* settle
        expect((yield* Audits.run(scene.project.id)).findings).toEqual([])
      })
    ))

  it("publishes audit.failed with the kinds of differences", () =>
    run(
      Effect.gen(function* () {
        const made = yield* history
        yield* Audits.run(made.projectId).pipe(
          tampered(
            alter(
              "approval",
              (each) => each.two,
              () => null
            )(made)
          )
        )
        const events = yield* (yield* EventLog).read(made.projectId, 0, 100)
        expect(events.at(-1)).toMatchObject({
          type: "audit.failed",
          data: { generations: 4, findings: ["approval_missing", "approval_mismatch", "statement_mismatch"] }
        })
      })
    ))

  it("has nothing to look at in a Project without source, and no report before the first", () =>
    run(
      Effect.gen(function* () {
        const project = yield* Projects.create(person, { organizationId, slug: "bare", files: null })
        yield* settle
        expect(yield* Effect.flip(Audits.lastReport(project.id))).toMatchObject({ _tag: "Unknown", kind: "audit" })
        expect(yield* Audits.run(project.id)).toMatchObject({ generations: 0, findings: [] })
      })
    ))
})
