/** What of the test runner's own module is used here. */
declare module "cloudflare:test" {
  import type { DurableObjectState } from "@cloudflare/workers-types"

  /** Runs work inside an object, with its storage. */
  export const runInDurableObject: <A>(
    stub: object,
    work: (object: unknown, state: DurableObjectState) => A | Promise<A>
  ) => Promise<A>
}
