/** The process of a job, whoever forks it: this process itself, or the spawner. */
import { spawn } from "node:child_process"
import { closeSync, constants, openSync } from "node:fs"
import { Duplex, Readable, type Writable } from "node:stream"
import type { Exit } from "../spawner/Child.ts"
import type { Spawner } from "../spawner/Spawner.ts"
import { keeperDescriptor } from "./JobMount.ts"

/** What is to be started. */
export interface JobProgram {
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  /** The named pipe that it writes its output to, which is read already. */
  readonly output: string
  /** Whether the process that keeps the job's disk has its line to us. */
  readonly hasLine: boolean
}

/** One that was started. */
export interface JobProcess {
  readonly pid: number
  readonly stdin: Writable
  readonly stderr: Readable
  /** Where it says that the walls stand. */
  readonly ready: Readable
  readonly line: Duplex | null
  /** Whether it lives, and its number is its own. */
  readonly isThere: () => boolean
  /** `lost`: it ended with who forked it, which says nothing of it. */
  readonly ended: Promise<Exit & { readonly lost: boolean }>
  /** After its end, when all that it wrote to its streams was read. */
  readonly closed: Promise<unknown>
  /** Gives the streams back. */
  readonly release: () => void
}

/** Rejects with an `Error` whose message says why when it could not be started. */
export type JobStarter = (program: JobProgram) => Promise<JobProcess>

/** Nothing of ours: the first process of the sandbox keeps what it is given, for all inside to read. */
const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }

const incomplete = () => new Error("it was started without its streams")

/** A fork of this very process, which stands still meanwhile. `covers`: what it is given at its descriptors from 4 on. */
export const forkHere =
  (covers: ReadonlyArray<number | "ignore">): JobStarter =>
  ({ argv: [file = "/bin/sh", ...args], cwd, hasLine, output }) =>
    new Promise((resolve, reject) => {
      const pipe = openSync(output, constants.O_WRONLY)
      const given = ["pipe", pipe, "pipe", "pipe", ...(hasLine ? ["pipe" as const] : [])] as const
      const child = spawn(file, args, { cwd, env, stdio: [...given, ...covers.slice(hasLine ? 1 : 0)] })
      closeSync(pipe)
      child.on("error", reject)
      const { pid, stderr, stdin } = child
      if (pid === undefined) return
      const [ready, line] = [child.stdio[3], child.stdio[keeperDescriptor]]
      if (stdin === null || stderr === null || !(ready instanceof Readable)) return reject(incomplete())
      resolve({
        pid,
        stdin,
        stderr,
        ready,
        line: hasLine && line instanceof Duplex ? line : null,
        isThere: () => child.exitCode === null && child.signalCode === null,
        ended: new Promise((tell) => child.once("exit", (code, signal) => tell({ code, signal, lost: false }))),
        closed: new Promise((tell) => child.once("close", tell)),
        release: () => child.stdio.forEach((stream) => stream?.destroy())
      })
    })

/** By way of a spawner, whose forks are short. */
export const forkBySpawner =
  (open: () => Promise<Spawner>): JobStarter =>
  async ({ argv: [file = "/bin/sh", ...args], cwd, hasLine, output }) => {
    const streams = hasLine ? keeperDescriptor + 1 : keeperDescriptor
    const child = await (await open()).start({ file, args, cwd, env, streams, output, covered: true })
    const [stdin, , stderr, ready, line = null] = child.streams
    if (stdin === undefined || stderr === undefined || ready === undefined) throw incomplete()
    return {
      pid: child.pid,
      stdin,
      stderr,
      ready,
      line,
      isThere: () => child.isThere(),
      ended: child.ended,
      closed: child.closed,
      release: () => child.streams.forEach((stream) => stream?.destroy())
    }
  }
