/** What is used of a Worker Loader, as a Worker is bound to it: https://developers.cloudflare.com/workers/runtime-apis/bindings/worker-loader/. */

/** A module of a Worker that is loaded. */
export type LoaderModule =
  | { readonly js: string }
  | { readonly text: string }
  | { readonly json: unknown }
  | { readonly data: ArrayBuffer }
  | { readonly wasm: ArrayBuffer }

/** A Worker, and all that it can reach. */
export interface LoaderCode {
  readonly compatibilityDate: string
  readonly compatibilityFlags: ReadonlyArray<string>
  readonly mainModule: string
  readonly modules: Readonly<Record<string, LoaderModule>>
  readonly env: Readonly<Record<string, unknown>>
  /** Null: no network. */
  readonly globalOutbound: null
  /** Stubs of what is told of each call when it has ended. */
  readonly tails?: ReadonlyArray<unknown>
}

/** Of one request. */
export interface LoaderLimits {
  readonly cpuMs: number
  readonly subRequests: number
}

/** What a loaded Worker is asked by. */
export interface LoadedEntrypoint {
  readonly fetch: (request: Request) => Promise<Response>
}

/** A Worker that is loaded when it is first asked, and perhaps again whenever it is. */
export interface LoadedWorker {
  readonly getEntrypoint: (name: undefined, options: { readonly limits: LoaderLimits }) => LoadedEntrypoint
}

/** Loads Workers by an id: the same id may be the same isolate, another one never is. */
export interface WorkerLoader {
  readonly get: (id: string, code: () => Promise<LoaderCode>) => LoadedWorker
}
