/** The process of a job, with what stands at its descriptors. */
import type { Duplex, Readable, Writable } from "node:stream"
import type { StartedProcess, Starter } from "../spawner/Starter.ts"
import { readyDescriptor } from "./Isolator.ts"
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
export interface JobProcess extends Pick<StartedProcess, "closed" | "ended" | "isThere" | "pid"> {
  readonly stdin: Writable
  readonly stderr: Readable
  /** Where it says that the walls stand. */
  readonly ready: Readable
  readonly line: Duplex | null
  /** Gives the streams back. */
  readonly release: () => void
}

/** Nothing of ours: the first process of the sandbox keeps what it is given, for all inside to read. */
const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }

/** Starts one, so that no descriptor of ours reaches it. Rejects as the starter does. */
export const startJob = async (
  start: Starter,
  { argv: [file = "/bin/sh", ...args], cwd, hasLine, output }: JobProgram
): Promise<JobProcess> => {
  const count = (hasLine ? keeperDescriptor : readyDescriptor) + 1
  const command = { file, args, cwd, env, streams: count, output, covered: true }
  const { closed, ended, isThere, pid, streams } = await start(command)
  const [stdin, stderr, ready, line = null] = [0, 2, readyDescriptor, keeperDescriptor].map((at) => streams[at])
  if (stdin === undefined || stderr === undefined || ready === undefined)
    throw new Error("it was started without its streams")
  const release = () => streams.forEach((stream) => stream?.destroy())
  return { pid, ended, closed, isThere, stdin, stderr, ready, line, release }
}
