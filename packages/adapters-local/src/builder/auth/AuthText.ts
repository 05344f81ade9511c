/**
 * The same look as at code and markup, at the letters alone: for what is too large to be parsed, or no parser takes.
 * It knows no comments, so that it may see more than there is. It looks back a bounded way from each hit.
 */
import { type AuthFinding, fieldFinding, packageFinding, type Spot } from "./AuthFinding.ts"
import { LocalLimits } from "../../LocalLimits.ts"

const imports = /\b(?:from|import|require|resolve|src|href)\b\s{0,20}[=(]?\s{0,20}["'`]([^"'`\s]{1,300})["'`]/g
const field =
  /(?:<[\w:-]{1,40}\s|["'`]input["'`]\s{0,4},|\bsetAttribute\(\s{0,4}["'`])[^<>;]{0,200}?\b(?:type|autocomplete)["'`]?\s{0,4}[:=,][^<>;{}]{0,40}$/i
const wanted = 10

/** Lines of places that only grow. */
const spots = (text: string): ((at: number) => Spot) => {
  let [line, from] = [1, 0]
  return (at) => {
    for (let next = text.indexOf("\n", from); next >= 0 && next < at; next = text.indexOf("\n", from)) {
      line++
      from = next + 1
    }
    return { line, column: null }
  }
}

/** What patterns find in a text that no parser can read: at most ten findings, with lines and without columns. */
export const textFindings = (text: string): ReadonlyArray<AuthFinding> => {
  const found: Array<AuthFinding> = []
  const spotOfImport = spots(text)
  for (const match of text.matchAll(imports)) {
    found.push(...packageFinding(match[1] ?? "", spotOfImport(match.index)))
    if (found.length >= wanted) return found
  }
  const spotOfField = spots(text)
  for (const { index } of text.matchAll(/password["'`\s>}),]/gi)) {
    if (field.test(text.slice(Math.max(0, index - LocalLimits.buildAuthBackLength), index)))
      found.push(fieldFinding('type="password"', spotOfField(index)))
    if (found.length >= wanted) return found
  }
  return found
}
