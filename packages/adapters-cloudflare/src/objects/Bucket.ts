/** What is used of a bucket of R2, as a Worker is bound to it. */

/** What is known of an object. */
export interface BucketEntry {
  readonly key: string
  /** In bytes. */
  readonly size: number
  readonly uploaded: Date
}

/** An object with its bytes. */
export interface BucketObject extends BucketEntry {
  readonly body: ReadableStream<Uint8Array>
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

/** A page of a listing, in the order of code points. */
export interface BucketPage {
  readonly objects: ReadonlyArray<BucketEntry>
  readonly truncated: boolean
  /** Where the next page begins, of a listing that goes on. */
  readonly cursor?: string
}

/** A bucket: strongly consistent, each object whole or not there. */
export interface Bucket {
  readonly head: (key: string) => Promise<BucketEntry | null>
  readonly get: (
    key: string,
    options?: { readonly range: { readonly offset: number; readonly length: number } }
  ) => Promise<BucketObject | null>
  /** Null when `onlyIf` did not hold. */
  readonly put: (
    key: string,
    body: Uint8Array | ReadableStream<Uint8Array>,
    options?: { readonly onlyIf: { readonly etagDoesNotMatch: "*" } }
  ) => Promise<BucketEntry | null>
  readonly delete: (keys: string | ReadonlyArray<string>) => Promise<void>
  readonly list: (options: {
    readonly prefix: string
    readonly limit: number
    readonly cursor?: string
    readonly startAfter?: string
  }) => Promise<BucketPage>
}
