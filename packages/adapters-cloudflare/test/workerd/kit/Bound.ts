/** What the tests' Worker is bound to, by the types of Cloudflare. */
import { env } from "cloudflare:workers"
import type { Fetcher, R2Bucket, WorkerLoader } from "@cloudflare/workers-types"

export interface Bound {
  readonly BUCKET: R2Bucket
  readonly LOADER: WorkerLoader
  /** What lies on this machine, for builds. */
  readonly MACHINE: Fetcher
}

/** The bindings of `WorkerdOptions`. */
export const bound = env as Bound
