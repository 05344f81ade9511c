declare module "pako" {
  /** zlib's form of the bytes. */
  export const deflate: (bytes: Uint8Array) => Uint8Array

  /** Reads one stream of zlib's, and says how far that went. */
  export class Inflate {
    constructor(options?: { readonly chunkSize?: number; readonly raw?: boolean })
    /** Whether the stream ended. */
    ended: boolean
    /** 0 when all was well. */
    err: number
    chunks: Array<Uint8Array>
    /** Takes each piece of the result; `chunks` are what that is made of. */
    onData: (chunk: Uint8Array) => void
    result: Uint8Array | string | undefined
    strm: { readonly avail_in: number }
    push(bytes: Uint8Array, last: boolean): boolean
  }
}
