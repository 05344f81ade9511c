/**
 * What tests use of workerd's own modules. Cloudflare's package of types declares them beside a whole world of globals,
 * which are not those of Node.
 */
declare module "cloudflare:workers" {
  export class DurableObject {}
  export const env: {
    readonly STORE: { readonly getByName: (name: string) => object }
    readonly BUCKET: import("../../../src/objects/Bucket.ts").Bucket
    readonly LOADER: import("../../../src/runtime/WorkerLoader.ts").WorkerLoader
  }
}

declare module "cloudflare:test" {
  export const runInDurableObject: <A>(
    stub: object,
    work: (
      object: unknown,
      state: { readonly storage: import("../../../src/sqlite/ObjectStorage.ts").ObjectStorage }
    ) => A | Promise<A>
  ) => Promise<A>
}
