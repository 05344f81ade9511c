/** The body of a request, held before a process is asked for, so that a slow visitor does not hold one. */
import { setTimeout as pause } from "node:timers/promises"
import { LocalLimits } from "../../LocalLimits.ts"
import { BytesBody } from "@pawl/router/Body"

type Body = AsyncIterable<Uint8Array>

/** What the bodies of requests take of memory while they are held, all visitors together. */
export class UploadRoom {
  private bytes = 0

  /** Whether so much may be held; then `free` must follow. */
  reserve(length: number): boolean {
    if (this.bytes + length > LocalLimits.appUploadsBytes) return false
    this.bytes += length
    return true
  }

  free(length: number): void {
    this.bytes -= length
  }
}

/** The whole of a body whose length is known. Null when it is not of that length or breaks. */
export const holdWhole = async (body: Body, length: number): Promise<BytesBody | null> => {
  if (body instanceof BytesBody) return body.bytes.length === length ? body : null
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
  return total === length ? new BytesBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)) : null
}

/** First what was held, then what is still to come. */
class Joined implements Body {
  private readonly held: Array<Uint8Array>
  private readonly rest: AsyncIterator<Uint8Array>
  private next: Promise<IteratorResult<Uint8Array>> | null

  constructor(
    held: Array<Uint8Array>,
    rest: AsyncIterator<Uint8Array>,
    next: Promise<IteratorResult<Uint8Array>> | null
  ) {
    this.held = held
    this.rest = rest
    this.next = next
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => {
        const value = this.held.shift()
        if (value !== undefined) return Promise.resolve({ done: false, value })
        const { next } = this
        this.next = null
        return next ?? this.rest.next()
      },
      return: () => this.rest.return?.() ?? Promise.resolve({ done: true, value: undefined })
    }
  }
}

/** As much of a long body, or one of unknown length, as comes soon: all of it, or a first part with the rest behind it. */
export const holdSome = async (body: Body): Promise<Body> => {
  if (body instanceof BytesBody) return body
  const iterator = body[Symbol.asyncIterator]()
  const held: Array<Uint8Array> = []
  let total = 0
  const over = new AbortController()
  const late = pause(LocalLimits.appUploadHoldMs, "late" as const, { signal: over.signal, ref: false }).catch(
    () => "late" as const
  )
  try {
    while (total < LocalLimits.appHeldUploadBytes) {
      const next = iterator.next()
      const first = await Promise.race([next, late])
      if (first === "late") return new Joined(held, iterator, next)
      if (first.done === true) return new BytesBody(held.length === 1 ? held[0]! : Buffer.concat(held))
      held.push(first.value)
      total += first.value.length
    }
    return new Joined(held, iterator, null)
  } finally {
    over.abort()
  }
}
