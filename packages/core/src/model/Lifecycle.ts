/**
 * One mechanism for every life. A lifecycle is data: its states, and rows *from × trigger → to*.
 * What is absent is refused. The step of a use case (`Draft.step`), the guard of every store, the SQL constraint and the
 * reference pages are all made from this one table.
 */
import { Data, Result } from "effect"
import type { EventType } from "./Event.ts"

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

/** One possible step of a life. */
export interface Row<S extends string, T extends string> {
  readonly from: S
  readonly trigger: T
  readonly to: S
  /** The events that tell of this step. No store takes the step without them. */
  readonly emits: ReadonlyArray<EventType>
  /** Events that tell of this step under a condition of their own. */
  readonly mayEmit: ReadonlyArray<EventType>
  /** The condition under which the trigger is drawn, in words. */
  readonly when?: string
  /** What else happens that is no event of this step, in words. */
  readonly also?: string
}

/** A life as data: `S` are its states, `T` the triggers that move it. */
export interface Lifecycle<S extends string, T extends string> {
  readonly name: string
  readonly states: ReadonlyArray<S>
  /** States in which a new row may be inserted. */
  readonly initial: ReadonlyArray<S>
  /** Events that may tell of a new row. */
  readonly birth: ReadonlyArray<EventType>
  readonly final: ReadonlyArray<S>
  readonly rows: ReadonlyArray<Row<S, T>>
}

interface Notes {
  readonly emits?: ReadonlyArray<EventType>
  readonly mayEmit?: ReadonlyArray<EventType>
  readonly when?: string
  readonly also?: string
}

/** A row as a table says it: it may name several source states. All rows of one trigger emit the same events. */
type Line<S extends string> = readonly [from: S | ReadonlyArray<S>, trigger: string, to: S, notes?: Notes]

/** A lifecycle that still knows, as a type, which events each trigger emits. */
export interface Life<S extends string, L extends ReadonlyArray<Line<S>>> extends Lifecycle<S, L[number][1]> {
  readonly lines: L
}

type AnyLife = Life<string, ReadonlyArray<Line<string>>>
/** The statuses of a life. */
export type StatusIn<L extends AnyLife> = L["states"][number]
/** The triggers of a life. */
export type TriggerIn<L extends AnyLife> = L["lines"][number][1]
type NotesIn<L, T> = L extends readonly [unknown, T, unknown, infer N] ? N : never
/** The events that a trigger always emits. */
export type EmittedBy<L extends AnyLife, T> =
  NotesIn<L["lines"][number], T> extends infer N
    ? N extends { readonly emits: ReadonlyArray<infer E extends EventType> }
      ? E
      : never
    : never
/** The events that a trigger may emit. */
export type MaybeEmittedBy<L extends AnyLife, T> =
  NotesIn<L["lines"][number], T> extends infer N
    ? N extends { readonly mayEmit: ReadonlyArray<infer E extends EventType> }
      ? E
      : never
    : never

/**
 * Makes a lifecycle. A row may name several source states. Final states are those that the
 * specification calls final; one of them may still have a row of its own (a stale Candidate is blocked).
 */
export const make = <const S extends string, const L extends ReadonlyArray<Line<NoInfer<S>>>>(
  name: string,
  options: {
    readonly states: ReadonlyArray<S>
    readonly initial: ReadonlyArray<NoInfer<S>>
    readonly birth?: ReadonlyArray<EventType>
    readonly final: ReadonlyArray<NoInfer<S>>
    readonly rows: L
  }
): Life<S, L> => ({
  name,
  states: options.states,
  initial: options.initial,
  birth: options.birth ?? [],
  final: options.final,
  lines: options.rows,
  rows: options.rows.flatMap(([from, trigger, to, notes]) =>
    (typeof from === "string" ? [from] : from).map((state) => ({
      from: state,
      trigger,
      to,
      emits: [],
      mayEmit: [],
      ...notes
    }))
  )
})

/** The row of a trigger in a state; undefined when there is none. `to` says which, where one trigger has several targets. */
export const rowOf = <S extends string, T extends string>(
  lifecycle: Lifecycle<S, T>,
  from: S,
  trigger: NoInfer<T>,
  to?: NoInfer<S>
): Row<S, T> | undefined =>
  lifecycle.rows.find((each) => each.from === from && each.trigger === trigger && (to === undefined || each.to === to))

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
  const row = rowOf(lifecycle, from, trigger, to)
  return row === undefined
    ? Result.fail(new TransitionRefused({ lifecycle: lifecycle.name, from, trigger }))
    : Result.succeed(row.to)
}

/** Whether a trigger has a row in this state. */
export const allows = <S extends string, T extends string>(lifecycle: Lifecycle<S, T>, from: S, trigger: T): boolean =>
  Result.isSuccess(next(lifecycle, from, trigger))

/** Whether a life is over in this state. False for a state that the life does not have. */
export const isFinal = <S extends string>(lifecycle: Lifecycle<S, string>, state: S): boolean =>
  lifecycle.final.includes(state)

/** Every allowed pair of states, for the SQL constraint. A state may always stay what it is. */
export const steps = (lifecycle: Lifecycle<string, string>): ReadonlyArray<readonly [from: string, to: string]> => [
  ...new Map(lifecycle.rows.map((row) => [`${row.from}>${row.to}`, [row.from, row.to] as const])).values()
]
