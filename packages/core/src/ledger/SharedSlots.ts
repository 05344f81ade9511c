/** Numbered slots that all processes of one store share, each held for a while: a process that died gives its own back. */
import { Context, type Effect } from "effect"
import type { LedgerUnavailable } from "./Ledger.ts"

/** A slot that is held, told from a later holding of the same place. */
export interface HeldSlot {
  /** What it is a slot of, such as `sandbox/<Change>`. */
  readonly scope: string
  /** Its number among the slots of the scope. */
  readonly place: number
  /** Unique to this taking. */
  readonly holder: string
}

/** Held in the store, so that no process has more than its part of what all of them share. */
export class SharedSlots extends Context.Service<
  SharedSlots,
  {
    /**
     * Takes one of the `max` slots of a scope for `leaseMs`, and answers null when all are held. Never more than `max`
     * are held at once, whoever takes, as long as all say the same `max`.
     */
    readonly take: (asked: {
      readonly scope: string
      readonly max: number
      readonly leaseMs: number
    }) => Effect.Effect<HeldSlot | null, LedgerUnavailable>
    /** Holds it for `leaseMs` from now on. Answers false when it ran out and is gone. */
    readonly renew: (slot: HeldSlot, leaseMs: number) => Effect.Effect<boolean, LedgerUnavailable>
    /** Whether somebody holds a slot of the scope. */
    readonly isHeld: (scope: string) => Effect.Effect<boolean, LedgerUnavailable>
    /** Gives it back. What is gone already is nothing to give back. */
    readonly giveBack: (slot: HeldSlot) => Effect.Effect<void, LedgerUnavailable>
    /** Gives all back, of every scope: whoever held one is known to be dead. */
    readonly giveAllBack: Effect.Effect<void, LedgerUnavailable>
  }
>()("@pawl/core/ledger/SharedSlots") {}
