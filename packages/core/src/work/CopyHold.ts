/**
 * While a copy of a whole installation is made, nothing goes that its database names: the rows are of one moment, and
 * objects and repositories are copied after it. Who makes one holds a slot; what deletes waits for it.
 */
import { Data, Effect } from "effect"
import { type LedgerUnavailable } from "../ledger/Ledger.ts"
import { type HeldSlot, SharedSlots } from "../ledger/SharedSlots.ts"
import { Limits } from "../primitives/Limits.ts"
import { Waiting } from "./Processes.ts"

const scope = "copy"

/** Another copy is being made, or one was cut off less than `Limits.copyHoldMs` ago. */
export class CopyUnderWay extends Data.TaggedError("CopyUnderWay")<Record<never, never>> {
  override get message() {
    return `Another copy of this installation is being made, or was cut off less than ${Limits.copyHoldMs / 60_000} minutes ago: wait for it`
  }
}

/** Nobody renewed the hold in time, as when the process was frozen: what the copy names may have gone. */
export class CopyHoldLost extends Data.TaggedError("CopyHoldLost")<Record<never, never>> {
  override get message() {
    return "The copy stood still for too long, and what it names may be gone: make it again"
  }
}

const renewing = (slots: SharedSlots["Service"], slot: HeldSlot): Effect.Effect<never, CopyHoldLost> =>
  slots.renew(slot, Limits.copyHoldMs).pipe(
    // A store that is away is asked again; when it is away for too long the next answer says so.
    Effect.catchTag("LedgerUnavailable", () => Effect.succeed(true)),
    Effect.filterOrFail(
      (held) => held,
      () => new CopyHoldLost()
    ),
    Effect.delay(Limits.copyRenewMs),
    Effect.forever
  )

/** Makes a copy under the hold. It fails as soon as the hold is lost, and ends only while it is held. */
export const held = <A, E, R>(
  copy: Effect.Effect<A, E, R>
): Effect.Effect<A, E | CopyHoldLost | CopyUnderWay | LedgerUnavailable, R | SharedSlots> =>
  Effect.gen(function* () {
    const slots = yield* SharedSlots
    return yield* Effect.acquireUseRelease(
      slots.take({ scope, max: 1, leaseMs: Limits.copyHoldMs }),
      (slot) =>
        Effect.gen(function* (): Effect.fn.Return<A, E | CopyHoldLost | CopyUnderWay | LedgerUnavailable, R> {
          if (slot === null) return yield* Effect.fail(new CopyUnderWay())
          const answer = yield* Effect.raceFirst(copy, renewing(slots, slot))
          if (!(yield* slots.renew(slot, Limits.copyHoldMs))) return yield* Effect.fail(new CopyHoldLost())
          return answer
        }),
      (slot) => (slot === null ? Effect.void : Effect.ignore(slots.giveBack(slot)))
    )
  })

/** The body of a command that deletes what rows may name: it waits while a copy is made. */
export const afterCopy = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    if (yield* (yield* SharedSlots).isHeld(scope))
      return yield* Effect.fail(new Waiting("a copy of the installation is being made", Limits.copyLookMs))
    return yield* body
  })
