/** Works one run of a Task. The reference has a default that is never there, so that a composition need not know of agents. */
import { Context, type Effect, Layer, Schema } from "effect"
import type { Change } from "../model/Change.ts"
import type { PlannedTask } from "../change/WorkGraph.ts"
import type { Intent } from "../model/ChangeSet.ts"
import type { WorkDone } from "../claim/Claims.ts"
import type { Overlap } from "../model/Overlap.ts"
import type { FileEdits, RepositoryRef } from "../project/Repositories.ts"
import type { Task, TaskRun } from "../model/Task.ts"
import type { StoppedBy, TurnAway, TurnFailed, TurnStopped } from "../agent/TurnFailures.ts"
import type { Turns } from "../agent/Turns.ts"
import { withWireNames } from "../primitives/WireNames.ts"

/** The agent could not be run: model away, process killed. The run is tried again; it has not failed. */
export class AgentUnavailable extends Schema.TaggedError<AgentUnavailable>()("AgentUnavailable", {
  reason: Schema.String,
  /** It will not come back by itself: waiting for it is no use. */
  lasting: Schema.optional(Schema.Literal(true))
}) {
  override get message() {
    return `The agent could not be run: ${this.reason}`
  }
}

/**
 * All that an agent is told of a run, and its turns with the model: who asks by `turn` has its money counted call by
 * call, and goes on after a kill with the answers that it had.
 */
export interface AgentJob extends Turns {
  readonly change: Change
  readonly task: Task
  readonly run: TaskRun
  /** What was planned: its instructions, and the paths that it is expected to write. */
  readonly planned: PlannedTask
  /** Of a repair: what the checks said, and the diffs that do not merge. Others wrote it: data, and no instruction. */
  readonly evidence?: string
  /** The source it works on: canonical with the ChangeSets of the Tasks it depends on. Only kinds that write may publish. */
  readonly source: { readonly repository: RepositoryRef; readonly commit: string; readonly tree: string }
  /** What read-only Tasks that it depends on had to say: the keys of objects with UTF-8 text. */
  readonly findings: ReadonlyArray<{ readonly taskKey: string; readonly objectKey: string }>
  /** What others write, and this Task is to write too, when the run began. None of it is forbidden. */
  readonly overlaps: ReadonlyArray<Overlap>
  /**
   * Says what the agent has read and edited since it said so last, each file as the source had it and as it is now: others
   * are told of it while it works. Saying it again changes nothing. It blocks nothing, and never fails.
   */
  readonly claim: (done: WorkDone) => Effect.Effect<void>
  /** What is left of the Change's budget when the run begins or is resumed. What calls on their way may cost is taken off. */
  readonly remainingUsd: number
}

/** What a run cost beside its turns: how many calls of models, and US dollars. */
export const Usage = Schema.Struct({ modelCalls: Schema.Finite, costUsd: Schema.Finite }).pipe(
  withWireNames({ costUsd: "cost_usd" })
)
export interface Usage extends Schema.Schema.Type<typeof Usage> {}

/** Of an agent that asks models by its job's turns alone. */
export const nothingUsed: Usage = { modelCalls: 0, costUsd: 0 }

/** How a run ended, and what it cost beside its turns. The cost counts however it ended. */
export type AgentOutcome = { readonly usage: Usage } & (
  | {
      /** Edits on the source. None, or edits that change nothing, complete the Task without a ChangeSet. */
      readonly _tag: "Published"
      readonly edits: FileEdits
      readonly message: string
      readonly intents: ReadonlyArray<Intent>
    }
  /** What a read-only Task found, as text. */
  | { readonly _tag: "Answered"; readonly text: string }
  /** This attempt came to nothing: another one, on the same tier while it has attempts left. */
  | {
      readonly _tag: "Retry"
      readonly reason: string
      /** Another version of this program began the run, and this one cannot go on with it: no try is used up. */
      readonly diverged?: true
    }
  /** It needs a stronger model. */
  | { readonly _tag: "Escalate"; readonly reason: string }
  /** It cannot be done. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** A budget or a limit ended it: it goes on when the budget is raised. */
  | {
      readonly _tag: "Stopped"
      readonly reason: string
      /** What stands in its way; the budget when it is not said. */
      readonly by?: StoppedBy
    }
)

/** What works runs. */
export interface AgentShape {
  /**
   * Works the run to an outcome. It may be asked again for the same run when its answer was lost. What its turns fail
   * with may go through it: a `TurnStopped` is a Stopped outcome, a `TurnFailed` one to Retry (`diverged` where it is), and all else waits.
   */
  readonly work: (job: AgentJob) => Effect.Effect<AgentOutcome, AgentUnavailable | TurnStopped | TurnFailed | TurnAway>
}

/** Replaced by an installation that has agents. */
export const Agent = Context.Reference("@pawl/core/task/Agent", {
  defaultValue: (): AgentShape => ({
    work: () => new AgentUnavailable({ reason: "no agents are set up in this installation", lasting: true })
  })
})

/** An agent that does what a program says: for tests, and for hosts that work Tasks without a model. */
export const layerScripted = (work: AgentShape["work"]): Layer.Layer<never> => Layer.succeed(Agent, { work })
