/** Small scripts to be started, and what they say. */
import { text } from "node:stream/consumers"
import type { StartedProcess } from "../../src/spawner/Starter.ts"

export const shell = (script: string, streams = 3) => ({
  file: "/bin/sh",
  args: ["-c", script],
  cwd: "/",
  env: { PATH: "/usr/bin:/bin" },
  streams
})

export const heard = ({ streams }: StartedProcess, descriptor: number): Promise<string> => text(streams[descriptor]!)

/** Settles when the process has said something: what it began with is done. */
export const speaks = ({ streams }: StartedProcess): Promise<string> =>
  new Promise((resolve) => streams[1]!.once("data", (chunk: Buffer) => resolve(chunk.toString())))
