/** What must be there before the wrong callers come. */
import { Effect, Redacted } from "effect"
import { generate, recordOf } from "@pawl/core/access/Tokens"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { system } from "@pawl/core/model/Actor"
import type { Lane } from "@pawl/core/model/Lane"
import type { LaneEntry } from "@pawl/core/model/LaneEntry"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Release } from "@pawl/core/model/Release"
import { commandId } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"

/** The id of a dead letter of a Project. */
export const deadLetterOf = (projectId: string) =>
  Effect.gen(function* () {
    const id = commandId("forks.sweep", `${projectId}/1`)
    yield* (yield* Ledger).commit({
      name: "test",
      projectId,
      commands: [{ kind: "forks.sweep", id, payload: {}, maxAttempts: 1 }]
    })
    const commands = yield* Commands
    const [leased] = yield* commands.claim({ worker: "test", kinds: ["forks.sweep"], limit: 1, leaseMs: 1000 })
    if (leased !== undefined) yield* commands.fail(leased.lease, "it broke", 0)
    return id
  })

/** A token that ended before it was made. */
export const expiredToken = (userId: string) =>
  Effect.gen(function* () {
    const text = yield* generate
    const record = yield* recordOf(userId as `usr_${string}`, text, {
      name: "old",
      expiresAt: "2020-01-01T00:00:00.000Z"
    })
    yield* (yield* Ledger).commit({ name: "test", projectId: null, writes: [Commit.insert("token", record)] })
    return Redacted.value(text)
  })

/** The id of an entry that waits in the lane of a Project. */
export const laneEntryOf = (projectId: string, changeId: string) =>
  Effect.gen(function* () {
    const { record: policy } = yield* demand("policy", projectId)
    const project = policy.projectId
    const now = policy.updatedAt
    const entry: LaneEntry = {
      id: "ent_00000000000000000000000000",
      projectId: project,
      changeId: changeId as LaneEntry["changeId"],
      changeSets: [],
      ticket: 1,
      place: 1,
      priority: "normal",
      status: "waiting",
      candidateId: null,
      trigger: "user",
      enteredBy: system("test"),
      enteredAt: now,
      predictions: 0,
      passedBy: 0,
      reason: null,
      endedAt: null,
      outcome: null,
      updatedAt: now
    }
    const lane: Lane = {
      projectId: project,
      state: "running",
      pausedBy: null,
      reason: null,
      nextTicket: 2,
      seen: 0,
      decided: [],
      updatedAt: now
    }
    const events = [{ type: "lane.entered" as const, subject: entry.id, data: {}, actor: system("test") }]
    const writes = [Commit.insert("lane", lane), Commit.insert("laneEntry", entry)]
    yield* (yield* Ledger).commit({ name: "test", projectId: project, writes, events })
    return entry.id
  })

/** The id of a release of a Project that never began. */
export const releaseOf = (candidateId: string) =>
  Effect.gen(function* () {
    const { record: candidate } = yield* demand("candidate", candidateId)
    const { changeId, projectId, updatedAt } = candidate
    const release: Release = {
      id: `rel_${projectId}_9`,
      projectId,
      generation: 9,
      changeId,
      candidateId: candidate.id,
      commit: candidate.baseCommit,
      tree: candidate.baseTree,
      status: "failed",
      reason: "a test put it there",
      replacedGeneration: null,
      bundleSource: null,
      probes: [],
      createdAt: updatedAt,
      updatedAt
    }
    yield* (yield* Ledger).commit({ name: "test", projectId, writes: [Commit.insert("release", release)] })
    return release.id
  })
