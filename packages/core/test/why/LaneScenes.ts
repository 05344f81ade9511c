/** A line of Changes that is carried on step by step: nothing lands by itself. */
import { Effect } from "effect"
import * as Policies from "@pawl/core/approval/Policies"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { enter } from "@pawl/core/lane/LaneEntries"
import * as LaneSteps from "@pawl/core/lane/LaneSteps"
import { commandKinds } from "@pawl/core/model/Command"
import type { PolicyFields } from "@pawl/core/model/Policy"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { execute } from "@pawl/core/work/Processes"
import { Commands } from "@pawl/core/work/Commands"
import { handlers } from "@pawl/core/worker/Handlers"
import { person, settle } from "../kit/MemoryPawl.ts"
import { newProject } from "../kit/Scenes.ts"

/** A Project whose Changes land in turn. */
export const laneProject = (fields: Partial<PolicyFields> = {}) =>
  Effect.gen(function* () {
    const project = yield* newProject()
    yield* Policies.change(person, project.id, { lane: { mode: "on", depth: 20 }, ...fields })
    yield* settle
    return project.id
  })

/** A Change of one edit that waits for its turn, before anything is done about it. */
export const entered = (projectId: string, request: string, files: Record<string, string>) =>
  Effect.gen(function* () {
    const asked = { projectId, clientRequestId: request, goal: `goal ${request}`, budgetUsd: 1 }
    const { change } = yield* Changes.open(person, asked)
    yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files })
    return (yield* enter(person, { changeId: change.id })).entry
  })

/** Everything that is due, but that nothing is promoted. */
const worked = Effect.gen(function* () {
  const commands = yield* Commands
  const kinds = commandKinds.filter((kind) => handlers[kind] !== undefined && kind !== "candidate.promote")
  for (;;) {
    const claimed = yield* commands.claim({ worker: "test", kinds, limit: 10, leaseMs: Limits.commandLeaseMs })
    if (claimed.length === 0) return
    yield* Effect.forEach(claimed, (leased) => execute(leased, handlers), { discard: true })
  }
})

/** The lane as far as it goes while nothing lands. */
export const carriedOn = (projectId: string) =>
  Effect.gen(function* () {
    for (;;) {
      const before = (yield* demand("lane", projectId)).revision
      yield* worked
      yield* LaneSteps.step(projectId)
      // Who stands first is sent to land each time: that moves nothing of the lane.
      if ((yield* demand("lane", projectId)).revision === before) return
    }
  })

/** Has the verifications of a Project have taken so many minutes each, in the order in which they were asked for. */
export const lasted = Effect.fnUntraced(function* (projectId: string, minutes: ReadonlyArray<number>) {
  const records = yield* Records
  const candidates = (yield* records.list("candidate", { projectId, limit: "all" })).items
  const rows = (yield* records.list("evidence", { projectId, limit: "all" })).items
  const writes = rows.flatMap((row) => {
    const nth = candidates.findIndex(({ record }) => record.id === row.record.subject.candidateId)
    const startedAt = Time.toMillis(row.record.startedAt)
    return minutes[nth] === undefined
      ? []
      : [Commit.update("evidence", row, { finishedAt: Time.fromMillis(startedAt + minutes[nth] * 60_000) })]
  })
  yield* (yield* Ledger).commit({ name: "test", projectId, writes })
})
