/**
 * Runs Effect programs under a chosen interleaving: ready tasks wait in a list, and the next one is drawn by seed. The
 * same number gives the same run, also under a `TestClock` and with a seeded `Random`.
 */
import { Effect, type Exit, type Fiber, type Scheduler } from "effect"

/** mulberry32: small, fast, and the same on every engine. */
export const seededDraw = (seed: number): ((below: number) => number) => {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

/** Of so many steps in the middle of a turn, one ends it. Some bugs show among many short turns, some among few long ones. */
const stepsPerPause = [2, 4, 8, 16, 32] as const

/**
 * All fibers share one list of ready tasks, whichever dispatcher they come by. Priorities do not order it: what depends
 * on them to be right is found.
 *
 * The list alone would not decide every order. A fiber that a `Deferred`, a queue or `startImmediately` wakes runs at
 * once, inside the turn of who woke it, and a turn otherwise lasts until its fiber waits. So it is also drawn whether a
 * fiber that was just woken goes on at once, and whether a turn ends between two of its steps.
 */
export class SeededScheduler implements Scheduler.Scheduler {
  readonly executionMode = "sync"
  private readonly ready: Array<() => void> = []
  private readonly draw: (below: number) => number
  private readonly dispatcher: Scheduler.SchedulerDispatcher = {
    scheduleTask: (task) => void this.ready.push(task),
    flush: () => this.drain()
  }
  private readonly pace: number
  private readonly paused = new Set<Fiber.Fiber<unknown, unknown>>()
  private steps = 0
  /** The choices made so far: two runs with the same trail were the same interleaving. */
  readonly trail: Array<string> = []

  constructor(seed: number) {
    this.draw = seededDraw(seed)
    this.pace = stepsPerPause[this.draw(stepsPerPause.length)]!
  }

  shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    this.steps++
    const begins = fiber.currentOpCount === 1
    // Who comes back from a pause does a step before the next one: pauses after pauses may never end.
    if (begins && this.paused.delete(fiber)) return false
    if (this.draw(begins ? 2 : this.pace) !== 0) return false
    this.paused.add(fiber)
    this.trail.push(`pause@${this.steps}`)
    return true
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return this.dispatcher
  }

  /** Runs tasks until none is ready. */
  drain(): void {
    while (this.ready.length > 0) {
      const index = this.draw(this.ready.length)
      if (this.ready.length > 1) this.trail.push(`${index}/${this.ready.length}`)
      this.ready.splice(index, 1)[0]!()
    }
  }
}

/** Something the programs wait for is not under the scheduler: a timer or a promise. */
export class NotFinished extends Error {}

/** Runs programs side by side under the interleaving of a seed, and answers their exits in order. */
export const interleave = <A, E>(
  seed: number,
  programs: ReadonlyArray<Effect.Effect<A, E>>
): { readonly exits: ReadonlyArray<Exit.Exit<A, E>>; readonly trail: string } => {
  const scheduler = new SeededScheduler(seed)
  const fibers = programs.map((program) => Effect.runFork(Effect.andThen(Effect.yieldNow, program), { scheduler }))
  const exits = new Map<number, Exit.Exit<A, E>>()
  fibers.forEach((fiber, index) => fiber.addObserver((exit) => exits.set(index, exit)))
  scheduler.drain()
  return {
    exits: fibers.map((_fiber, index) => {
      const exit = exits.get(index)
      if (exit === undefined)
        throw new NotFinished(`program ${index} of seed ${seed} waits for something outside the scheduler`)
      return exit
    }),
    trail: scheduler.trail.join(" ")
  }
}
