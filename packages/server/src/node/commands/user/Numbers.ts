/** Numbers as people give them. */
import { misused } from "./Refused.ts"
import type { Session } from "./Verb.ts"

/** A whole number above 0. */
export const countOf = (value: Session["value"], name: string, otherwise: number): number => {
  const given = value(name)
  if (given === undefined) return otherwise
  const count = Number(given)
  if (!Number.isSafeInteger(count) || count < 1) throw misused(`--${name} takes a whole number above 0, not "${given}"`)
  return count
}

/** A whole number from 0; with `letter` before it or without. */
export const wholeOf = (given: string, what: string, letter = ""): number => {
  const digits = given.toUpperCase().startsWith(letter) ? given.slice(letter.length) : given
  if (!/^\d{1,15}$/.test(digits)) throw misused(`"${given}" is no ${what}`)
  return Number(digits)
}
