/**
 * Where untrusted commands run: no network, no host files, no secrets, and an end to everything.
 * `start`, `poll` and `cancel` with a handle, so that a remote runner fits.
 */
import { Context, type Effect, Schema } from "effect"

/** No isolation that could be proved is to be had here. The check was not run; the message names what is missing. */
export class IsolationMissing extends Schema.TaggedError<IsolationMissing>()("IsolationMissing", {
  reason: Schema.String,
  remedy: Schema.String
}) {
  override get message() {
    return `No sandbox here is safe enough: ${this.reason}. ${this.remedy}`
  }
}

/** The runner itself failed: it could not start, or lost the job. Try again in a new sandbox. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  reason: Schema.String,
  /** The job itself is at fault: another time it could be run no better. */
  lasting: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    return `The sandbox could not run it: ${this.reason}`
  }
}

/** What a sandbox promises, each proved at start before it is trusted. */
export const Guarantee = Schema.Literals([
  "network-denied",
  "host-files-hidden",
  "clean-environment",
  "daemons-killed",
  "read-only-system",
  "user-dropped",
  "capabilities-dropped",
  "no-new-privileges",
  "system-calls-filtered",
  "memory-limited",
  "processes-limited",
  "cpu-limited",
  "disk-limited",
  "output-limited",
  "time-limited"
])
export type Guarantee = typeof Guarantee.Type

/** What keeps a sandbox apart from its host. */
export interface Isolation {
  /** `bubblewrap`, `unshare`, … */
  readonly name: string
  readonly version: string
  /** Those in force, sorted. */
  readonly guarantees: ReadonlyArray<Guarantee>
  /**
   * SHA-256 of what a command may use beside the system's own tools: Node, the compiler, the packages that are brought
   * along. Not there where that cannot be told: then nothing that ran here counts again.
   */
  readonly tools?: string
}

/** What is to be run, on which files, within which bounds. */
export interface SandboxJob {
  /** The domain's id of this run; starting one that runs already answers its handle. */
  readonly id: string
  /** A shell line, run by `sh -c` in the root of the files. */
  readonly command: string
  readonly files: ReadonlyMap<string, { readonly content: Uint8Array; readonly executable: boolean }>
  /** The id of a `PackageLayer`: the command sees it read-only as `node_modules`, and has its programs on the PATH. */
  readonly packages?: string
  /** Files and folders below the root that are wanted back when the command exits with 0, and their bounds. */
  readonly collect?: {
    readonly paths: ReadonlyArray<string>
    readonly maxBytes: number
    readonly maxFiles: number
  }
  /** Names and values the command sees, beside PATH, HOME and LANG. Never secrets. */
  readonly environment: Readonly<Record<string, string>>
  readonly limits: {
    readonly wallMs: number
    readonly cpuSeconds: number
    readonly memoryBytes: number
    readonly processes: number
    readonly diskBytes: number
    /** Of stdout and stderr together; the rest is cut and marked. */
    readonly outputBytes: number
  }
}

/** A job that was started. */
export interface SandboxHandle {
  readonly id: string
}

/** How the command ended. `Exited` is the only end that says something about the work; the others are gaps. */
export type SandboxOutcome =
  | { readonly _tag: "Exited"; readonly code: number }
  | { readonly _tag: "TimedOut"; readonly afterMs: number }
  | { readonly _tag: "OutOfMemory" }
  | { readonly _tag: "Killed"; readonly signal: string }

/** How a job ended, and what it printed. */
export interface SandboxResult {
  readonly outcome: SandboxOutcome
  /** stdout and stderr as they came, at most `limits.outputBytes`. */
  readonly output: Uint8Array
  readonly outputTruncated: boolean
  /**
   * What `collect` asked for, by path: regular files alone, no link is followed. Of what is over a bound nothing is there
   * but the bound.
   */
  readonly collected?:
    | { readonly _tag: "Files"; readonly files: SandboxJob["files"] }
    | { readonly _tag: "TooMuch"; readonly reason: string }
  readonly isolation: Isolation
  readonly startedAtMs: number
  readonly finishedAtMs: number
}

/** What `poll` answers. */
export type SandboxState = { readonly _tag: "Running" } | { readonly _tag: "Finished"; readonly result: SandboxResult }

/** Runs commands that anyone may have written, apart from everything. It runs none without its isolation. */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** The isolation in force, proved once. Fails with `IsolationMissing` where there is none. */
    readonly isolation: Effect.Effect<Isolation, IsolationMissing>
    /** Starts a job, or answers the handle of one of this id that runs already. */
    readonly start: (job: SandboxJob) => Effect.Effect<SandboxHandle, IsolationMissing | SandboxUnavailable>
    /** Waits up to `waitMs` for the end. A finished result can be polled again until it is cancelled. */
    readonly poll: (handle: SandboxHandle, waitMs: number) => Effect.Effect<SandboxState, SandboxUnavailable>
    /** Kills whatever is left of the job and forgets it. Cancelling what is gone succeeds. */
    readonly cancel: (handle: SandboxHandle) => Effect.Effect<void>
  }
>()("@pawl/core/verification/Sandbox") {}
