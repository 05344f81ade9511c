/**
 * What the supervisor and its watchdog thread share: a row of numbers per process. The supervisor writes
 * process id, request and budget; the thread writes the verdict before it kills.
 */

/** Grows with each request; the thread sleeps long on it, so that a request that starts meanwhile is not missed. */
export const wakeWord = 0
/** 1 while the thread sleeps long, so that a request must wake it. */
export const sleepingWord = 1
/** Never changes: the thread sleeps short on it. */
export const restWord = 2
/** The 32-bit words before the first row. */
export const headerWords = 3
/** The 32-bit words of one row. */
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

/** Why the thread killed a process, as it stands in two bits of a row. */
export const verdicts = { none: 0, cpu: 1, memory: 2 } as const

/** A verdict as it is written: with its tenant, so that one that comes late is not on the next process of the row. */
export const signedVerdict = (tenant: number, verdict: number): number => ((tenant << 2) | verdict) >> 0

/** What is written of one tenant. */
export const verdictOn = (tenant: number, written: number): number =>
  written >> 2 === (tenant << 2) >> 2 ? written & 3 : verdicts.none

/** The index of a column's word in the table. */
export const wordAt = (row: number, name: keyof typeof column): number => headerWords + row * rowWords + column[name]

/** What the thread is started with; times in ms, memory in pages of the kernel. */
export interface WatchdogData {
  readonly table: SharedArrayBuffer
  readonly rows: number
  readonly memoryPages: number
  readonly heavyPages: number
  /** Between two looks at a process that serves a request. */
  readonly tickMs: number
  /** Between two looks at processes that do not. */
  readonly idleTickMs: number
  /** The share of its CPU time that a request may take before its process goes after others, and by how much of niceness. */
  readonly lowShare: number
  readonly lowNice: number
}
