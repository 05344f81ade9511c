/** The answer to a push: what became of each ref, and the words that git shows as `remote: …`. */
import { joined } from "@pawl/core/primitives/JoinedBytes"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import { band, flush, line } from "./PktLine.ts"
import type { PushRequest } from "./PushRequest.ts"

/** What became of one ref. */
export interface Outcome {
  /** Null when it was taken; else a few words for the line of the ref. */
  readonly refused: string | null
  /** For a person, a line each. */
  readonly says: ReadonlyArray<string>
}

// Control characters of what was pushed must not reach a terminal.
const plain = (text: string): string => text.replace(/\p{Cc}/gu, " ")

/** The bytes of the answer. The outcome is that of every ref: more than one are never taken. */
export const reportOf = ({ capabilities, updates }: PushRequest, { refused, says }: Outcome): Uint8Array => {
  const words = refused === null ? null : plain(refused).slice(0, Limits.repeatedLength)
  const report = joined([
    line("unpack ok\n"),
    ...updates.map(({ ref }) => line(words === null ? `ok ${ref}\n` : `ng ${ref} ${words}\n`)),
    flush
  ])
  const reported = capabilities.has("report-status") ? report : new Uint8Array()
  if (!capabilities.has("side-band-64k")) return reported
  const said = utf8(says.map((each) => `${plain(each)}\n`).join(""))
  return joined([...band(2, said), ...band(1, reported), flush])
}
