/** Jobs for the `Sandbox` contract, and the host that they must not reach. */
import { Effect } from "effect"
import { Sandbox, type SandboxJob, type SandboxResult } from "@pawl/core/verification/Sandbox"
import * as Utf8 from "@pawl/core/primitives/Utf8"

/** What is on the host while jobs run. */
export interface SandboxHost {
  /** Listens on 127.0.0.1; must never be visited. */
  readonly tcpPort: number
  readonly udpPort: number
  readonly unixSocket: string
  /** Without its leading NUL. */
  readonly abstractSocket: string
  /** Readable by everyone on the host. */
  readonly secretFile: string
  /** What stands in `secretFile`, and as the value of a variable of our own environment. */
  readonly secret: string
  /** What came in on the sockets. */
  readonly visits: () => number
  /** Whether a process whose command line holds this runs on the host. */
  readonly runs: (commandLine: string) => boolean
  /** Bytes of memory of our own process. */
  readonly residentBytes: () => number
}

const MiB = 1024 * 1024

const generous: SandboxJob["limits"] = {
  wallMs: 30_000,
  cpuSeconds: 30,
  memoryBytes: 512 * MiB,
  processes: 256,
  diskBytes: 64 * MiB,
  outputBytes: 256 * 1024
}

let ids = 0

/** What differs from a job with generous limits. Files are text; a `script` may be executed. */
export type JobParts = Partial<Pick<SandboxJob, "environment" | "collect" | "packages">> & {
  readonly limits?: Partial<SandboxJob["limits"]>
  readonly files?: Readonly<Record<string, string | { readonly script: string }>>
}

/** A job with an id of its own. */
export const jobOf = (command: string, { limits, files, ...parts }: JobParts = {}): SandboxJob => ({
  id: `job-${ids++}`,
  command,
  environment: {},
  files: new Map(
    Object.entries(files ?? {}).map(([path, file]) => {
      const text = typeof file === "string" ? file : file.script
      return [path, { content: new TextEncoder().encode(text), executable: typeof file !== "string" }] as const
    })
  ),
  limits: { ...generous, ...limits },
  ...parts
})

/** Runs a job to its end and forgets it. */
export const runJob = Effect.fnUntraced(function* (job: SandboxJob) {
  const sandbox = yield* Sandbox
  const handle = yield* sandbox.start(job)
  const state = yield* sandbox.poll(handle, 60_000).pipe(Effect.ensuring(sandbox.cancel(handle)))
  if (state._tag === "Running") throw new Error("the job did not end")
  return state.result
})

/** What a job printed, as UTF-8. */
export const textOf = (result: SandboxResult): string => Utf8.textOf(result.output)

/** Runs an effect with the one sandbox of a suite. */
export type RunPromise = <A, E>(effect: Effect.Effect<A, E, Sandbox>) => Promise<A>
