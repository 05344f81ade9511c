/**
 * The watchdog's thread: reads the CPU time of every thread of a process, and its own memory, and kills it
 * over the bound. On the way there it lets every other process go first. It needs nothing of the main thread, which may
 * be busy when an app runs wild.
 */
import { closeSync, openSync, readdirSync, readSync } from "node:fs"
import { constants, getPriority, setPriority } from "node:os"
import { workerData } from "node:worker_threads"
import { restWord, signedVerdict, sleepingWord, verdicts, type WatchdogData, wakeWord, wordAt } from "./WatchTable.ts"

const data: WatchdogData = workerData
const table = new Int32Array(data.table)
const text = Buffer.alloc(256)

interface Watched {
  tenant: number
  pid: number
  memory: number
  threads: Map<string, number>
  looks: number
  request: number
  baselineNs: number
  /** The priority that it had before it was lowered; null while it is not. */
  usual: number | null
}
const watched: Array<Watched | undefined> = Array.from({ length: data.rows }, () => undefined)

const ownPriority = getPriority()
const lowPriority = Math.min(ownPriority + data.lowNice, constants.priority.PRIORITY_LOW)

/** Whether what is lowered can be raised again. Who is not root cannot: an honest app would go last for good. */
const mayRaise = ((): boolean => {
  try {
    setPriority(ownPriority - 1)
    setPriority(ownPriority)
    return true
  } catch {
    return false
  }
})()

/** The numbers of a file of /proc, read anew through an open descriptor: a dead process answers an error, never another one. */
const number = (descriptor: number, index: number): number => {
  const length = readSync(descriptor, text, 0, text.length, 0)
  let value = 0
  let field = 0
  for (let at = 0; at < length; at += 1) {
    const code = text[at] ?? 0
    if (code >= 48 && code <= 57) value = value * 10 + code - 48
    else {
      if (field === index) return value
      field += 1
      value = 0
    }
  }
  return value
}

const listThreads = (one: Watched): void => {
  for (const thread of readdirSync(`/proc/${one.pid}/task`))
    if (!one.threads.has(thread)) one.threads.set(thread, openSync(`/proc/${one.pid}/task/${thread}/schedstat`, "r"))
}

const cpuNs = (one: Watched): number => {
  // A thread that appears later is found within 16 looks; workerd starts its threads before it listens.
  if (one.looks++ % 16 === 0) listThreads(one)
  let total = 0
  for (const descriptor of one.threads.values()) total += number(descriptor, 0)
  return total
}

const pagesOwned = (one: Watched): number => number(one.memory, 1) - number(one.memory, 2)

/** Sets the priority of each thread: to the kernel, a process has none of its own. */
const setEach = (one: Watched, priority: number): void => {
  for (const thread of one.threads.keys())
    try {
      setPriority(Number(thread), priority)
    } catch {
      // The thread ended.
    }
}

const lower = (one: Watched): void => {
  one.usual = getPriority(one.pid)
  setEach(one, lowPriority)
}

const raise = (one: Watched, usual: number): void => {
  one.usual = null
  setEach(one, usual)
}

const forget = (row: number): void => {
  const one = watched[row]
  if (one === undefined) return
  closeSync(one.memory)
  for (const descriptor of one.threads.values()) closeSync(descriptor)
  watched[row] = undefined
}

const kill = (row: number, { pid, tenant }: Watched, verdict: number): void => {
  Atomics.store(table, wordAt(row, "verdict"), signedVerdict(tenant, verdict))
  process.kill(pid, "SIGKILL")
}

const look = (row: number, pid: number): void => {
  const tenant = Atomics.load(table, wordAt(row, "tenant"))
  if (watched[row]?.tenant !== tenant) {
    forget(row)
    watched[row] = {
      tenant,
      pid,
      memory: openSync(`/proc/${pid}/statm`, "r"),
      threads: new Map(),
      looks: 0,
      request: -1,
      baselineNs: 0,
      usual: null
    }
  }
  const one = watched[row]
  if (one === undefined) return
  const request = Atomics.load(table, wordAt(row, "request"))
  const nowNs = cpuNs(one)
  const budgetNs = Atomics.load(table, wordAt(row, "budgetMs")) * 1e6
  if (one.request !== request) {
    one.request = request
    one.baselineNs = nowNs
    if (one.usual !== null) raise(one, one.usual)
  } else if (nowNs - one.baselineNs > budgetNs) return kill(row, one, verdicts.cpu)
  else if (mayRaise && one.usual === null && nowNs - one.baselineNs > data.lowShare * budgetNs) lower(one)
  const pages = pagesOwned(one)
  if (pages > data.memoryPages) kill(row, one, verdicts.memory)
  else if (pages > data.heavyPages) Atomics.store(table, wordAt(row, "heavy"), tenant)
}

/** Looks at the rows once and answers whether any serves a request. */
const round = (idleToo: boolean): boolean => {
  let busy = false
  for (let row = 0; row < data.rows; row += 1) {
    const pid = Atomics.load(table, wordAt(row, "pid"))
    if (pid === 0) {
      forget(row)
      continue
    }
    const serving = Atomics.load(table, wordAt(row, "busy")) === 1
    busy ||= serving
    if (!serving && !idleToo) continue
    try {
      look(row, pid)
    } catch {
      // The process died between two looks. Its row is freed by the supervisor.
      forget(row)
    }
  }
  return busy
}

let sinceIdleMs = 0
for (;;) {
  const idleToo = sinceIdleMs >= data.idleTickMs
  const seen = Atomics.load(table, wakeWord)
  const busy = round(idleToo)
  if (idleToo) sinceIdleMs = 0
  const pauseMs = busy ? data.tickMs : data.idleTickMs
  Atomics.store(table, sleepingWord, busy ? 0 : 1)
  if (busy) Atomics.wait(table, restWord, 0, pauseMs)
  else Atomics.wait(table, wakeWord, seen, pauseMs)
  sinceIdleMs += pauseMs
}
