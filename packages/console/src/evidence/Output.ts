/** The output of a check, read as far as a page can show it. */
import { addressOf } from "../api/Client.ts"
import { askText } from "../api/PlainText.ts"
import type { CallOptions } from "../api/Wire.ts"

/** The beginning of an output; `isWhole` when that is all of it. */
export interface Output {
  readonly text: string
  readonly isWhole: boolean
}

/** Bytes that are read. The rest is never asked of the server: the answer is given up. */
const mostBytes = 256 * 1024

/** Where the whole of it is to be had, as plain text. */
export const outputLink = (evidenceId: string): string =>
  addressOf({ method: "GET", path: "/v1/evidence/:id/output", params: { id: evidenceId } })

/** Reads the pieces of a body until there are `most` bytes of it. */
export const readStart = async (body: ReadableStream<Uint8Array>, most: number): Promise<Output> => {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ""
  let left = most
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), isWhole: true }
    text += decoder.decode(value.subarray(0, left), { stream: true })
    left -= value.length
    if (left < 0) {
      await reader.cancel()
      return { text, isWhole: false }
    }
  }
}

/** Asks for it. Throws a `Refusal`. */
export const outputOf = async (evidenceId: string, options: CallOptions): Promise<Output> => {
  const { body } = await askText(outputLink(evidenceId), options)
  return body === null ? { text: "", isWhole: true } : readStart(body, mostBytes)
}
