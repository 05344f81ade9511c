/**
 * Slots that callers share, each under a key (a Project, a user). A slot that comes free goes to the waiting key that
 * holds the fewest, then to the one that waits longest for its turn, and within a key to whoever came first. A share binds
 * only while another key waits: a key that is alone may hold them all.
 */
import { Effect, type Scope } from "effect"
import type { Restore } from "./Restore.ts"

/** A fixed number of slots of one process. */
export interface FairSlots {
  /** Takes a slot and gives it back when the scope ends. Waits for its turn; interrupted meanwhile, it leaves the queue. */
  readonly take: (key: string) => Effect.Effect<void, never, Scope.Scope>
  /** Takes a slot that is free and for which nobody waits, and answers true; false otherwise, at once. */
  readonly tryTake: (key: string) => Effect.Effect<boolean, never, Scope.Scope>
  /** Runs work in a slot. */
  readonly withSlot: (key: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** How many slots are held, by a key or in all. */
  readonly held: (key?: string) => number
  /** How many callers wait for a slot, of a key or in all. */
  readonly waiting: (key?: string) => number
}

interface Waiter {
  granted: boolean
  wake: () => void
}

interface Line {
  held: number
  readonly waiters: Set<Waiter>
  /** Since when it waits: it came then, or was served and has others that wait. */
  turn: number
}

class Lines {
  readonly lines = new Map<string, Line>()
  #free: number
  #turn = 0

  constructor(slots: number) {
    this.#free = slots
  }

  get free(): number {
    return this.#free
  }

  line(key: string): Line {
    const line = this.lines.get(key) ?? { held: 0, waiters: new Set(), turn: 0 }
    this.lines.set(key, line)
    return line
  }

  wait(line: Line, waiter: Waiter): void {
    if (line.waiters.size === 0) line.turn = ++this.#turn
    line.waiters.add(waiter)
    this.serve()
  }

  grant(line: Line): void {
    this.#free--
    line.held++
    line.turn = ++this.#turn
  }

  /** Who left, or gave a slot back: the line goes when nobody of it is here. */
  leave(key: string, line: Line): void {
    if (line.held === 0 && line.waiters.size === 0) this.lines.delete(key)
  }

  giveBack(key: string, line: Line): void {
    line.held--
    this.#free++
    this.leave(key, line)
    this.serve()
  }

  serve(): void {
    while (this.#free > 0) {
      let next: Line | null = null
      for (const line of this.lines.values())
        if (line.waiters.size > 0 && (next === null || isBefore(line, next))) next = line
      if (next === null) return
      const [first] = next.waiters
      if (first === undefined) return
      next.waiters.delete(first)
      this.grant(next)
      first.granted = true
      first.wake()
    }
  }
}

const isBefore = (one: Line, other: Line): boolean =>
  one.held === other.held ? one.turn < other.turn : one.held < other.held

/**
 * Ends once a slot is granted. To be run where nothing interrupts; the wait itself can be interrupted, and a slot that was
 * granted at that moment goes back. Who gets a slot goes on from its scheduler: were it resumed where the slot was given
 * back, a crowd that waits would run one inside the other.
 */
const turn = (lines: Lines, key: string, restore: Restore): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const line = lines.line(key)
    const waiter: Waiter = { granted: false, wake: () => {} }
    lines.wait(line, waiter)
    if (waiter.granted) return Effect.void
    const wait = Effect.callback<void>((resume) => {
      waiter.wake = () => fiber.currentDispatcher.scheduleTask(() => resume(Effect.void), 0)
      if (waiter.granted) waiter.wake()
    })
    return Effect.onInterrupt(restore(wait), () =>
      Effect.sync(() => {
        if (waiter.granted) return lines.giveBack(key, line)
        line.waiters.delete(waiter)
        lines.leave(key, line)
      })
    )
  })

const count = (lines: Lines, key: string | undefined, of: (line: Line) => number): number => {
  if (key === undefined) return Array.from(lines.lines.values(), of).reduce((sum, each) => sum + each, 0)
  const line = lines.lines.get(key)
  return line === undefined ? 0 : of(line)
}

/** Slots that nobody holds: `slots` in all, at least 1. */
export const make = (slots: number): FairSlots => {
  const lines = new Lines(Math.max(1, slots))
  const release = (key: string) =>
    Effect.sync(() => {
      const line = lines.lines.get(key)
      if (line !== undefined) lines.giveBack(key, line)
    })
  const take = (key: string) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.andThen(
        turn(lines, key, restore),
        Effect.addFinalizer(() => release(key))
      )
    )
  return {
    take,
    tryTake: (key) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          // Nobody waits while a slot is free.
          if (lines.free === 0) return Effect.succeed(false)
          lines.grant(lines.line(key))
          return Effect.as(
            Effect.addFinalizer(() => release(key)),
            true
          )
        })
      ),
    withSlot: (key) => (work) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.andThen(turn(lines, key, restore), Effect.ensuring(restore(work), release(key)))
      ),
    held: (key) => count(lines, key, (line) => line.held),
    waiting: (key) => count(lines, key, (line) => line.waiters.size)
  }
}
