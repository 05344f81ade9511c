/** What a caller sent, as a message may repeat it. It stands apart from `Words`: a process of its own loads no Effect for it. */
import { Limits } from "./Limits.ts"

/** The first `Limits.repeatedLength` characters of what a caller sent, for a message that repeats it. */
export const short = (text: string): string =>
  text.length > Limits.repeatedLength ? `${text.slice(0, Limits.repeatedLength)}…` : text
