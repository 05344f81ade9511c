/**
 * What of the runtime's own module is used here. The package of Cloudflare's types declares it beside globals that clash
 * with Node's.
 */
declare module "cloudflare:workers" {
  import type { DurableObjectState } from "@cloudflare/workers-types"

  /** The class of a Durable Object. */
  export abstract class DurableObject<Env = unknown> {
    protected ctx: DurableObjectState
    protected env: Env
    constructor(ctx: DurableObjectState, env: Env)
    /** Runs at the time of `storage.setAlarm`. */
    alarm?(): Promise<void>
  }

  /** What this Worker is bound to. */
  export const env: unknown
}
