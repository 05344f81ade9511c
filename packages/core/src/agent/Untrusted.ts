/**
 * What strangers can write is told to a model as data: in a fence that has a name of its own in each run, so that no text
 * can end it. A fence persuades a model; what holds is that no tool of its can do harm.
 */
import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { Secrets } from "../access/Secrets.ts"
import { Limits } from "../primitives/Limits.ts"
import { short } from "../primitives/ShortText.ts"

/** A name that nobody could know before: `data-` and hex digits. Of a run it is made once, and journalled. */
export const newFence = Effect.map(
  Effect.flatMap(Secrets, (secrets) => secrets.bytes(Limits.fenceBytes)),
  (bytes) => `data-${Hex.encode(bytes)}`
)

/** A text in which the name does not stand. What takes its place holds no letter of it, so that none comes together anew. */
const withoutName = (fence: string, text: string): string => text.replaceAll(new RegExp(fence, "gi"), "…")

/** Control characters but line ends and tabs say nothing to a model, and hide things from people. */
const plain = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, "")

/** A text in its fence. `of` says in a few words where it comes from; it may itself be a stranger's, such as a path. */
export const fenced = (fence: string, of: string, text: string): string => {
  const label = withoutName(fence, plain(short(of)).replaceAll(/[<>"\n\t]/g, " "))
  return `<${fence} of="${label}">\n${withoutName(fence, plain(text))}\n</${fence}>`
}
