/**
 * What the supervisor and its watchdog thread share: a row of numbers per process. The supervisor writes
 * process id, request and budget; the thread writes the verdict before it kills.
 */

/** Grows with each request; the thread sleeps long on it, so that a request that starts meanwhile is not missed. */
export const wakeWord = 0
export const sleepingWord = 1
/** Never changes: the thread sleeps short on it. */
export const restWord = 2
export const headerWords = 3
export const rowWords = 7

const column = {
  /** 0: the row is free. */
  pid: 0,
  /** Grows with each process that takes the row. */
  tenant: 1,
  /** Grows with each request: the CPU time counts from here. */
  request: 2,
  budgetMs: 3,
  /** 1 while a request is under way. */
  busy: 4,
  verdict: 5,
  /** The tenant whose process holds much memory, though not too much yet. */
  heavy: 6
} as const

export const verdicts = { none: 0, cpu: 1, memory: 2 } as const

/** A verdict as it is written: with its tenant, so that one that comes late is not on the next process of the row. */
export const signedVerdict = (tenant: number, verdict: number): number => ((tenant << 2) | verdict) >> 0

/** What is written of one tenant. */
export const verdictOn = (tenant: number, written: number): number =>
  written >> 2 === (tenant << 2) >> 2 ? written & 3 : verdicts.none

export const wordAt = (row: number, name: keyof typeof column): number => headerWords + row * rowWords + column[name]

export interface WatchdogData {
  readonly table: SharedArrayBuffer
  readonly rows: number
  readonly memoryPages: number
  readonly heavyPages: number
  /** Between two looks at a process that serves a request. */
  readonly tickMs: number
  /** Between two looks at processes that do not. */
  readonly idleTickMs: number
}
