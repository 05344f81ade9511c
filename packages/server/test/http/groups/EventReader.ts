/** Reads a `text/event-stream` answer, event by event. */
export interface ReadEvent {
  readonly id: string
  readonly data: unknown
}

export const decodeEvents = (response: Response) => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let buffer = ""
  const next = async (): Promise<ReadEvent> => {
    for (;;) {
      const end = buffer.indexOf("\n\n")
      if (end >= 0) {
        const lines = buffer.slice(0, end).split("\n")
        buffer = buffer.slice(end + 2)
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const data = field("data")
        if (data !== undefined) return { id: field("id") ?? "", data: JSON.parse(data) }
        continue
      }
      const { done, value } = await reader.read()
      if (done) throw new Error(`the stream ended after ${JSON.stringify(buffer)}`)
      buffer += value
    }
  }
  return { next, close: () => reader.cancel() }
}
