/** Scenes of the lane: a Project whose Changes land in turn, Changes that race, and what became of them. */
import { Effect } from "effect"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import type { PolicyFields } from "@pawl/core/model/Policy"
import * as Time from "@pawl/core/primitives/Time"
import { person } from "./MemoryPawl.ts"
import { every, newProject, opened } from "./Scenes.ts"

export const laneOn = {
  autoPromoteRiskTiers: every,
  approvalRiskTiers: [],
  lane: { mode: "on" }
} as const satisfies Partial<PolicyFields>

/** A Project whose Changes land by the lane, each without a person. */
export const laned = Effect.gen(function* () {
  const project = yield* newProject()
  yield* Policies.change(person, project.id, laneOn)
  return project
})

/** A moment after so many hours. */
export const hour = (n: number) => Time.fromMillis(n * 60 * 60 * 1000)

/** A Project in which nothing lands for some hours, so that entries stand ready. */
export const frozenFor = (hours: number, fields: Partial<PolicyFields> = {}) =>
  Effect.gen(function* () {
    const project = yield* laned
    const freezes = [{ from: hour(0), until: hour(hours), reason: "the fair" }]
    yield* Policies.change(person, project.id, { ...laneOn, freezes, ...fields })
    return project.id
  })

/** A Change with one ChangeSet. */
export const worked = (projectId: string, request: string, files: Record<string, string>) =>
  Effect.gen(function* () {
    const change = yield* opened(projectId, request)
    yield* ChangeSets.record(person, { changeId: change.id, message: request, files })
    return change.id
  })

/** The same of a Change that nobody plans, where there is a planner. */
export const unplanned = (projectId: string, clientRequestId: string, files: Record<string, string>) =>
  Effect.gen(function* () {
    const asked = { projectId, clientRequestId, goal: "g", budgetUsd: 1, startPlanning: false }
    const { change } = yield* Changes.open(person, asked)
    yield* ChangeSets.record(person, { changeId: change.id, message: clientRequestId, files })
    return change.id
  })

/** Changes whose Candidates are asked for one right after the other. */
export const racing = (projectId: string, edits: ReadonlyArray<Record<string, string>>) =>
  Effect.gen(function* () {
    const changes = yield* Effect.forEach(edits, (files, n) => worked(projectId, `race-${n}`, files))
    yield* Effect.forEach(changes, (changeId) => Candidates.request(person, { changeId }))
    return changes
  })

/** So many edits, each of a file of its own. */
export const clean = (count: number) => Array.from({ length: count }, (_, n) => ({ [`src/${n}.txt`]: String(n) }))

/** What became of it all. */
export const outcome = Effect.fnUntraced(function* (projectId: string) {
  const records = yield* Records
  const all = <K extends "change" | "evidence" | "laneEntry" | "candidate">(kind: K) =>
    Effect.map(records.list(kind, { projectId, limit: "all" }), ({ items }) => items.map(({ record }) => record))
  const evidence = yield* all("evidence")
  const entries = yield* all("laneEntry")
  return {
    generation: (yield* demand("head", projectId)).record.generation,
    entries,
    /** By status and code, in the order of entering. */
    ends: entries.map(({ outcome: end, status }) => (end === null ? status : `${status} ${end.code}`)),
    runs: (checkId: string) => evidence.filter((each) => each.checkId === checkId).length,
    candidates: yield* all("candidate"),
    changes: yield* all("change")
  }
})
