/** Bodies of requests and responses: async iterables of bytes, and the one special case of bytes at hand. */

/** What a Node stream and a web stream both are. */
export type Body = AsyncIterable<Uint8Array>

/** A body that is already in memory. A front may send `bytes` in one piece instead of iterating. */
export class BytesBody implements Body {
  readonly bytes: Uint8Array
  /** Each byte as a character: kept here by a front that sends text faster than bytes. */
  text: string | null = null
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
  async *[Symbol.asyncIterator]() {
    yield this.bytes
  }
}

/** Lets go of a body that nobody will read, so that what produces it can stop. Never fails. */
export const cancelBody = (body: Body | null): void => {
  if (body === null || body instanceof BytesBody) return
  if ("destroy" in body && typeof body.destroy === "function") {
    body.destroy()
    return
  }
  if ("cancel" in body && typeof body.cancel === "function") {
    Promise.resolve(body.cancel()).catch(() => undefined)
    return
  }
  const iterator = body[Symbol.asyncIterator]()
  iterator.return?.().catch(() => undefined)
}

/** The first `limit` bytes of a body; the rest is let go. */
export const readBody = async (body: Body | null, limit: number): Promise<Uint8Array> => {
  if (body === null) return new Uint8Array(0)
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, limit - size))
    size += chunks.at(-1)!.length
    if (size >= limit) break
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
