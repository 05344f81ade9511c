/**
 * Time that goes by only while nobody has anything to do: then it is at once as late as the next one who sleeps wants it.
 * What takes an hour is over in a moment, and the same seed gives the same run.
 */
import { webcrypto } from "node:crypto"
import { type Clock, Duration, Effect, Exit, References, Scheduler } from "effect"
import * as ClockOf from "effect/Clock"
import * as Random from "effect/Random"
import { vi } from "vitest"

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/** Those who sleep, the first to wake at the end. Of two of one moment who lay down first wakes first. */
class Sleepers {
  private readonly sorted: Array<Sleeper> = []

  add(sleeper: Sleeper): void {
    let [low, high] = [0, this.sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.sorted[middle]!.at > sleeper.at) low = middle + 1
      else high = middle
    }
    this.sorted.splice(low, 0, sleeper)
  }

  remove(sleeper: Sleeper): void {
    const index = this.sorted.indexOf(sleeper)
    if (index !== -1) this.sorted.splice(index, 1)
  }

  next(): Sleeper | undefined {
    return this.sorted.pop()
  }
}

/** A clock that stands still until it is told to go on. */
export class VirtualClock {
  private readonly sleepers = new Sleepers()
  private now: number

  /** `now` in ms since 1970. */
  constructor(now = 0) {
    this.now = now
  }

  /** What programs see of it. */
  readonly clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => this.now,
    currentTimeMillis: Effect.sync(() => this.now),
    currentTimeNanosUnsafe: () => this.nanos(),
    currentTimeNanos: Effect.sync(() => this.nanos()),
    monotonicTimeNanosUnsafe: () => this.nanos(),
    monotonicTimeNanos: Effect.sync(() => this.nanos()),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const at = this.now + Math.ceil(Math.max(0, Duration.toMillis(duration)))
        const sleeper = { at, wake: () => resume(Effect.void) }
        this.sleepers.add(sleeper)
        return Effect.sync(() => this.sleepers.remove(sleeper))
      })
  }

  private nanos(): bigint {
    return BigInt(this.now) * 1_000_000n
  }

  /** As late as the next sleeper wants it. Answers whether anybody sleeps. */
  goOn(): boolean {
    const sleeper = this.sleepers.next()
    if (sleeper === undefined) return false
    this.now = Math.max(this.now, sleeper.at)
    sleeper.wake()
    return true
  }
}

/** A scheduler that does what is to be done only when it is told to. */
class Drained {
  private tasks: Array<() => void> = []

  readonly scheduler = new Scheduler.MixedScheduler("async", (task) => {
    this.tasks.push(task)
    return () => void (this.tasks = this.tasks.filter((each) => each !== task))
  })

  drain(): void {
    for (let task = this.tasks.shift(); task !== undefined; task = this.tasks.shift()) task()
  }
}

const threaded = ["digest", "generateKey", "exportKey", "importKey", "sign", "verify"] as const

/** Sees what is asked of Web Crypto, until `end`: it answers from other threads. */
const watchedCrypto = () => {
  const spies = threaded.map((name) => vi.spyOn(webcrypto.subtle, name))
  /** Answers whether anything was waited for. */
  const answered = async (): Promise<boolean> => {
    const waited = spies.flatMap((spy) => spy.mock.results.map(({ value }) => value))
    for (const spy of spies) spy.mockClear()
    if (waited.length === 0) return false
    await Promise.allSettled(waited)
    // What comes right after the answers.
    await new Promise((resume) => setImmediate(resume))
    return true
  }
  const end = (): void => {
    for (const spy of spies) spy.mockRestore()
  }
  return { answered, end }
}

/** Runs a program in a time of its own, which stands still while Web Crypto works. */
export const inVirtualTime = async <A, E>(seed: number, program: Effect.Effect<A, E>): Promise<A> => {
  const time = new VirtualClock()
  const work = new Drained()
  const crypto = watchedCrypto()
  try {
    const run = program.pipe(
      Effect.provideService(ClockOf.Clock, time.clock),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Random.withSeed(seed)
    )
    let exit: Exit.Exit<A, E> | undefined
    Effect.runFork(run, { scheduler: work.scheduler }).addObserver((ended) => {
      exit = ended
    })
    for (work.drain(); exit === undefined; work.drain())
      if (!(await crypto.answered()) && !time.goOn())
        throw new Error("nothing more happens, and the program has not ended")
    return Exit.isSuccess(exit) ? exit.value : await Effect.runPromise(exit)
  } finally {
    crypto.end()
  }
}
