/**
 * The contract without what only its document tells: titles, descriptions and what is changed of the document by hand. A
 * script decodes and encodes by the contract; the document is made when the scripts are laid out (`openapi.txt`).
 */
import { type Cut, type Part, partsIn, statementsOf, withCuts } from "./SyntaxParts.ts"

const isNamed = (part: Part | undefined, name: string): boolean => part?.type === "Identifier" && part.name === name

/** Whether it is `OpenApi.…`, or a call of it. */
const isOfDocument = (part: Part | undefined): boolean =>
  part?.type === "CallExpression"
    ? isOfDocument(part.callee)
    : part?.type === "MemberExpression" && isNamed(part.object, "OpenApi")

const isAnnotating = (callee: Part): boolean =>
  callee.type === "MemberExpression" &&
  (isNamed(callee.property, "annotate") || isNamed(callee.property, "annotateMerge"))

/** What is cut of one call; null for one that tells nothing. */
const cutOf = ({ arguments: given = [], callee, end, start }: Part): Cut | null => {
  const [first, second] = given
  if (callee === undefined || first === undefined) return null
  if (isNamed(callee, "about") && second !== undefined) return { from: first.end, to: end - 1, by: "" }
  if (isOfDocument(callee)) return { from: first.start, to: end - 1, by: "{}" }
  if (!isAnnotating(callee) || !isOfDocument(first)) return null
  // A step of a pipe of its own, and else one of a chain.
  return callee.object?.type === "Identifier"
    ? { from: start, to: end, by: "(same) => same" }
    : { from: callee.object?.end ?? start, to: end, by: "" }
}

const cutsIn = (part: Part): ReadonlyArray<Cut> => {
  const own = part.type === "CallExpression" ? cutOf(part) : null
  // What was cut is gone; what stands before it in a chain is looked at.
  const inner = partsIn(part).flatMap(cutsIn)
  return own === null ? inner : [own, ...inner.filter(({ from, to }) => to <= own.from || from >= own.to)]
}

/** A module of the contract, without them. */
export const withoutWords = (text: string): string => withCuts(text, statementsOf("contract.ts", text).flatMap(cutsIn))

const fieldsIn = (part: Part, names: ReadonlySet<string>): ReadonlyArray<Part> =>
  part.type === "Property" && names.has(part.key?.name ?? "")
    ? [part]
    : part.type === "ObjectPattern"
      ? []
      : partsIn(part).flatMap((each) => fieldsIn(each, names))

/** A module without what stands in objects under these names, which no script reads. */
export const withoutFields = (text: string, names: ReadonlySet<string>): string =>
  withCuts(
    text,
    statementsOf("fields.ts", text)
      .flatMap((statement) => fieldsIn(statement, names))
      .map(({ end, start }) => ({
        from: start,
        to: end + (/^\s*,/.exec(text.slice(end))?.[0].length ?? 0),
        by: ""
      }))
  )
