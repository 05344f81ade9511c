/**
 * A bundle without the declarations that nothing of it reaches. A bundler keeps each that calls something, for a call may
 * do more than answer. All packages that stand in a script say of themselves that loading them does nothing else
 * (`sideEffects: false`), so what is declared there and never named may go.
 */
import { type Cut, type Part, partsIn, statementsOf, withCuts } from "./SyntaxParts.ts"

/** One declaration, or a statement that is always kept. */
interface Item {
  /** What it declares; none for what is kept. */
  readonly names: ReadonlyArray<string>
  /** What it may reach: every name in it that is no name of a field. */
  readonly reached: ReadonlySet<string>
  readonly cut: Cut
}

/** The names in a part. A local one that a declaration has too counts for that: one too many is kept, and none is lost. */
const collect = (part: Part, names: Set<string>): Set<string> => {
  if (part.type === "Identifier" && part.name !== undefined) names.add(part.name)
  const isField = part.computed !== true && part.shorthand !== true
  for (const each of partsIn(part)) if (!isField || (each !== part.property && each !== part.key)) collect(each, names)
  return names
}

/** Whether it writes somewhere while it is evaluated, which is more than to declare. */
const writes = (part: Part): boolean =>
  part.type === "AssignmentExpression" ||
  part.type === "UpdateExpression" ||
  (!/Function/.test(part.type) && partsIn(part).some(writes))

const nowhere = { from: 0, to: 0, by: "" }

const kept = (part: Part): Item => ({ names: [], reached: collect(part, new Set()), cut: nowhere })

/** One declaration of several is cut with the comma behind it; the last one leaves an empty name. */
const variable = (part: Part): Item => {
  const { id, init } = part
  if (id?.type !== "Identifier" || id.name === undefined || init == null || writes(init)) return kept(part)
  // What is declared stays declared, as nothing: the minifier takes that away.
  return { names: [id.name], reached: collect(init, new Set()), cut: { from: init.start, to: init.end, by: "0" } }
}

const itemsOf = (statement: Part): ReadonlyArray<Item> => {
  const { declarations, id, type } = statement
  if (type === "VariableDeclaration") return (declarations ?? []).map(variable)
  const isNamed = (type === "FunctionDeclaration" || type === "ClassDeclaration") && id?.name !== undefined
  if (!isNamed || id?.name === undefined || (type === "ClassDeclaration" && writes(statement))) return [kept(statement)]
  const { end: to, start: from } = statement
  return [{ names: [id.name], reached: collect(statement, new Set()), cut: { from, to, by: "" } }]
}

/** The bundle, whose names must not be made short yet. */
export const withoutUnreached = (code: string): string => {
  const items = statementsOf("bundle.js", code).flatMap(itemsOf)
  const byName = new Map(items.flatMap((item) => item.names.map((name) => [name, item] as const)))
  const found = new Set<Item>()
  const open = items.filter(({ names }) => names.length === 0)
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (found.has(item)) continue
    found.add(item)
    for (const name of item.reached) {
      const next = byName.get(name)
      if (next !== undefined && !found.has(next)) open.push(next)
    }
  }
  return withCuts(
    code,
    items.filter((item) => !found.has(item)).map(({ cut }) => cut)
  )
}
