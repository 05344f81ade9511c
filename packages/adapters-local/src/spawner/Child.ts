/** A process with the three streams that every program has. */
import type { Readable, Writable } from "node:stream"
import type { Command, Ended, Starter } from "./Starter.ts"

/** A program, and all that it gets of an environment. */
export type Program = Pick<Command, "args" | "cwd" | "env" | "file" | "ownGroup">

/** A process that was started. Its output must be read to its end. */
export interface Child {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly ended: Promise<Ended>
  /** After its end, when all that it wrote was read. */
  readonly closed: Promise<Ended>
  /** SIGKILL, to its group where it has one of its own. Nothing happens to one that has ended. */
  readonly kill: () => void
}

/** Starts a program. Rejects as the starter does. */
export const startChild = async (start: Starter, program: Program): Promise<Child> => {
  const { closed, ended, kill, streams } = await start({ ...program, streams: 3 })
  const [stdin, stdout, stderr] = streams
  if (stdin === undefined || stdout === undefined || stderr === undefined)
    throw new Error("it was started without its three streams")
  return { stdin, stdout, stderr, ended, closed: closed.then(() => ended), kill }
}
