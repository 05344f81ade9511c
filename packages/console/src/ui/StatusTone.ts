/** How each status looks: its colour, its picture and its words. A status that is not here is told by its own name. */
import type { IconName } from "./Icon.tsx"

/** `run`: something works on it. `warn`: a person is owed. `idle`: over, or not begun. */
export type Tone = "good" | "bad" | "warn" | "run" | "idle"

/** One look. */
export interface Look {
  readonly tone: Tone
  readonly icon: IconName
  readonly words: string
}

const look = (tone: Tone, icon: IconName, words: string): Look => ({ tone, icon, words })

const looks: Readonly<Record<string, Look>> = {
  active: look("good", "check", "Active"),
  archived: look("idle", "stop", "Archived"),
  provisioning: look("run", "run", "Being made"),

  created: look("idle", "dot", "Open"),
  compiling: look("run", "run", "Planning"),
  running: look("run", "run", "Running"),
  budget_blocked: look("warn", "warn", "Budget spent"),
  awaiting_approval: look("warn", "clock", "Needs approval"),
  promoting: look("run", "run", "Promoting"),
  releasing: look("run", "run", "Releasing"),
  completed: look("good", "check", "Completed"),
  failed: look("bad", "cross", "Failed"),
  cancelled: look("idle", "stop", "Cancelled"),

  composing: look("run", "run", "Composing"),
  composed: look("run", "run", "Composed"),
  verifying: look("run", "run", "Verifying"),
  verified: look("good", "check", "Verified"),
  rejected: look("bad", "cross", "Rejected"),
  promoted: look("good", "check", "Promoted"),
  stale: look("idle", "clock", "Stale"),
  blocked: look("bad", "stop", "Blocked"),

  started: look("run", "run", "Started"),
  finished: look("idle", "dot", "Finished"),

  live: look("good", "check", "Live"),
  building: look("run", "run", "Building"),
  build_failed: look("bad", "cross", "Build failed"),
  smoke_failed: look("bad", "cross", "Smoke test failed"),
  removed: look("idle", "stop", "Removed"),
  none: look("idle", "dot", "Not deployed"),
  dead: look("bad", "letter", "Gave up")
}

/** The look of a status. */
export const lookOf = (status: string): Look =>
  looks[status] ?? look("idle", "dot", status.charAt(0).toUpperCase() + status.slice(1).replaceAll("_", " "))
