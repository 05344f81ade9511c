/** What the machine of this process offers and lacks. The composition says; without one that does, there is nothing to say. */
import { Context, Effect } from "effect"

/** One part of the machine, as it was found. */
export interface Finding {
  readonly part: string
  readonly state: "ok" | "weak" | "missing"
  readonly found: string
  /** What mends it; null when there is nothing to mend. */
  readonly remedy: string | null
}

/** An effect that looks anew for each question, and never fails. */
export const MachineFindings = Context.Reference("@pawl/server/http/MachineFindings", {
  defaultValue: (): Effect.Effect<ReadonlyArray<Finding>> => Effect.succeed([])
})
