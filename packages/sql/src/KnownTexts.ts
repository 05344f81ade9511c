/**
 * What texts were decoded to. A text that is read again is the same record, whatever was written meanwhile: nothing here
 * can be out of date, and a row is decoded once for all who read it.
 */
import { Limits } from "@pawl/core/primitives/Limits"

/** Freezes a value with all that it holds, and answers it: whoever reads its text again gets the same one. */
export const frozen = <A>(value: A): A => {
  // What is frozen is so with all that it holds.
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const each of Object.values(value)) frozen(each)
    Object.freeze(value)
  }
  return value
}

/** Texts and what they were decoded to, within a bound. */
export interface KnownTexts<A> {
  /** What the text was decoded to; undefined when that is not known (any more). */
  readonly get: (text: string) => A | undefined
  /** Keeps what a text was decoded to, which is frozen. */
  readonly keep: (text: string, value: A) => void
}

/**
 * Knows no text yet. Those that were not read for a while are forgotten: when one generation is full, the one before it
 * goes.
 */
export const make = <A>(): KnownTexts<A> => {
  let [young, old] = [new Map<string, A>(), new Map<string, A>()]
  let chars = 0
  const put = (text: string, value: A): void => {
    if (chars + text.length > Limits.knownTextsChars) {
      old = young
      young = new Map()
      chars = 0
    }
    young.set(text, value)
    chars += text.length
  }
  return {
    get: (text) => {
      const found = young.get(text)
      if (found !== undefined) return found
      const before = old.get(text)
      if (before !== undefined) put(text, before)
      return before
    },
    keep: (text, value) => {
      if (text.length <= Limits.knownTextChars) put(text, value)
    }
  }
}
