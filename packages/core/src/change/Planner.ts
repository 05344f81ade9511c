/**
 * Makes a Work Graph of a Change. An installation without one leaves every Change to people: the reference has a
 * default, so that a composition need not know of planning at all.
 */
import { Context, type Effect, Layer, Schema } from "effect"
import type { RepositoryRef } from "../project/Repositories.ts"
import type { Change } from "../model/Change.ts"
import type { TurnAway, TurnFailed, TurnStopped } from "../agent/TurnFailures.ts"
import type { Turns } from "../agent/Turns.ts"

/** There is no plan for this goal, for good. The Change fails with the reason. */
export class PlannerFailed extends Schema.TaggedError<PlannerFailed>()("PlannerFailed", { reason: Schema.String }) {
  override get message() {
    return `There is no plan for this goal: ${this.reason}`
  }
}

/** The planner could not be asked: model away, time-out. Try again later. */
export class PlannerUnavailable extends Schema.TaggedError<PlannerUnavailable>()("PlannerUnavailable", {
  reason: Schema.String,
  /** It will not come back by itself: waiting for it is no use. */
  lasting: Schema.optional(Schema.Literal(true))
}) {
  override get message() {
    return `The planner could not be asked: ${this.reason}`
  }
}

/** The source that a plan starts from: a generation, readable in the canonical repository. */
export interface PlanBase {
  readonly repository: RepositoryRef
  readonly generation: number
  readonly commit: string
  readonly tree: string
}

/** What proposes the Tasks of a Change. */
export interface PlannerShape {
  /** Whether Changes of this installation are planned when their request does not say otherwise. */
  readonly available: boolean
  /**
   * Proposes 1 to 12 Tasks, each as `WorkGraph.PlannedTask` says; what it answers is checked whole before it is used.
   * It may be asked again for the same Change when its answer was lost. What it asks models by `turns` is paid by the
   * Change, call by call. What a turn fails with may go through it: the Change is planned when that is over.
   */
  readonly plan: (
    change: Change,
    base: PlanBase,
    turns: Turns
  ) => Effect.Effect<unknown, PlannerFailed | PlannerUnavailable | TurnStopped | TurnFailed | TurnAway>
}

/** Replaced by an installation that has a planner. */
export const Planner = Context.Reference("@pawl/core/change/Planner", {
  defaultValue: (): PlannerShape => ({
    available: false,
    plan: () => new PlannerUnavailable({ reason: "planning is not set up in this installation", lasting: true })
  })
})

/** A planner that answers what a program says: for tests, and for hosts that plan without a model. */
export const layerScripted = (plan: PlannerShape["plan"]): Layer.Layer<never> =>
  Layer.succeed(Planner, { available: true, plan })
