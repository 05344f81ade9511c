/** What a run works with, all of it fixed before its model is asked for the first time. */
import type { Overlay } from "../agent/Overlay.ts"
import type { AgentJob } from "../task/Agent.ts"
import type { SandboxJob } from "../verification/Sandbox.ts"
import type { Running } from "../verification/SandboxSlots.ts"

/** A run's place. */
export interface Workplace {
  readonly job: AgentJob
  /** The name of its fence. */
  readonly fence: string
  /** The tree that it began with. */
  readonly source: SandboxJob["files"]
  /** That tree, with nothing changed. */
  readonly untouched: Overlay
  /** Whether the Project has an app, which must build. */
  readonly hasApp: boolean
  readonly running: Running
  /** Of checks that were run on that tree, by id: whether each failed. They are run once. */
  readonly failedBefore: Map<string, boolean>
}
