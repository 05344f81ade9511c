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
export const rowWords = 6

export const column = {
  /** 0: the row is free. */
  pid: 0,
  /** Grows with each process that takes the row. */
  tenant: 1,
  /** Grows with each request: the CPU time counts from here. */
  request: 2,
  budgetMs: 3,
  /** 1 while a request is under way. */
  busy: 4,
  verdict: 5
} as const

export const verdicts = { none: 0, cpu: 1, memory: 2 } as const

export const wordAt = (row: number, name: keyof typeof column): number => headerWords + row * rowWords + column[name]

export interface WatchdogData {
  readonly table: SharedArrayBuffer
  readonly rows: number
  readonly memoryPages: number
  /** Between two looks at a process that serves a request. */
  readonly tickMs: number
  /** Between two looks at processes that do not. */
  readonly idleTickMs: number
}
