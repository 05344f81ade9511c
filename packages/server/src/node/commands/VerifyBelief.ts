/** Whom `pawl verify` believes of a Project. */
import { short } from "@pawl/core/primitives/ShortText"
import type { MaterialUnreadable } from "@pawl/core/proof/Material"
import { Effect } from "effect"
import { keyidsIn, type MemoryUnusable, pinnedKeys } from "../proof/KnownCheckpoints.ts"
import type { Subject } from "../proof/Subjects.ts"
import { type Asked, firstKey } from "../proof/Verification.ts"
import { CannotAsk } from "./Remote.ts"

const howToPin =
  "no key is trusted: give --key SHA256:… (the server's `pawl key show` prints it; compare it with what its operator tells elsewhere), or --trust-on-first-use to pin the one that is there"

/** Whom to believe of a Project, which of that is to be pinned, and what is to be said of it. */
interface Belief extends Pick<Asked, "keys" | "pins"> {
  readonly remarks: ReadonlyArray<string>
}

const byItself = (keys: ReadonlyArray<string>): string =>
  `the pack itself names whom to believe, ${short(keyidsIn(keys.join(" ")).join(" "))}: compare that with what its operator tells elsewhere, and give it as --key`

/** The keys that are trusted: those given, else those pinned for this Project, else what a pack says itself. */
export const beliefOf = Effect.fnUntraced(function* (
  subject: Subject,
  {
    given,
    state,
    usesFirst
  }: { readonly given: ReadonlyArray<string>; readonly state: string; readonly usesFirst: boolean }
): Effect.fn.Return<Belief, CannotAsk | MaterialUnreadable | MemoryUnusable> {
  const known = given.length > 0 ? given : yield* pinnedKeys(state, subject.project)
  if (known.length > 0) return { keys: known, pins: null, remarks: [] }
  const first = usesFirst ? yield* firstKey(subject) : null
  if (first !== null) return { keys: [first], pins: first, remarks: [] }
  const own = subject.trust?.keys ?? []
  return own.length === 0
    ? yield* new CannotAsk({ reason: howToPin })
    : { keys: own, pins: null, remarks: [byItself(own)] }
})
