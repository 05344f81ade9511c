/**
 * Looks for packages of real login and for password fields in JavaScript and TypeScript, also with JSX. It reads what
 * is plain: a field that a program puts together at run time cannot be seen in its source.
 */
import { type AuthFinding, fieldFinding, nowhere, packageFinding, passwordAttribute, type Spot } from "./AuthFinding.ts"
import { childrenOf, type Node, nodeAt, nodesAt, syntaxTree, textAt } from "./SyntaxTree.ts"

const spotOf = (node: Node): Spot => {
  const loc = node["loc"]
  const start = typeof loc === "object" && loc !== null && "start" in loc ? loc.start : null
  return typeof start === "object" && start !== null && "line" in start && "column" in start
    ? { line: Number(start.line), column: Number(start.column) + 1 }
    : nowhere
}

const wrappers = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "ParenthesizedExpression",
  "JSXExpressionContainer"
])
const isSum = (node: Node): boolean => node.type === "BinaryExpression" && node["operator"] === "+"
/** Expressions inside expressions that are looked into for one text. */
const maxDepth = 16

/** Every text that an expression may plainly be; none when that is known only at run time. */
const textsOf = (node: Node | null, depth = maxDepth): ReadonlyArray<string> => {
  if (node === null || depth === 0) return []
  const inner = (field: string) => textsOf(nodeAt(node, field), depth - 1)
  if (node.type === "StringLiteral") return [textAt(node, "value") ?? ""]
  if (node.type === "TemplateLiteral" || isSum(node)) {
    const { text, known } = joined(node, depth - 1)
    return known ? [text] : []
  }
  if (node.type === "ConditionalExpression") return [...inner("consequent"), ...inner("alternate")]
  if (node.type === "LogicalExpression") return [...inner("left"), ...inner("right")]
  return wrappers.has(node.type) ? inner("expression") : []
}

/** The parts of a sum or a template, in order. A long sum is a deep tree, so that this does not call itself. */
const partsOf = (node: Node): ReadonlyArray<Node> => {
  const parts: Array<Node> = []
  const open: Array<Node> = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const left = nodeAt(next, "left")
    const right = nodeAt(next, "right")
    if (isSum(next) && left !== null && right !== null) open.push(right, left)
    else if (next.type === "TemplateLiteral") {
      const expressions = nodesAt(next, "expressions")
      for (const [at, quasi] of [...nodesAt(next, "quasis").entries()].reverse()) {
        const expression = expressions[at]
        if (expression !== undefined) open.push(expression)
        open.push(quasi)
      }
    } else parts.push(next)
  }
  return parts
}

const quasiText = (node: Node): string => {
  const value = node["value"]
  if (typeof value !== "object" || value === null) return ""
  if ("cooked" in value && typeof value.cooked === "string") return value.cooked
  return "raw" in value && typeof value.raw === "string" ? value.raw : ""
}

/** One text out of its parts. What is not known is an `x`; of several choices the one that asks for a password. */
const joined = (node: Node, depth: number): { readonly text: string; readonly known: boolean } => {
  let text = ""
  let known = true
  for (const part of partsOf(node)) {
    if (part.type === "TemplateElement") text += quasiText(part)
    else {
      const texts = textsOf(part, depth)
      known &&= texts.length > 0
      text += texts.find((one) => /password/i.test(one)) ?? texts[0] ?? "x"
    }
  }
  return { text, known }
}

const nameOf = (node: Node | null): string | null => {
  if (node === null) return null
  if (node.type === "MemberExpression" || node.type === "OptionalMemberExpression") {
    const property = nodeAt(node, "property")
    return node["computed"] === true ? (textsOf(property)[0] ?? null) : nameOf(property)
  }
  return textAt(node, "name") ?? (node.type === "StringLiteral" ? textAt(node, "value") : null)
}

const said = (name: string | null, value: Node | null): string | null => {
  if (name === null) return null
  for (const text of textsOf(value)) {
    const words = passwordAttribute(name, text)
    if (words !== null) return words
  }
  return null
}

/** What an object of attributes says of a password: `{ type: "password" }`. */
const saidByObject = (node: Node | null | undefined): string | null => {
  if (node?.type !== "ObjectExpression") return null
  for (const property of nodesAt(node, "properties")) {
    const key = nodeAt(property, "key")
    const name = property["computed"] === true ? (textsOf(key)[0] ?? null) : nameOf(key)
    const words = said(name, nodeAt(property, "value"))
    if (words !== null) return words
  }
  return null
}

const ofJsx = (node: Node): ReadonlyArray<AuthFinding> => {
  for (const attribute of nodesAt(node, "attributes")) {
    const words =
      attribute.type === "JSXSpreadAttribute"
        ? saidByObject(nodeAt(attribute, "argument"))
        : said(textAt(nodeAt(attribute, "name"), "name"), nodeAt(attribute, "value"))
    const element = nameOf(nodeAt(node, "name")) ?? "input"
    if (words !== null) return [fieldFinding(`<${element.slice(0, 40)} ${words}>`, spotOf(attribute))]
  }
  return []
}

/** What makes elements in the libraries that people use, and in what their JSX becomes. */
const makers =
  /^(?:_?jsxs?|_?jsxDEV|createElement|cloneElement|h|createVNode|_createVNode|_createElementVNode|createElementVNode|createElementBlock|_createElementBlock)$/
const isInput = (node: Node | undefined): boolean =>
  textsOf(node ?? null).some((text) => text.toLowerCase() === "input")

/** `import()`, `require()`, `require.resolve()` and `import.meta.resolve()`. */
const isLoader = (callee: Node | null): boolean => {
  if (callee?.type !== "MemberExpression") return callee?.type === "Import" || nameOf(callee) === "require"
  const object = nodeAt(callee, "object")
  return nameOf(callee) === "resolve" && (object?.type === "MetaProperty" || nameOf(object) === "require")
}

const ofCall = (node: Node): ReadonlyArray<AuthFinding> => {
  const callee = nodeAt(node, "callee")
  const name = nameOf(callee)
  const [first, second, third] = nodesAt(node, "arguments")
  if (isLoader(callee)) return textsOf(first ?? null).flatMap((text) => packageFinding(text, spotOf(node)))
  if (name === "setAttribute" || name === "setAttributeNS") {
    const [key, value] = name === "setAttribute" ? [first, second] : [second, third]
    const words = said(textsOf(key ?? null)[0] ?? null, value ?? null)
    return words === null ? [] : [fieldFinding(`${name} of ${words}`, spotOf(node))]
  }
  const makesInput = first?.type === "CallExpression" && nodesAt(first, "arguments").some(isInput)
  const words =
    isInput(first) || makers.test(name ?? "") || (name === "assign" && makesInput) ? saidByObject(second) : null
  return words === null ? [] : [fieldFinding(`an input with ${words}`, spotOf(node))]
}

const ofImport = (node: Node): ReadonlyArray<AuthFinding> => {
  const specifiers = nodesAt(node, "specifiers")
  const kind = (one: Node) => one["importKind"] ?? one["exportKind"]
  // An import of types alone leaves nothing in the app.
  if (kind(node) === "type" || (specifiers.length > 0 && specifiers.every((one) => kind(one) === "type"))) return []
  const source = nodeAt(node, "source") ?? nodeAt(nodeAt(node, "moduleReference") ?? node, "expression")
  return textsOf(source).flatMap((text) => packageFinding(text, spotOf(node)))
}

const ofAssignment = (node: Node): ReadonlyArray<AuthFinding> => {
  const left = nodeAt(node, "left")
  const words = left?.type === "MemberExpression" ? said(nameOf(left), nodeAt(node, "right")) : null
  return words === null ? [] : [fieldFinding(`an element that becomes ${words}`, spotOf(node))]
}

const looks: Readonly<Record<string, (node: Node) => ReadonlyArray<AuthFinding>>> = {
  ImportDeclaration: ofImport,
  ExportNamedDeclaration: ofImport,
  ExportAllDeclaration: ofImport,
  TSImportEqualsDeclaration: ofImport,
  ImportExpression: ofImport,
  CallExpression: ofCall,
  OptionalCallExpression: ofCall,
  AssignmentExpression: ofAssignment,
  JSXOpeningElement: ofJsx
}

const isMarkup = (text: string): boolean => text.includes("<") && /password|&#/i.test(text)

/** Sees every node once. A sum of texts is seen as one. */
const findingsIn = (
  root: Node,
  markup: (text: string, spot: Spot) => ReadonlyArray<AuthFinding>
): ReadonlyArray<AuthFinding> => {
  const found: Array<AuthFinding> = []
  const open: Array<Node> = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const isText = node.type === "StringLiteral" || node.type === "TemplateLiteral" || isSum(node)
    if (isText) {
      const text = node.type === "StringLiteral" ? (textAt(node, "value") ?? "") : joined(node, maxDepth).text
      if (isMarkup(text)) found.push(...markup(text, spotOf(node)))
      for (const part of node.type === "StringLiteral" ? [] : partsOf(node))
        if (part.type !== "TemplateElement" && part.type !== "StringLiteral") open.push(part)
    } else {
      if (Object.hasOwn(looks, node.type)) found.push(...(looks[node.type]?.(node) ?? []))
      for (const child of childrenOf(node)) open.push(child)
    }
  }
  return found
}

/**
 * The packages of real login that code imports, and the password fields that it makes; `markup` looks through texts
 * that may be HTML. `path` tells by its extension which kind of code it is. Null when the text cannot be read as that.
 */
export const codeFindings = (
  path: string,
  text: string,
  markup: (text: string, spot: Spot) => ReadonlyArray<AuthFinding>
): ReadonlyArray<AuthFinding> | null => {
  const tree = syntaxTree(path, text)
  try {
    return tree === null ? null : findingsIn(tree, markup)
  } catch {
    // What is nested too deeply to be looked through.
    return null
  }
}
