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
  /**
   * What the text was decoded to; undefined when that is not known (any more). `key` is of the row that it was read of:
   * a text that this row had before is found by comparing the two, which costs less than looking all of it up.
   */
  readonly get: (text: string, key?: string) => A | undefined
  /** Keeps what a text was decoded to, which is frozen. */
  readonly keep: (text: string, value: A, key?: string) => void
}

interface Known<A> {
  readonly text: string
  readonly value: A
}

interface Generation<A> {
  readonly byText: Map<string, Known<A>>
  /** The text that a row had when it was last read. */
  readonly byKey: Map<string, Known<A>>
}

const generation = <A>(): Generation<A> => ({ byText: new Map(), byKey: new Map() })

const foundIn = <A>({ byKey, byText }: Generation<A>, text: string, key: string | undefined): Known<A> | undefined => {
  const last = key === undefined ? undefined : byKey.get(key)
  return last?.text === text ? last : byText.get(text)
}

/**
 * Knows no text yet. Those that were not read for a while are forgotten: when one generation is full, the one before it
 * goes.
 */
export const make = <A>(): KnownTexts<A> => {
  let [young, old] = [generation<A>(), generation<A>()]
  let chars = 0
  const put = (known: Known<A>, key: string | undefined): void => {
    const { length } = known.text
    if (chars + length > Limits.knownTextsChars) {
      old = young
      young = generation()
      chars = 0
    }
    young.byText.set(known.text, known)
    if (key !== undefined) young.byKey.set(key, known)
    chars += length
  }
  return {
    get: (text, key) => {
      const found = foundIn(young, text, key)
      if (found !== undefined) return found.value
      const before = foundIn(old, text, key)
      if (before !== undefined) put(before, key)
      return before?.value
    },
    keep: (text, value, key) => {
      if (text.length <= Limits.knownTextChars) put({ text, value }, key)
    }
  }
}
