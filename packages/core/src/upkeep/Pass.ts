/**
 * Long upkeep in small messages: each does a bounded piece of work, journals where the next one starts, and goes back
 * into the queue behind others. A worker that dies leaves the rest to the next one, from the last piece on.
 */
import { Effect } from "effect"
import { commitStep, Process, Waiting } from "../work/Processes.ts"

/** Does the piece of work that starts at `from`. It answers where the next one starts, as JSON; `null` at the end. */
export const pass = Effect.fnUntraced(function* <C, E, R>(first: C, work: (from: C) => Effect.Effect<C | null, E, R>) {
  const { command, steps } = yield* Process
  const done = steps.size
  const from = done === 0 ? first : (steps.get(`pass:${done}`) as C | null)
  if (from === null) return
  const next = yield* work(from)
  const name = `pass:${done + 1}`
  yield* commitStep(name, { name: `${command.kind}.pass`, projectId: command.projectId }, next)
  if (next !== null) yield* Effect.fail(new Waiting("more remains", 0))
})
