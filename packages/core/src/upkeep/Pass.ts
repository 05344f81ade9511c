/**
 * Long upkeep in small messages: each does a bounded piece of work, journals where the next one starts, and goes back
 * into the queue behind others. A worker that dies leaves the rest to the next one, from the last piece on.
 */
import { Effect, Schema } from "effect"
import { commitStep, journalled, Process, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"

/** The pieces of work of a kind of upkeep, from 1 on. Each leaves where the next one starts; null at the end. */
export const passes = <C, I>(cursor: Schema.Codec<C, I>) => JournalStep.each("pass", Schema.NullOr(cursor))

/** Does the next piece of work, which starts at `from`. It answers where the one after it starts; null at the end. */
export const pass = Effect.fnUntraced(function* <C extends object, E, R>(
  steps: JournalStep.JournalSteps<C | null>,
  first: C,
  work: (from: C) => Effect.Effect<C | null, E, R>
) {
  const { command, steps: finished } = yield* Process
  // The process has no other steps.
  const done = finished.size
  const last = yield* journalled(steps(done))
  const from = last === undefined ? first : last
  if (from === null) return
  const next = yield* work(from)
  yield* commitStep(steps(done + 1), { name: `${command.kind}.pass`, projectId: command.projectId }, next)
  if (next !== null) yield* Effect.fail(new Waiting("more remains", 0))
})
