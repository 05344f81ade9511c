/** A line of Changes that is carried on step by step: nothing lands by itself. */
import { Effect } from "effect"
import * as Policies from "@pawl/core/approval/Policies"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand } from "@pawl/core/ledger/Decision"
import { enter } from "@pawl/core/lane/LaneEntries"
import * as LaneSteps from "@pawl/core/lane/LaneSteps"
import { commandKinds } from "@pawl/core/model/Command"
import type { PolicyFields } from "@pawl/core/model/Policy"
import { Limits } from "@pawl/core/primitives/Limits"
import { execute } from "@pawl/core/work/Processes"
import { Commands } from "@pawl/core/work/Commands"
import { handlers } from "@pawl/core/worker/Handlers"
import { person, settle } from "../kit/MemoryPawl.ts"
import { newProject, opened } from "../kit/Scenes.ts"

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
    const change = yield* opened(projectId, request)
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
