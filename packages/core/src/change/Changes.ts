/** Changes: opening one, and what ends it. */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { sha256 } from "../primitives/Digest.ts"
import type { ChangeId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { type Change, type ChangeStatus, isBudget } from "../model/Change.ts"
import { ChangeLifecycle } from "../model/ChangeLifecycle.ts"
import { Planner } from "./Planner.ts"

/** The Change has ended; open another one. */
export class ChangeClosed extends Schema.TaggedError<ChangeClosed>()("ChangeClosed", {
  changeId: Schema.String,
  status: Schema.String
}) {
  override get message() {
    return `${this.changeId} is ${this.status}. Open another Change for further work.`
  }
}

/** Nobody plans in this installation. Open the Change without `startPlanning`, and give it a ChangeSet. */
export class PlanningMissing extends Schema.TaggedError<PlanningMissing>()("PlanningMissing", {}) {
  override get message() {
    return "No language model is set up here, so nothing can be planned. Leave out startPlanning, and give the Change a ChangeSet of your own."
  }
}

/** What is asked of a new Change. The same `clientRequestId` in the same Project answers the Change that is there. */
export interface NewChange {
  readonly projectId: string
  readonly clientRequestId: string
  readonly goal: string
  readonly budgetUsd: number
  /** False: no planning and no model calls; the Change waits for a person's ChangeSet. Default: whether there is a planner. */
  readonly startPlanning?: boolean
}

/** Looks after the Work Graph of a Change: plans it, and later asks for its Candidate. One per Change, whose id it carries. */
export const dispatchOf = (changeId: string): NewCommand => ({
  kind: "change.dispatch",
  id: commandId("change.dispatch", changeId),
  payload: { changeId }
})

/** The same request gives the same id: `chg_` and a UUID made of the SHA-256 of Project and `clientRequestId`. */
export const changeIdOf = (projectId: string, clientRequestId: string) =>
  Effect.map(sha256(`${projectId}\n${clientRequestId}`), (h): ChangeId => {
    const variant = ((Number.parseInt(h[16]!, 16) & 3) | 8).toString(16)
    return `chg_${h.slice(0, 8)}-${h.slice(8, 12)}-8${h.slice(13, 16)}-${variant}${h.slice(17, 20)}-${h.slice(20, 32)}`
  })

const checkFields = (input: NewChange): Effect.Effect<void, InvalidField> => {
  const problem = (code: string, field: string, reason: string) =>
    Effect.fail(new InvalidField({ code, field, reason }))
  if (input.clientRequestId === "" || input.clientRequestId.length > Limits.clientRequestIdLength)
    return problem("invalid_field", "clientRequestId", `use 1 to ${Limits.clientRequestIdLength} characters`)
  if (input.goal.trim() === "" || input.goal.length > Limits.goalLength)
    return problem("invalid_field", "goal", `use 1 to ${Limits.goalLength} characters`)
  if (!isBudget(input.budgetUsd))
    return problem(
      "invalid_budget",
      "budgetUsd",
      `use a number above 0 and at most ${Limits.budgetMaxUsd}, with at most 2 decimals`
    )
  return Effect.void
}

/**
 * Opens a Change, or answers the one that this `clientRequestId` opened before, with `created: false`. Fails with
 * `InvalidField`, `PlanningMissing`, `Unknown` or `ProjectArchived`.
 */
export const open = Effect.fnUntraced(function* (actor: Actor, input: NewChange) {
  const id = yield* changeIdOf(input.projectId, input.clientRequestId)
  const before = yield* find("change", id)
  if (before !== null) return { change: before.record, created: false }
  yield* checkFields(input)
  return yield* decideAndCommit(opening(actor, id, input))
}, Effect.withSpan("Changes.open"))

const opening = Effect.fnUntraced(function* (actor: Actor, id: ChangeId, input: NewChange) {
  const before = yield* find("change", id)
  if (before !== null) return { answer: { change: before.record, created: false } }
  const project = yield* demandActive(input.projectId)
  const { available } = yield* Planner
  if (input.startPlanning === true && !available) return yield* new PlanningMissing()
  const planned = input.startPlanning ?? available
  const now = yield* Time.now
  const change: Change = {
    id,
    projectId: project.record.id,
    clientRequestId: input.clientRequestId,
    goal: input.goal,
    status: "created",
    riskTier: "unknown",
    budgetUsd: input.budgetUsd,
    spentUsd: 0,
    reservedUsd: 0,
    kind: "goal",
    createdBy: actor,
    createdAt: now,
    updatedAt: now,
    statusBeforePromoting: null,
    ...(planned ? { planned } : {}),
    reason: null
  }
  return {
    answer: { change, created: true },
    commit: {
      name: "Changes.open",
      actor,
      projectId: project.record.id,
      expects: [unchangedProject(project)],
      writes: [Commit.insert("change", change)],
      commands: planned ? [dispatchOf(id)] : []
    }
  }
})

/** Whether a Change of this status is over. */
export const isClosed = (status: ChangeStatus): boolean => Lifecycle.isFinal(ChangeLifecycle, status)

/** How a release ends its Change. One that is not releasing any more stays as it is. */
export const afterRelease = (
  draft: Draft.Draft,
  change: Commit.Stored<Change>,
  outcome: { readonly ended: "released" | "releaseFailed"; readonly reason: string | null; readonly releaseId: string }
): void => {
  const { ended, reason, releaseId } = outcome
  if (!Draft.may(draft, "change", change, ended)) return
  const told = { releaseId, ...(reason === null ? {} : { reason }) }
  if (ended === "released") Draft.step(draft, "change", change, ended, { reason }, { "change.completed": told })
  else Draft.step(draft, "change", change, ended, { reason }, { "change.failed": told })
}
