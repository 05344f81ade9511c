/**
 * Runs Effect programs under a chosen interleaving: ready tasks wait in a list, and the next one is drawn by seed.
 * With a `TestClock` and a seeded `Random` the same number gives the same run.
 */
import { Effect, type Exit, Scheduler } from "effect"

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

export class SeededScheduler implements Scheduler.Scheduler {
  private readonly ready: Array<() => void> = []
  private readonly draw: (below: number) => number
  /** The choices made so far, of how many: two runs with the same trail were the same interleaving. */
  readonly trail: Array<string> = []

  constructor(seed: number) {
    this.draw = seededDraw(seed)
  }

  shouldYield(): false {
    return false
  }

  scheduleTask(task: () => void): void {
    this.ready.push(task)
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
