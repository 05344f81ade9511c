/** What single expressions say of a path or a method, for the reading of routes. */
import { childrenOf, isNode, type Node, nodeAt, nodesAt, textAt } from "../auth/SyntaxTree.ts"
import { isStatic } from "./StaticPath.ts"
import { LocalLimits } from "../../LocalLimits.ts"

const wrappers = /^(?:TS(?:As|Satisfies|NonNull)Expression|TSTypeAssertion|ParenthesizedExpression|AwaitExpression)$/

/** An expression without the casts, parentheses and `await` around it. */
export const plain = (node: Node | null): Node | null => {
  let inner = node
  while (inner !== null && wrappers.test(inner.type)) inner = nodeAt(inner, "expression") ?? nodeAt(inner, "argument")
  return inner
}

/** The text of a literal, or of a name that stands for one. */
export const textOf = (node: Node | null, constants: ReadonlyMap<string, string>): string | null => {
  const inner = plain(node)
  if (inner === null) return null
  if (inner.type === "StringLiteral") return textAt(inner, "value")
  if (inner.type === "Identifier") return constants.get(textAt(inner, "name") ?? "") ?? null
  const [quasi] = nodesAt(inner, "quasis")
  if (inner.type !== "TemplateLiteral" || quasi === undefined || nodesAt(inner, "expressions").length > 0) return null
  const value = quasi["value"]
  return typeof value === "object" && value !== null && "cooked" in value && typeof value.cooked === "string"
    ? value.cooked
    : null
}

/** `/x` and `GET /x`; null for another method, and for what is no static path. */
export const getPath = (text: string | null): string | null => {
  const found = /^(?:([A-Z]+)\s+)?(\/\S*)$/.exec(text ?? "")
  const [, method, path] = found ?? []
  return path !== undefined && isStatic(path) && (method === undefined || method === "GET") ? path : null
}

/** The last name of an expression: `pathname` of `new URL(request.url).pathname`. */
export const nameOf = (node: Node | null): string | null => {
  const inner = plain(node)
  if (inner === null) return null
  if (!/^(?:Optional)?MemberExpression$/.test(inner.type)) return textAt(inner, "name")
  const property = nodeAt(inner, "property")
  return inner["computed"] === true ? textAt(property, "value") : textAt(property, "name")
}

const pathName = /^(?:path|pathname|route|url|uri|href)$|(?:^|_)(?:path|pathname|route)$|(?:Path|Pathname|Route)$/

const some = (root: Node, holds: (node: Node) => boolean): boolean => {
  const open: Array<Node> = [root]
  for (let count = 0; count < LocalLimits.routesNodes; count++) {
    const node = open.pop()
    if (node === undefined) return false
    if (holds(node)) return true
    open.push(...childrenOf(node))
  }
  return false
}

/** Whether an expression is made of the path that was asked for. `names` are variables that hold it. */
export const isPathish = (node: Node | null, names: ReadonlySet<string>): boolean =>
  node !== null &&
  !/Function/.test(node.type) &&
  some(node, (each) => {
    const name = nameOf(each)
    return name !== null && (pathName.test(name) || (each.type === "Identifier" && names.has(name)))
  })

const isMethodish = (node: Node | null): boolean => /method|verb/i.test(nameOf(node) ?? "")
const isEqual = (operator: unknown): boolean => operator === "===" || operator === "=="
const isUnequal = (operator: unknown): boolean => operator === "!==" || operator === "!="

/** The method that a comparison names, in capitals; null for any other expression. */
const methodCompared = (node: Node): { readonly method: string; readonly equal: boolean } | null => {
  const [left, right] = [nodeAt(node, "left"), nodeAt(node, "right")]
  const operator = node["operator"]
  if (node.type !== "BinaryExpression" || !(isEqual(operator) || isUnequal(operator))) return null
  const text = isMethodish(left)
    ? textAt(plain(right), "value")
    : isMethodish(right)
      ? textAt(plain(left), "value")
      : null
  return text === null ? null : { method: text.toUpperCase(), equal: isEqual(operator) }
}

/** Whether what follows a test is for another method than GET. */
export const isForOthers = (test: Node | null): boolean => {
  const inner = plain(test)
  if (inner === null) return false
  const compared = methodCompared(inner)
  if (compared !== null) return compared.equal ? !/^(?:GET|HEAD)$/.test(compared.method) : compared.method === "GET"
  const sides = [nodeAt(inner, "left"), nodeAt(inner, "right")]
  if (inner.type !== "LogicalExpression") return false
  return inner["operator"] === "&&" ? sides.some(isForOthers) : inner["operator"] === "||" && sides.every(isForOthers)
}

/** Whether a test is for GET alone, so that its other branch is for other methods. */
export const isForGet = (test: Node | null): boolean => {
  const compared = test === null ? null : methodCompared(plain(test) ?? test)
  return compared !== null && compared.equal && compared.method === "GET"
}

const isRedirect = (node: Node | null): boolean =>
  node !== null && /^(?:Optional)?CallExpression$/.test(node.type) && nameOf(nodeAt(node, "callee")) === "redirect"

/** What a body answers at once; null when it does more than that. */
const answered = (body: Node): Node | null => {
  if (body.type === "ReturnStatement") return plain(nodeAt(body, "argument"))
  if (body.type !== "BlockStatement") return plain(body)
  const [only, more] = nodesAt(body, "body")
  return only === undefined || more !== undefined || only.type !== "ReturnStatement" ? null : answered(only)
}

/**
 * Whether what a path leads to plainly answers GET with something else than a page: it sends on to another path, or it
 * refuses every method but others.
 */
export const isNoPage = (bodies: ReadonlyArray<Node>): boolean => {
  if (bodies.length === 1 && bodies.every((body) => isRedirect(answered(body)))) return true
  const comparisons: Array<{ readonly method: string; readonly equal: boolean }> = []
  let refuses = false
  for (const body of bodies)
    some(body, (node) => {
      const compared = methodCompared(node)
      if (compared !== null) comparisons.push(compared)
      refuses ||= node.type === "NumericLiteral" && node["value"] === 405
      return false
    })
  if (comparisons.some(({ method }) => method === "GET" || method === "HEAD")) return false
  return comparisons.length > 0 && (refuses || comparisons.some(({ equal }) => !equal))
}

/** A function as a value: no declaration. */
export const isFunction = (node: Node | null): boolean =>
  node !== null && /^(?:ArrowFunctionExpression|FunctionExpression|ObjectMethod)$/.test(node.type)

/** Whether an expression may be what answers: a function, or a name or a call that gives one. */
export const isHandler = (node: Node | null): boolean => {
  const inner = plain(node)
  return isFunction(inner) || /^(?:Identifier|(?:Optional)?MemberExpression|CallExpression)$/.test(inner?.type ?? "")
}

/** The body of a function, as a list of one; empty for any other expression. */
export const bodyOf = (handler: Node | null): ReadonlyArray<Node> => {
  const inner = plain(handler)
  const body = inner !== null && isFunction(inner) ? nodeAt(inner, "body") : null
  return body === null ? [] : [body]
}

/** Its offset in the text, in UTF-16 code units. */
export const startOf = (node: Node): number => (typeof node["start"] === "number" ? node["start"] : 0)

/** The properties of an object by their names; spread ones are left out. */
export const fieldsOf = (node: Node): ReadonlyMap<string, Node> => {
  const fields = new Map<string, Node>()
  for (const property of nodesAt(node, "properties")) {
    const key = nodeAt(property, "key")
    const name = textAt(key, "value") ?? (property["computed"] === true ? null : textAt(key, "name"))
    const value = property.type === "ObjectMethod" ? property : nodeAt(property, "value")
    if (name !== null && isNode(value)) fields.set(name, value)
  }
  return fields
}
