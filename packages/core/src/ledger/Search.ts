/**
 * Lists that keep some of their records by what stands in these alone. No index leads there: they are looked through, a
 * bounded number for each answer, and its cursor says how far that went.
 */
import { Effect } from "effect"
import { Limits } from "../primitives/Limits.ts"

/** Some of a list, in its order. */
export interface ListPage<A> {
  readonly items: ReadonlyArray<A>
  /** The cursor behind each item. */
  readonly cursors: ReadonlyArray<string>
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** What was found, in the order of the list. */
export interface Found<A> {
  readonly items: ReadonlyArray<A>
  /** Where to look on; null when all were looked through. */
  readonly nextCursor: string | null
}

/** Which page of what is found is asked for. */
export interface Asked {
  /** Default and at most `Limits.pageSize`. */
  readonly limit?: number
  readonly cursor?: string
}

/**
 * Looks through a list from a cursor on, until `limit` records fit or `Limits.searchedRecords` were looked through: then
 * there are fewer than `limit`, or none, and still a next page. `page` answers some of the list behind a cursor.
 */
export const search = Effect.fnUntraced(function* <A, E, R>(
  page: (asked: Asked) => Effect.Effect<ListPage<A>, E, R>,
  fits: (record: A) => boolean,
  asked: Asked
) {
  const limit = Math.min(asked.limit ?? Limits.pageSize, Limits.pageSize)
  const items: Array<A> = []
  let { cursor } = asked
  for (let looked = 0; looked < Limits.searchedRecords; looked += Limits.pageSize) {
    const { cursors, items: next, nextCursor } = yield* page(cursor === undefined ? {} : { cursor })
    for (const [index, record] of next.entries()) {
      if (!fits(record)) continue
      items.push(record)
      const isLast = index === next.length - 1
      if (items.length === limit) return found(items, isLast ? nextCursor : (cursors[index] ?? null))
    }
    if (nextCursor === null) return found(items, null)
    cursor = nextCursor
  }
  return found(items, cursor ?? null)
})

const found = <A>(items: ReadonlyArray<A>, nextCursor: string | null): Found<A> => ({ items, nextCursor })

/**
 * A text without the difference between capitals and others: what one character becomes depends on no other, so that a
 * database can do the same. JavaScript alone ends a word with another small sigma.
 */
export const folded = (text: string): string => text.toLowerCase().replaceAll("ς", "σ")

/** What is looked for, `folded`: its words, and all of it as an id may begin. */
export interface Sought {
  readonly words: ReadonlyArray<string>
  readonly whole: string
}

/** What a text asks for. */
export const soughtBy = (asked: string): Sought => {
  const whole = folded(asked.trim())
  return { words: whole.split(/\s+/u), whole }
}

/**
 * Whether each word of `asked` stands somewhere in a text, in capitals or not; or an id begins as all of it does. All
 * texts have no words.
 */
export const speaking = (asked: string): ((text: string, id: string) => boolean) => {
  const { whole, words } = soughtBy(asked)
  return (text, id) => {
    const lower = folded(text)
    return words.every((word) => lower.includes(word)) || id.startsWith(whole)
  }
}
