/**
 * Who may run a sandbox now: a process has so many slots, which its Projects share in turn, and a Change has so many in
 * all processes together (specification, "Active sandboxes per Change").
 */
import { Context, Effect, Option } from "effect"
import { Waiting } from "../work/Processes.ts"
import { type HeldSlot, SharedSlots } from "../ledger/SharedSlots.ts"
import * as FairSlots from "../primitives/FairSlots.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"

/** The slots of this process, by Project. A host program provides its own number. */
export const SandboxSlots = Context.Reference("@pawl/core/verification/SandboxSlots", {
  defaultValue: () => FairSlots.make(Limits.sandboxesAtOnce)
})

/** One command's checks: how many of them are in a sandbox now. */
export interface Running {
  count: number
}

/** Whose work it is. */
interface Of {
  readonly projectId: string
  readonly changeId: string
}

const waiting = new Waiting("its checks wait for a sandbox", Limits.sandboxLookMs)

/** Ends when nothing of this command has run for `Limits.sandboxWaitMs`: then it makes room for other commands. */
const patience = (running: Running): Effect.Effect<never, Waiting> =>
  Effect.sleep(Limits.sandboxWaitMs).pipe(
    Effect.repeat({ until: () => running.count === 0 }),
    Effect.andThen(Effect.fail(waiting))
  )

const scopeOf = (changeId: string): string => `sandbox/${changeId}`

/** A place among those of the Change, held as long as the scope; null when all are taken. */
const placeOf = Effect.fnUntraced(function* (changeId: string) {
  const slots = yield* SharedSlots
  const asked = { scope: scopeOf(changeId), max: Limits.activeSandboxesPerChange, leaseMs: Limits.sandboxLeaseMs }
  return yield* Effect.acquireRelease(slots.take(asked), (slot) =>
    // When the store is away now, the place comes back by itself.
    slot === null ? Effect.void : Effect.ignore({ log: "Debug" })(slots.giveBack(slot))
  )
})

/** Keeps a place while work goes on. An outage of the store ends no work; a place that was lost does. */
const keeping = (place: HeldSlot) =>
  Effect.flatMap(SharedSlots, (slots) => slots.renew(place, Limits.sandboxLeaseMs)).pipe(
    Effect.catch((problem) => Effect.as(Effect.logWarning("a sandbox's place was not renewed", problem), true)),
    Effect.flatMap((held) => (held ? Effect.void : Effect.fail(waiting))),
    Effect.delay(Limits.sandboxLeaseMs / 3),
    Effect.forever
  )

/** Waits for a slot of the process and works when the Change has a place left; else answers nothing, holding nothing. */
const attempt = <A, E, R>(of: Of, running: Running, work: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.raceFirst((yield* SandboxSlots).take(of.projectId), patience(running))
      const place = yield* placeOf(of.changeId)
      if (place === null) return Option.none<A>()
      const counted = Effect.acquireUseRelease(
        Effect.sync(() => running.count++),
        () => work,
        () => Effect.sync(() => running.count--)
      )
      return Option.some(yield* Effect.raceFirst(counted, keeping(place)))
    })
  )

/** Runs work in a sandbox's slot. Fails with `Waiting` when that takes long and nothing else of its command runs. */
export const inSandbox = Effect.fnUntraced(function* <A, E, R>(of: Of, running: Running, work: Effect.Effect<A, E, R>) {
  const began = yield* Time.steadyMillis
  for (;;) {
    const done = yield* attempt(of, running, work)
    if (Option.isSome(done)) return done.value
    if (running.count === 0 && (yield* Time.steadyMillis) - began >= Limits.sandboxWaitMs)
      return yield* Effect.fail(waiting)
    yield* Effect.sleep(Limits.sandboxLookMs)
  }
})
