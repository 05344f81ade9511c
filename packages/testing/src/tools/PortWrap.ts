/** Puts something around every call of a port: a pause, a fault, a crash. Values and streams are left as they are. */
import { type Context, Effect } from "effect"

/** One call of a port: `Ledger.commit(Promotions.swap)`. */
export interface Call {
  readonly port: string
  readonly method: string
  readonly args: ReadonlyArray<unknown>
}

/** Takes the place of a call: it may run the effect once, more often or not at all. */
export type Around = <A, E, R>(call: Call, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const isNamed = (value: unknown): value is { readonly name: unknown; readonly journal?: { readonly step: string } } =>
  typeof value === "object" && value !== null && "name" in value

/** The name of a call. A commit is told by its own name and the step it ends, so that each decision is a place of its own. */
export const nameOf = (call: Call): string => {
  const first = call.args[0]
  if (call.port !== "Ledger" || !isNamed(first)) return `${call.port}.${call.method}`
  const step = first.journal === undefined ? "" : ` ${first.journal.step}`
  return `${call.port}.${call.method}(${String(first.name)}${step})`
}

/** The same port with `around` about every method that answers an Effect. */
export const wrap = <I, S extends object>(tag: Context.Key<I, S>, service: S, around: Around): S => {
  const port = tag.key.slice(tag.key.lastIndexOf("/") + 1)
  const wrapped: Record<string, unknown> = {}
  for (const [method, value] of Object.entries(service)) {
    if (typeof value === "function")
      wrapped[method] = (...args: ReadonlyArray<unknown>) => {
        const result: unknown = value.apply(service, args)
        return Effect.isEffect(result)
          ? around({ port, method, args }, result as Effect.Effect<unknown, unknown, unknown>)
          : result
      }
    else
      wrapped[method] = Effect.isEffect(value)
        ? around({ port, method, args: [] }, value as Effect.Effect<unknown, unknown, unknown>)
        : value
  }
  return wrapped as S
}
