/**
 * Work in the folders of repositories, done by a thread of its own: a name takes ext4 a quarter of a millisecond, a fork a
 * dozen of them, and each answer of the disk would wait for all else that this thread does. It begins with the first that is
 * asked for.
 */
import { Worker } from "node:worker_threads"
import { folderWork } from "./FolderFiles.ts"

type Work = typeof folderWork
type Name = keyof Work

/** One piece of work: which, and with what. */
export interface FolderQuestion {
  readonly id: number
  readonly name: Name
  readonly args: ReadonlyArray<never>
}

/** That it is done, or the code of the file system's refusal. */
export interface FolderAnswer {
  readonly id: number
  readonly code?: string
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (cause: Error) => void
  /** The same without the thread. */
  readonly here: () => Promise<void>
}

const program = new URL(`./FolderThread${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

let thread: Worker | null = null
let isGone = false
let asked = 0
const waiting = new Map<number, Waiting>()

const settle = (id: number, act: (each: Waiting) => void): void => {
  const each = waiting.get(id)
  waiting.delete(id)
  // Nobody is kept from ending by a thread that has nothing to do.
  if (waiting.size === 0) thread?.unref()
  if (each !== undefined) act(each)
}

/** Where there is no thread, as in a program that was bundled without it, all is done here: each work bears repeating. */
const goOn = (): void => {
  isGone = true
  thread = null
  for (const id of waiting.keys()) settle(id, ({ here, reject, resolve }) => void here().then(resolve, reject))
}

const started = (): Worker => {
  if (thread !== null) return thread
  thread = new Worker(program, { execArgv: [] })
  thread.on("message", ({ code, id }: FolderAnswer) =>
    settle(id, ({ reject, resolve }) =>
      code === undefined ? resolve() : reject(Object.assign(new Error(code), { code }))
    )
  )
  thread.on("error", () => undefined)
  thread.on("exit", goOn)
  return thread
}

// A piece of a larger buffer would take all of that along, and the slice of a Buffer is such a piece.
const own = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (Array.isArray(value)) return value.map(own)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, own(each)]))
}

const aside = (name: Name, args: ReadonlyArray<unknown>, here: () => Promise<void>): Promise<void> => {
  if (isGone) return here()
  return new Promise((resolve, reject) => {
    const id = (asked += 1)
    waiting.set(id, { resolve, reject, here })
    const worker = started()
    worker.ref()
    worker.postMessage({ id, name, args: args.map(own) })
  })
}

/** What `FolderFiles` does, aside. Each rejects with an `Error` that has the `code` of the file system's refusal. */
export const folder: Work = {
  create: (...args) => aside("create", args, () => folderWork.create(...args)),
  createUnsettled: (...args) => aside("createUnsettled", args, () => folderWork.createUnsettled(...args)),
  keep: (...args) => aside("keep", args, () => folderWork.keep(...args)),
  settle: (...args) => aside("settle", args, () => folderWork.settle(...args)),
  shareObjects: (...args) => aside("shareObjects", args, () => folderWork.shareObjects(...args)),
  writeLoose: (...args) => aside("writeLoose", args, () => folderWork.writeLoose(...args)),
  writePack: (...args) => aside("writePack", args, () => folderWork.writePack(...args))
}
