/** Bodies, as ports have them and as Workers do. Whoever leaves early ends the other side. */

/** As a Worker sends it: a piece is asked for when the reader has room. */
export const streamOf = (body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> => {
  const pieces = body[Symbol.asyncIterator]()
  return new ReadableStream({
    type: "bytes",
    pull: async (controller) => {
      // One without bytes is refused by a stream.
      let next = await pieces.next()
      while (next.done !== true && next.value.length === 0) next = await pieces.next()
      if (next.done === true) controller.close()
      // What is handed over is the stream's from then on.
      else controller.enqueue(next.value.slice())
    },
    cancel: async () => {
      await pieces.return?.()
    }
  })
}

/** As ports read it. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let isOver = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isOver = done
      if (done) return
      yield value
    }
  } finally {
    // A stream that broke cannot be cancelled any more.
    if (!isOver) await reader.cancel().catch(() => undefined)
  }
}
