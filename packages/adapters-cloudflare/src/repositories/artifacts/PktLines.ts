/** The lines in which git speaks over HTTP (gitprotocol-common): four hex digits of length, and that much. Pure. */
import { utf8 } from "@pawl/core/primitives/Digest"
import { textOf } from "@pawl/core/primitives/Utf8"
import { joined } from "@pawl/core/primitives/JoinedBytes"

const headBytes = 4

/** One line. */
export const pktLine = (text: string): Uint8Array => {
  const content = utf8(text)
  return joined([utf8((content.length + headBytes).toString(16).padStart(headBytes, "0")), content])
}

/** The line that ends a list. */
export const flushLine: Uint8Array = utf8("0000")

/** Lines, and what follows them. */
export interface PktLines {
  readonly lines: ReadonlyArray<Uint8Array>
  /** A pack that is not in lines; empty without one. */
  readonly rest: Uint8Array
}

const isPack = (bytes: Uint8Array, at: number): boolean => textOf(bytes.subarray(at, at + headBytes)) === "PACK"

/** The lines of an answer, without those that only end a list; null when it is cut off or no lines at all. */
export const pktLinesIn = (bytes: Uint8Array): PktLines | null => {
  const lines: Array<Uint8Array> = []
  let at = 0
  while (at < bytes.length && !isPack(bytes, at)) {
    const head = textOf(bytes.subarray(at, at + headBytes))
    const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : Number.NaN
    if (Number.isNaN(length) || at + length > bytes.length || length === 3) return null
    if (length >= headBytes) lines.push(bytes.subarray(at + headBytes, at + length))
    at += Math.max(length, headBytes)
  }
  return { lines, rest: bytes.subarray(at) }
}

/** A line as text, without the newline at its end. */
export const lineText = (line: Uint8Array): string => textOf(line).replace(/\n$/, "")
