/** git's framing: four hex digits that say how long a line is, themselves included; `0000` ends a list. */
import { ServerLimits } from "../../ServerLimits.ts"

/** The mark that ends a list. */
export const flush: Buffer = Buffer.from("0000", "latin1")

/** Frames text or bytes, at most `ServerLimits.gitLineBytes`. */
export const line = (text: string | Uint8Array): Buffer => {
  const body = typeof text === "string" ? Buffer.from(text, "utf8") : text
  return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, "0"), "latin1"), body])
}

/** One line of a buffer, or its end mark. */
export interface Line {
  /** Null for the mark that ends a list. */
  readonly body: Buffer | null
  readonly next: number
}

/** The line at an offset, or `undefined` when there is no whole one. */
export const lineAt = (buffer: Buffer, at: number): Line | undefined => {
  const digits = buffer.toString("latin1", at, at + 4)
  if (!/^[0-9a-f]{4}$/i.test(digits)) return undefined
  const length = Number.parseInt(digits, 16)
  if (length === 0) return { body: null, next: at + 4 }
  if (length < 4 || at + length > buffer.length) return undefined
  return { body: buffer.subarray(at + 4, at + length), next: at + length }
}

/** Text for a band of a multiplexed answer, in as many lines as it takes. */
export const band = (number: 1 | 2 | 3, body: Uint8Array): ReadonlyArray<Buffer> => {
  const lines: Array<Buffer> = []
  const most = ServerLimits.gitLineBytes - 1
  for (let at = 0; at < body.length; at += most)
    lines.push(line(Buffer.concat([Buffer.from([number]), body.subarray(at, at + most)])))
  return lines
}
