/** Server-sent events out of a stream of text, in whatever pieces it comes. */

/** One event: its id where it has one, and its data. */
export interface SentEvent {
  readonly id: string | null
  readonly data: string
}

const eventOf = (block: string): SentEvent | null => {
  let id: string | null = null
  const data: Array<string> = []
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (name === "id") id = value
    if (name === "data") data.push(value)
  }
  return data.length === 0 ? null : { id, data: data.join("\n") }
}

/** Takes the pieces of one stream, and answers the events that each of them completes. Comments are none. */
export const frameReader = (): ((piece: string) => ReadonlyArray<SentEvent>) => {
  let rest = ""
  return (piece) => {
    // A line may end in \r\n, and its two characters may come apart.
    const text = (rest + piece).replaceAll("\r\n", "\n")
    const blocks = text.split("\n\n")
    rest = blocks.pop() ?? ""
    return blocks.flatMap((block) => eventOf(block) ?? [])
  }
}
