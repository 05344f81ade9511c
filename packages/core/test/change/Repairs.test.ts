import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Changes from "@pawl/core/change/Changes"
import * as Budget from "@pawl/core/change/Budget"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { type FileEdits, Repositories } from "@pawl/core/project/Repositories"
import * as Projects from "@pawl/core/project/Projects"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { organizationId, person, settle } from "../kit/MemoryPawl.ts"
import {
  ends,
  files,
  type Hands,
  inWorld,
  newProject,
  open,
  planned,
  type Script,
  statusOfChange,
  taskOf,
  usage,
  worked
} from "../kit/WorkWorld.ts"
import { candidatesOf, projectOf, tasksOf } from "./ChangeScenes.ts"

const writes =
  (edits: FileEdits): Script =>
  () =>
    Effect.succeed({ _tag: "Published", edits, message: "m", intents: [], usage })

const broken = writes({ "result.txt": "broken" })
const mends = writes({ "result.txt": "mended" })
const changeOf = (changeId: string) => Effect.map(demand("change", changeId), ({ record }) => record)

/** A Change whose only Task breaks what a check looks at, and what its repairs do, one after the other. */
const brokenOne = (hands: Hands, ...repairs: ReadonlyArray<Script>) => {
  hands.agents.set("a", [broken])
  for (const [at, script] of repairs.entries()) hands.agents.set(`repair-${at + 1}`, [script])
  return worked(hands, [planned("a")])
}

const eventsOf = Effect.fnUntraced(function* (changeId: string) {
  const events = yield* (yield* EventLog).read(yield* projectOf(changeId), 0, 500)
  return events.filter(({ type }) => type === "verification.started" || type === "task.repair_planned")
})

describe("A planned Change whose Candidate was rejected", () => {
  it("mends a check that failed, by a Task that is told what it said, while it stays verifying", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* brokenOne(hands, mends)
        expect(yield* tasksOf(changeId)).toEqual(["a completed", "repair-1 completed"])
        expect(yield* changeOf(changeId)).toMatchObject({ status: "verifying", reason: null })
        const candidates = yield* candidatesOf(changeId)
        expect(candidates.map(({ status }) => status)).toEqual(["rejected", "verified"])
        expect(candidates[1]!.changeSets).toEqual([`cs_run_tsk_${changeId}_repair-1_1`, `cs_run_tsk_${changeId}_a_1`])
        const job = hands.jobs.find(({ task }) => task.key === "repair-1")!
        expect(job.task).toMatchObject({ kind: "implement", complexity: "medium", tier: "balanced", dependsOn: ["a"] })
        expect(job.planned.instructions).toContain("test failed")
        expect(job.evidence).toMatch(/Check test \(.*\) failed.*\nran/)
        expect((yield* eventsOf(changeId)).map(({ data, type }) => [type, data["reason"]])).toEqual([
          ["verification.started", "work_graph_completed"],
          ["task.repair_planned", "test failed"],
          ["verification.started", "repaired"]
        ])
      })
    ))

  it("is shown the whole diff, and first of it the files that a check names", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [writes({ "result.txt": "broken", "said.txt": "not ok: result.txt", "b.txt": "b" })])
        hands.agents.set("repair-1", [mends])
        yield* worked(hands, [planned("a")])
        const { evidence } = hands.jobs.find(({ task }) => task.key === "repair-1")!
        expect(evidence).toContain("not ok: result.txt")
        expect(evidence).toContain("+broken")
        const at = (words: string) => evidence?.indexOf(words) ?? -1
        expect(at("b/b.txt")).toBeGreaterThan(at("+broken"))
      })
    ))

  it("tries nothing more when a repair left the failure as it was, and says what was tried", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* brokenOne(hands, writes({ "elsewhere.txt": "x" }))
        expect(yield* tasksOf(changeId)).toEqual(["a completed", "repair-1 completed"])
        expect((yield* candidatesOf(changeId)).map(({ status }) => status)).toEqual(["rejected", "rejected"])
        expect(yield* changeOf(changeId)).toMatchObject({
          status: "verifying",
          reason: "test failed; repair-1 left it as it was. Send an edit and ask for a Candidate."
        })
      })
    ))

  it.each([
    ["took longer", "not ok (12.5 ms)\nduration_ms 1.25", "not ok (9 ms)\nduration_ms 11.5"],
    [
      "was later, elsewhere",
      "2026-11-22 at /tmp/a1/x.js, :::1 localhost:4000",
      "2026-11-23 at /tmp/b2/x.js, :::1 localhost:4001"
    ]
  ])("takes a failure that only %s for the same", (_, before, after) =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [writes({ "result.txt": "broken", "said.txt": before })])
        hands.agents.set("repair-1", [writes({ "said.txt": after })])
        const changeId = yield* worked(hands, [planned("a")])
        expect((yield* changeOf(changeId)).reason).toBe(
          "test failed; repair-1 left it as it was. Send an edit and ask for a Candidate."
        )
      })
    )
  )

  it("repairs twice where the failure is another one, and then tells a person", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* brokenOne(hands, writes({ "said.txt": "one" }), writes({ "said.txt": "two" }))
        expect(yield* tasksOf(changeId)).toEqual(["a completed", "repair-1 completed", "repair-2 completed"])
        const candidates = yield* candidatesOf(changeId)
        expect(candidates.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"])
        expect(candidates[2]!.changeSets.map((id) => id.split("_").at(-2))).toEqual(["repair-2", "repair-1", "a"])
        expect(yield* changeOf(changeId)).toMatchObject({
          status: "verifying",
          reason: "test failed; 2 repairs are all that is tried. Open another Change for what is left."
        })
      })
    ))

  it.each([
    ["changed nothing", writes({}), "test failed; repair-1 changed nothing. Send an edit and ask for a Candidate."],
    [
      "failed",
      ends("Failed", "too hard"),
      "test failed; repair-1 failed: too hard. Send an edit and ask for a Candidate."
    ]
  ] as const)("tells a person when its repair %s", (_, script, reason) =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* brokenOne(hands, script)
        expect(yield* changeOf(changeId)).toMatchObject({ status: "verifying", reason })
        expect((yield* candidatesOf(changeId)).length).toBe(1)
      })
    )
  )

  it("says no more what was tried once a person's work made it pass", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* brokenOne(hands, ends("Failed"))
        const mended = yield* ChangeSets.record(person, { changeId, message: "m", files: { "result.txt": "by hand" } })
        const { candidate } = yield* Candidates.request(person, {
          changeId,
          changeSetIds: [mended.id]
        })
        yield* settle
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("verified")
        expect((yield* changeOf(changeId)).reason).toBeNull()
      })
    ))

  it("mends what does not merge: the repair stands on all of it, and nothing is merged once more", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [writes({ "x.txt": "of a", "a.txt": "a" })])
        hands.agents.set("b", [writes({ "x.txt": "of b", "b.txt": "b" })])
        hands.agents.set("repair-1", [writes({ "x.txt": "of both" })])
        const changeId = yield* worked(hands, [planned("a"), planned("b")])
        const [first, second] = yield* candidatesOf(changeId)
        expect(first).toMatchObject({ status: "rejected", conflicts: ["x.txt"] })
        const { evidence, source } = hands.jobs.find(({ task }) => task.key === "repair-1")!
        expect(evidence).toContain("of a")
        expect(evidence).toContain("of b")
        const files = yield* (yield* Repositories).files(source.repository, source.tree)
        const textAt = (path: string) => new TextDecoder().decode(files.get(path)?.content)
        expect(["x.txt", "a.txt", "b.txt"].map(textAt)).toEqual(["of a", "a", "b"])
        expect(second).toMatchObject({ status: "verified", conflicts: [] })
        const fork = { project: second!.projectId, fork: `cand-${second!.id}` }
        const composed = yield* (yield* Repositories).diff(fork, second!.baseTree, second!.tree!)
        expect(composed.map(({ path }) => path)).toEqual(["a.txt", "b.txt", "x.txt"])
      })
    ))

  it("goes on with what merges as it stands, when its repair finds that nothing has to be edited", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [writes({ "x.txt": "of a", "a.txt": "a" })])
        hands.agents.set("b", [writes({ "x.txt": "of b", "b.txt": "b" })])
        hands.agents.set("repair-1", [writes({})])
        const changeId = yield* worked(hands, [planned("a"), planned("b")])
        const [first, second] = yield* candidatesOf(changeId)
        expect(first).toMatchObject({ status: "rejected", conflicts: ["x.txt"] })
        expect(second).toMatchObject({ status: "verified", conflicts: [] })
        expect(second!.changeSets[0]).toBe(`cs_run_tsk_${changeId}_repair-1_1`)
        expect(yield* changeOf(changeId)).toMatchObject({ status: "verifying", reason: null })
        const { source } = hands.jobs.find(({ task }) => task.key === "repair-1")!
        expect(second!.tree).toBe(source.tree)
      })
    ))

  it("goes on where canonical moved on and is right now, when its repair finds that nothing has to be edited", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const seeded = { ...files, "result.txt": "broken" }
        const project = yield* Projects.create(person, { organizationId, slug: "broken", files: seeded })
        const other = yield* Effect.map(
          Changes.open(person, {
            projectId: project.id,
            clientRequestId: "o",
            goal: "g",
            budgetUsd: 1,
            startPlanning: false
          }),
          ({ change }) => change.id
        )
        yield* ChangeSets.record(person, { changeId: other, message: "m", files: { "result.txt": "by hand" } })
        const { candidate } = yield* Candidates.request(person, { changeId: other })
        yield* settle
        hands.agents.set("repair-1", [
          () =>
            Effect.as(Effect.orDie(Promotions.promote(person, candidate.id)), { _tag: "Retry", reason: "r", usage }),
          writes({})
        ])
        const changeId = yield* open(project.id)
        yield* settle
        expect(yield* tasksOf(changeId)).toEqual(["a completed", "repair-1 completed"])
        expect((yield* candidatesOf(changeId)).map(({ status }) => status)).toEqual(["rejected", "verified"])
      })
    ))

  it("waits for a higher budget with its repair alone, and goes on when it is raised", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [broken])
        hands.agents.set("repair-1", [ends("Stopped", "budget_exhausted"), mends])
        const changeId = yield* worked(hands, [planned("a")])
        expect(yield* statusOfChange(changeId)).toBe("verifying")
        expect(yield* taskOf(changeId, "repair-1")).toMatchObject({ status: "blocked", blockedBy: "budget" })
        yield* Budget.raise(person, changeId, 2)
        yield* settle
        expect((yield* candidatesOf(changeId)).map(({ status }) => status)).toEqual(["rejected", "verified"])
      })
    ))

  it("leaves the mending to people when a person did the work", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const changeId = yield* open((yield* newProject).id, { startPlanning: false })
        yield* ChangeSets.record(person, { changeId, message: "m", files: { "result.txt": "broken" } })
        yield* Candidates.request(person, { changeId })
        yield* settle
        expect(yield* tasksOf(changeId)).toEqual(["edit-1 completed"])
        expect((yield* changeOf(changeId)).reason).toBeNull()
      })
    ))
})
