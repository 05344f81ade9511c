/** The turns of a run as people read them: what the model was told, what it answered and called, and what each cost. */
import { Effect } from "effect"
import { Records } from "../ledger/Records.ts"
import type { ModelCall } from "../model/ModelCall.ts"
import type { TaskRun } from "../model/Task.ts"
import { Limits } from "../primitives/Limits.ts"
import * as TurnRecord from "./TurnRecord.ts"
import { sumOf } from "./Reservation.ts"

/** One turn of a run. Money is in US dollars. */
export interface ReadTurn {
  /** From 1 on. A run that goes on from another one begins after that one's turns. */
  readonly turn: number
  /** What its calls cost together, lost ones too. */
  readonly costUsd: number
  /** The calls of the model, oldest first: the last may be on its way, those before it brought no answer. */
  readonly modelCalls: ReadonlyArray<ModelCall>
  /** What was said; null before it is answered, and when that is not kept any more. */
  readonly said: TurnRecord.TurnRecord | null
}

/** `mc_<run>_<turn>_<try>` */
const placeOf = ({ id }: ModelCall): { readonly turn: number; readonly nth: number } => {
  const [nth, turn] = id.split("_").toReversed().map(Number)
  return { turn: turn ?? 0, nth: nth ?? 0 }
}

/** What was said in a turn, and the bytes of it; null for one that is not answered. */
const saidIn = Effect.fnUntraced(function* (run: Pick<TaskRun, "id" | "projectId">, calls: ReadonlyArray<ModelCall>) {
  const settled = calls.find(({ status }) => status === "settled")
  if (settled === undefined) return null
  const { nth, turn } = placeOf(settled)
  return yield* TurnRecord.read(TurnRecord.turnKey(run.projectId, run.id, turn, nth), settled.answerDigest).pipe(
    // A Project that was cleaned away, or a version that kept it otherwise: the calls are told all the same.
    Effect.catchTag("TurnFailed", () => Effect.succeed(null))
  )
})

/**
 * A page of the turns of a run, in their order. The cursor is the number of the turn before. A page ends early when its
 * turns hold more than `Limits.turnsPageBytes`; it always has one, while there is one.
 */
export const turnsOf = Effect.fnUntraced(function* (
  run: Pick<TaskRun, "id" | "projectId">,
  page: { readonly limit?: number; readonly cursor?: string }
) {
  const { items } = yield* (yield* Records).list("modelCall", {
    projectId: run.projectId,
    where: { runId: run.id },
    limit: "all"
  })
  const byTurn = Map.groupBy(
    items.map(({ record }) => record),
    (call) => placeOf(call).turn
  )
  const rest = [...byTurn].filter(([turn]) => turn > Number(page.cursor ?? 0)).toSorted(([one], [other]) => one - other)
  const turns: Array<ReadTurn> = []
  let chars = 0
  for (const [turn, modelCalls] of rest.slice(0, page.limit ?? Limits.pageSize)) {
    const said = yield* saidIn(run, modelCalls)
    chars += said === null ? 0 : JSON.stringify(said).length
    if (turns.length > 0 && chars > Limits.turnsPageBytes) break
    turns.push({ turn, said, modelCalls, costUsd: modelCalls.reduce((sum, call) => sumOf(sum, call.costUsd), 0) })
  }
  return { items: turns, nextCursor: turns.length < rest.length ? String(turns.at(-1)?.turn) : null }
}, Effect.withSpan("TurnHistory.turnsOf"))
