/** How long texts are shown to a model: a page at a time, and the end of what a check said. */
import { ServerLimits } from "../ServerLimits.ts"

/** A page of a text, and where it goes on; null for its end. */
export interface TextPage {
  readonly text: string
  readonly nextOffset: number | null
}

/** The page of a text that begins at a character. */
export const pageOf = (whole: string, offset = 0): TextPage => {
  const end = offset + ServerLimits.mcpTextLength
  // Not in the middle of a character that is two units.
  const isPair = (whole.codePointAt(end - 1) ?? 0) > 0xffff
  const cut = isPair ? end - 1 : end
  return { text: whole.slice(offset, cut), nextOffset: cut < whole.length ? cut : null }
}

/** The end of what a check said, from the beginning of a line where it is cut. */
export const endOf = (output: string): string => {
  if (output.length <= ServerLimits.mcpOutputLength) return output
  const end = output.slice(-ServerLimits.mcpOutputLength)
  return `…${end.slice(end.indexOf("\n") + 1)}`
}

/** Where a page that is not the last says how to go on. */
export const goesOn = (nextOffset: number | null): string =>
  nextOffset === null ? "" : `\n(It goes on: ask again with offset ${nextOffset}.)`
