/** The named parts of one file of code: what it declares at its top, the members of its classes, its imports, its tests. */
import { Limits } from "@pawl/core/primitives/Limits"
import type { NamedPart } from "@pawl/core/project/Symbols"
import { type Node, nodeAt, nodesAt, syntaxTree, textAt } from "../builder/auth/SyntaxTree.ts"
import { fileRoutes } from "../builder/routes/RouteCode.ts"

type Part = NamedPart

const oneLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, Limits.symbolLength)

/** The lines that a text's offsets stand in, from 1 on. */
const linesOf = (text: string): ((offset: number) => number) => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}

const offset = (node: Node, field: "start" | "end"): number => (typeof node[field] === "number" ? node[field] : 0)

/** What an identifier, a text, a number or a private name is called; null for what is computed. */
const keyOf = (key: Node | null): string | null => {
  if (key === null) return null
  if (key.type === "PrivateName") return `#${textAt(nodeAt(key, "id"), "name") ?? ""}`
  if (typeof key["value"] === "number") return String(key["value"])
  return textAt(key, "name") ?? textAt(key, "value")
}

/** The first argument of a call when it is a text. */
const firstText = (call: Node): string | null => {
  const [first] = nodesAt(call, "arguments")
  return first?.type === "StringLiteral" ? textAt(first, "value") : null
}

/** The body of the function that is the last argument of a call. */
const lastBody = (call: Node): Node | null => {
  const last = nodesAt(call, "arguments").at(-1)
  const body = last !== undefined && /Function/.test(last.type) ? nodeAt(last, "body") : null
  return body?.type === "BlockStatement" ? body : null
}

const exportPattern = /^Export(?:Named|Default)Declaration$/

class Reader {
  readonly parts: Array<Part> = []
  readonly text: string
  readonly lineOf: (offset: number) => number

  constructor(text: string) {
    this.text = text
    this.lineOf = linesOf(text)
  }

  /** The last line of what ends before an offset. */
  add(name: string, start: number, end: number): void {
    const from = this.lineOf(start)
    this.parts.push({ kind: "symbol", name: oneLine(name), from, to: Math.max(from, this.lineOf(end - 1)) })
  }

  source(node: Node, cut = Number.POSITIVE_INFINITY): string {
    return this.text.slice(offset(node, "start"), Math.min(offset(node, "end"), offset(node, "start") + cut))
  }

  statement(node: Node): void {
    const [start, end] = [offset(node, "start"), offset(node, "end")]
    if (node.type === "ImportDeclaration")
      return this.add(`import ${textAt(nodeAt(node, "source"), "value") ?? ""}`, start, end)
    const inner = exportPattern.test(node.type) ? nodeAt(node, "declaration") : node
    if (inner === null || node.type === "ExportAllDeclaration")
      return this.add(`export ${textAt(nodeAt(node, "source"), "value") ?? "list"}`, start, end)
    if (inner.type === "VariableDeclaration") return this.variables(inner, start, end)
    const name = textAt(nodeAt(inner, "id"), "name")
    const fallback = node.type === "ExportDefaultDeclaration" ? "default" : "statement"
    if (/^Class(?:Declaration|Expression)$/.test(inner.type)) return this.class(name ?? fallback, inner, start, end)
    if (inner.type === "ExpressionStatement") return this.call(inner, start, end, "")
    this.add(name ?? textAt(nodeAt(inner, "id"), "value") ?? fallback, start, end)
  }

  /** Each variable has its lines; the first those of the beginning too. */
  variables(node: Node, start: number, end: number): void {
    const all = nodesAt(node, "declarations")
    for (const [index, each] of all.entries()) {
      const id = nodeAt(each, "id")
      const name = textAt(id, "name") ?? (id === null ? "variable" : this.source(id, Limits.symbolLength))
      const last = index === all.length - 1
      this.add(name, index === 0 ? start : offset(each, "start"), last ? end : offset(each, "end"))
    }
  }

  /** What stands around some parts of a node has the name of the node. */
  around(name: string, start: number, end: number, inside: ReadonlyArray<Node>, each: (node: Node) => void): void {
    const [first, last] = [inside[0], inside.at(-1)]
    if (first === undefined || last === undefined) return this.add(name, start, end)
    this.add(name, start, offset(first, "start"))
    for (const node of inside) each(node)
    this.add(name, offset(last, "end"), end)
  }

  class(name: string, node: Node, start: number, end: number): void {
    const body = nodeAt(node, "body")
    this.around(name, start, end, body === null ? [] : nodesAt(body, "body"), (member) =>
      this.add(`${name}.${keyOf(nodeAt(member, "key")) ?? "static"}`, offset(member, "start"), offset(member, "end"))
    )
  }

  /** `describe("cart", () => { it("adds", …) })`: tests have names too, and so has `app.get("/hours", …)`. */
  call(node: Node, start: number, end: number, within: string): void {
    const call = nodeAt(node, "expression")
    const callee = call?.type === "CallExpression" ? nodeAt(call, "callee") : null
    const text = call === null || callee === null ? null : firstText(call)
    if (call === null || callee === null || text === null) return this.add(`${within}statement`, start, end)
    const name = `${within}${this.source(callee, Limits.symbolLength)} ${text}`
    const body = within.length > Limits.symbolLength ? null : lastBody(call)
    const inside = body === null ? [] : nodesAt(body, "body")
    const tests = inside.filter(
      (each) => each.type === "ExpressionStatement" && firstText(nodeAt(each, "expression") ?? each) !== null
    )
    // What is no list of tests is one part.
    if (tests.length === 0 || !/^(?:describe|suite|context)\b/.test(this.source(callee, Limits.symbolLength)))
      return this.add(name, start, end)
    this.around(name, start, end, inside, (each) =>
      each.type === "ExpressionStatement"
        ? this.call(each, offset(each, "start"), offset(each, "end"), `${oneLine(name)} > `)
        : this.add(name, offset(each, "start"), offset(each, "end"))
    )
  }
}

const routesOf = (path: string, text: string): ReadonlyArray<Part> => {
  const lineOf = linesOf(text)
  return (fileRoutes(path, text)?.routes ?? []).map(({ at, path: route }) => ({
    kind: "route",
    name: oneLine(`GET ${route}`),
    from: lineOf(at),
    to: lineOf(at)
  }))
}

/** The named parts of a file; null when it is not whole, or nested too deeply. */
export const namedParts = (path: string, text: string): ReadonlyArray<Part> | null => {
  const tree = syntaxTree(path, text)
  const program = tree === null ? null : nodeAt(tree, "program")
  if (tree === null || program === null || hasErrors(tree)) return null
  try {
    const reader = new Reader(text)
    for (const each of nodesAt(program, "body")) reader.statement(each)
    return [...reader.parts, ...routesOf(path, text)]
  } catch {
    // What is nested too deeply to be looked through.
    return null
  }
}

/** The parser goes on behind what it could not read: what it made of such a file is a guess. */
const hasErrors = (tree: Node): boolean => Array.isArray(tree["errors"]) && tree["errors"].length > 0
