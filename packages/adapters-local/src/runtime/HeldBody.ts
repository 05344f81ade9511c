/** Bodies that are held in memory, up to a bound, so that a slow visitor does not hold the app's process. */

/** One chunk, as a body. */
export class HeldBody implements AsyncIterable<Uint8Array> {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    let given = false
    return {
      next: () => {
        const done = given
        given = true
        return Promise.resolve(done ? { done, value: undefined } : { done, value: this.bytes })
      }
    }
  }
}

/** The whole of a body whose length is known. Null when it is not of that length or breaks. */
export const hold = async (body: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array | null> => {
  if (body instanceof HeldBody) return body.bytes.length === length ? body.bytes : null
  const chunks: Array<Uint8Array> = []
  let total = 0
  try {
    for await (const chunk of body) {
      total += chunk.length
      if (total > length) return null
      chunks.push(chunk)
    }
  } catch {
    return null
  }
  return total === length ? Buffer.concat(chunks) : null
}

/** Passes a body on and fails when it is not of the length it was said to be: what is left over would be read as another request. */
export async function* exactly(body: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of body) {
    total += chunk.length
    if (total > length) break
    yield chunk
  }
  if (total !== length) throw new Error(`the body is not of ${length} bytes`)
}
