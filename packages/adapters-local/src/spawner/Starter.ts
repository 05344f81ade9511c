/** How a process is started, whoever forks it: this process itself, or a spawner. */
import type { Duplex } from "node:stream"

/** A program to be started. */
export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** All that it gets of an environment. */
  readonly env: Readonly<Record<string, string>>
  /** How many descriptors it gets, from 0 on. Each is a socket in both directions, as Node's own pipes are. */
  readonly streams: number
  /** A named pipe that somebody reads already: it is descriptor 1 in place of a socket. */
  readonly output?: string
  /** In a process group of its own, which is killed with it. */
  readonly ownGroup?: boolean
  /** With /dev/null in place of each descriptor that who forks it was itself given and would pass on. */
  readonly covered?: boolean
}

/** How a process ended. `lost`: with the spawner that forked it, which says nothing of it. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly lost: boolean
}

/**
 * One that was started. Its streams stand in the order of its descriptors: the first is to be written, the others must be
 * read to their end. There is none where it was given a named pipe.
 */
export interface StartedProcess {
  readonly pid: number
  readonly streams: ReadonlyArray<Duplex | undefined>
  readonly ended: Promise<Ended>
  /** After its end, when all that it wrote was read and nobody holds a stream of it any more. */
  readonly closed: Promise<void>
  /** Whether it lives, and its number is its own, as far as can be told. */
  readonly isThere: () => boolean
  /** SIGKILL: to it while it lives, or to its group until it is closed. */
  readonly kill: () => void
}

/** Starts a program. Rejects with an `Error` whose message says why when it could not be started. */
export type Starter = (command: Command) => Promise<StartedProcess>
