/** What goes wrong in a fleet, in an order that a seed draws: every three seconds something, until it is told to end. */
import { setTimeout as pause } from "node:timers/promises"
import type { Fleet } from "./Fleet.ts"

/** Something that lasts. */
export interface Lasting {
  readonly what:
    | "cut one"
    | "cut three"
    | "freeze a worker"
    | "freeze an api"
    | "s3 silent"
    | "s3 gone"
    | "postgres killed"
  readonly ms: number
}

/** Milliseconds from one fault to the next. */
const everyMs = 3000

/** What happened, and when it was over. */
export interface Faulted {
  readonly said: ReadonlyArray<string>
  /** On the clock of `performance.now()`. */
  readonly overMs: number
}

/** A source of whole numbers below a bound that begins at a seed (mulberry32). */
const drawn = (seed: number) => {
  let state = seed >>> 0
  return (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Begins a lasting fault; what it answers ends it. */
const begin = async (fleet: Fleet, what: Lasting["what"]): Promise<() => unknown> => {
  const cut = (index: number) => {
    const machine = fleet.machines[index]!
    machine.cut()
    return machine.mend
  }
  const freeze = (role: string) => {
    const process = fleet.processes.find((each) => each.role === role)!
    process.freeze()
    return process.thaw
  }
  switch (what) {
    case "cut one":
      return cut(0)
    case "cut three":
      return cut(2)
    case "freeze a worker":
      return freeze("worker")
    case "freeze an api":
      return freeze("api")
    case "s3 silent":
      fleet.bucket.cut()
      return fleet.bucket.mend
    case "s3 gone":
      await fleet.s3.close()
      return fleet.s3.open
    case "postgres killed":
      await fleet.postgres.kill()
      return fleet.postgres.start
  }
}

/**
 * Every three seconds begins one of what lasts, where the one before it is over, or kills a process; in turn. Ends when all
 * that lasts is over and `enough` says so.
 */
export const run = async (
  fleet: Fleet,
  lasting: ReadonlyArray<Lasting>,
  seed: number,
  enough: () => boolean
): Promise<Faulted> => {
  const draw = drawn(seed)
  const said: Array<string> = []
  const startedMs = performance.now()
  const say = (text: string) => void said.push(`${((performance.now() - startedMs) / 1000).toFixed(1)} s: ${text}`)
  const left = [...lasting]
  let under: Promise<void> | null = null
  const last = async ({ ms, what }: Lasting): Promise<void> => {
    say(what)
    const end = await begin(fleet, what)
    await pause(ms)
    await end()
    say(`${what} is over`)
    under = null
  }
  for (let turn = 0; left.length > 0 || under !== null || !enough(); turn++) {
    const next = turn % 2 === 1 && under === null ? left.shift() : undefined
    if (next === undefined) {
      const process = fleet.processes[draw(fleet.processes.length)]!
      say(`kill ${process.name}`)
      process.kill()
    } else under = last(next)
    await pause(everyMs)
  }
  return { said, overMs: performance.now() }
}
