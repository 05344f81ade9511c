/** Changes in the states that their rows begin in. */
import { Effect } from "effect"
import { expect } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { person, settle } from "../kit/MemoryPawl.ts"
import { ends, type Hands, newProject, open, planned, worked } from "../kit/WorkWorld.ts"

export const projectOf = (changeId: string) => Effect.map(demand("change", changeId), ({ record }) => record.projectId)

export const typesOf = (changeId: string) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventLog).read(yield* projectOf(changeId), 0, 500)
    return events.map((event) => event.type)
  })

export const candidatesOf = (changeId: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("candidate", { where: { changeId }, limit: "all" })
    return page.items.map(({ record }) => record)
  })

export const tasksOf = (changeId: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("task", { where: { changeId }, limit: "all" })
    return page.items.map(({ record }) => `${record.key} ${record.status}`)
  })

/** One Task done and one that keeps the Change from being verified: the first's work as a verified Candidate. */
export const early = (hands: Hands, why: "Failed" | "Stopped") =>
  Effect.gen(function* () {
    hands.agents.set("b", [ends(why)])
    const changeId = yield* worked(hands, [planned("a"), planned("b"), planned("c", ["b"])])
    const { candidate } = yield* Candidates.request(person, { changeId })
    yield* settle
    return { changeId, candidateId: candidate.id }
  })

/** A person's Change with a verified Candidate. */
export const persons = (projectId: string) =>
  Effect.gen(function* () {
    const changeId = yield* open(projectId, { startPlanning: false })
    yield* ChangeSets.record(person, { changeId, message: "m", files: { "a.txt": "a" } })
    const { candidate } = yield* Candidates.request(person, { changeId })
    yield* settle
    return { changeId, candidateId: candidate.id }
  })

/** One whose Candidate awaits an approval. */
export const owing = Effect.gen(function* () {
  const project = yield* newProject
  yield* Policies.change(person, project.id, { approvalRiskTiers: ["low", "medium", "high"] })
  return { projectId: project.id, ...(yield* persons(project.id)) }
})

/** Promotes while the Policy changes under the swap, so that it is refused. */
export const refused = (hands: Hands, projectId: string, candidateId: string) =>
  Effect.gen(function* () {
    hands.before.set("Promotions.swap", Policies.change(person, projectId, { approvalRiskTiers: [] }))
    expect(yield* Effect.flip(Promotions.promote(person, candidateId))).toMatchObject({ _tag: "Blocked" })
  })
