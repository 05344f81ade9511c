/** With what a process ends. */
import { Cause, Exit, type Runtime } from "effect"

/** Asked to stop it ends with 0: a supervisor takes anything else for a crash. Else with what `process.exitCode` says. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
