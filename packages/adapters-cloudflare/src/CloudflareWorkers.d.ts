/**
 * What of the runtime's own module is used here. The package of Cloudflare's types declares it beside globals that clash
 * with Node's.
 */
declare module "cloudflare:workers" {
  import type { DurableObjectState, ExecutionContext } from "@cloudflare/workers-types"

  /** The class of a Durable Object. */
  export abstract class DurableObject<Env = unknown> {
    protected ctx: DurableObjectState
    protected env: Env
    constructor(ctx: DurableObjectState, env: Env)
    /** Runs at the time of `storage.setAlarm`. */
    alarm?(): Promise<void>
  }

  /** An entrypoint of a script that others are bound to. */
  export abstract class WorkerEntrypoint<Env = unknown, Props = unknown> {
    protected ctx: ExecutionContext<Props>
    protected env: Env
    constructor(ctx: ExecutionContext, env: Env)
    fetch?(request: Request): Promise<Response>
  }

  /** Stubs of the entrypoints of this script itself. */
  export const exports: unknown

  /** What this Worker is bound to. */
  export const env: unknown
}
