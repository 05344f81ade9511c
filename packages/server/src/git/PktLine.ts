/** git's framing: four hex digits that say how long a line is, themselves included; `0000` ends a list. */
import { utf8 } from "@pawl/core/primitives/Digest"
import { joined } from "@pawl/core/primitives/JoinedBytes"
import { textOf } from "@pawl/core/primitives/Utf8"
import { ServerLimits } from "../ServerLimits.ts"

/** The mark that ends a list. */
export const flush: Uint8Array = utf8("0000")

/** Frames text or bytes, at most `ServerLimits.gitLineBytes`. */
export const line = (text: string | Uint8Array): Uint8Array => {
  const body = typeof text === "string" ? utf8(text) : text
  return joined([utf8((body.length + 4).toString(16).padStart(4, "0")), body])
}

/** One line of a body, or its end mark. */
export interface Line {
  /** Null for the mark that ends a list. */
  readonly body: Uint8Array | null
  readonly next: number
}

/** The line at an offset, or `undefined` when there is no whole one. */
export const lineAt = (bytes: Uint8Array, at: number): Line | undefined => {
  const digits = textOf(bytes.subarray(at, at + 4))
  if (!/^[0-9a-f]{4}$/i.test(digits)) return undefined
  const length = Number.parseInt(digits, 16)
  if (length === 0) return { body: null, next: at + 4 }
  if (length < 4 || at + length > bytes.length) return undefined
  return { body: bytes.subarray(at + 4, at + length), next: at + length }
}

/** Text for a band of a multiplexed answer, in as many lines as it takes. */
export const band = (number: 1 | 2 | 3, body: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  const most = ServerLimits.gitLineBytes - 1
  for (let at = 0; at < body.length; at += most)
    lines.push(line(joined([Uint8Array.of(number), body.subarray(at, at + most)])))
  return lines
}
