/**
 * One mechanism for every life. A lifecycle is data: its states, and rows *from × trigger → to*.
 * What is absent is refused. The guard of a use case, the SQL constraint and the reference page
 * are all made from this one table.
 */
import { Data, Result } from "effect"

/** The row is not in the table: this trigger means nothing in this state. */
export class TransitionRefused extends Data.TaggedError("TransitionRefused")<{
  readonly lifecycle: string
  readonly from: string
  readonly trigger: string
}> {
  override get message() {
    return `${this.lifecycle}: ${this.trigger} is not possible in state ${this.from}`
  }
}

export interface Row<S extends string, T extends string> {
  readonly from: S
  readonly trigger: T
  readonly to: S
  /** The condition under which the trigger is drawn, in words. */
  readonly when?: string
  /** What else happens, in words: events, other rows. */
  readonly also?: string
}

export interface Lifecycle<S extends string, T extends string> {
  readonly name: string
  readonly states: ReadonlyArray<S>
  /** States in which a new row may be inserted. */
  readonly initial: ReadonlyArray<S>
  readonly final: ReadonlyArray<S>
  readonly rows: ReadonlyArray<Row<S, T>>
}

type RowTuple<S extends string, T extends string> = readonly [
  from: S | ReadonlyArray<S>,
  trigger: T,
  to: S,
  notes?: { readonly when?: string; readonly also?: string }
]

/**
 * Makes a lifecycle. A row may name several source states. Final states are those that the
 * specification calls final; one of them may still have a row of its own (a stale Candidate is blocked).
 */
export const make = <const S extends string, const T extends string>(
  name: string,
  options: {
    readonly states: ReadonlyArray<S>
    readonly initial: ReadonlyArray<NoInfer<S>>
    readonly final: ReadonlyArray<NoInfer<S>>
    readonly rows: ReadonlyArray<RowTuple<NoInfer<S>, T>>
  }
): Lifecycle<S, T> => ({
  name,
  states: options.states,
  initial: options.initial,
  final: options.final,
  rows: options.rows.flatMap(([from, trigger, to, notes]) =>
    (typeof from === "string" ? [from] : from).map((state) => ({ from: state as S, trigger, to: to as S, ...notes }))
  )
})

/**
 * The state that a trigger leads to, or `TransitionRefused`. Where one trigger has several targets
 * (a refused swap returns a Change to the status it had), `to` says which is meant.
 */
export const next = <S extends string, T extends string>(
  lifecycle: Lifecycle<S, T>,
  from: S,
  trigger: NoInfer<T>,
  to?: NoInfer<S>
): Result.Result<S, TransitionRefused> => {
  const row = lifecycle.rows.find(
    (each) => each.from === from && each.trigger === trigger && (to === undefined || each.to === to)
  )
  return row === undefined
    ? Result.fail(new TransitionRefused({ lifecycle: lifecycle.name, from, trigger }))
    : Result.succeed(row.to)
}

/** Whether a trigger has a row in this state. */
export const allows = <S extends string, T extends string>(lifecycle: Lifecycle<S, T>, from: S, trigger: T): boolean =>
  Result.isSuccess(next(lifecycle, from, trigger))

export const isFinal = <S extends string>(lifecycle: Lifecycle<S, string>, state: S): boolean =>
  lifecycle.final.includes(state)

/** Every allowed pair of states, for the SQL constraint. A state may always stay what it is. */
export const steps = (lifecycle: Lifecycle<string, string>): ReadonlyArray<readonly [from: string, to: string]> => [
  ...new Map(lifecycle.rows.map((row) => [`${row.from}>${row.to}`, [row.from, row.to] as const])).values()
]
