/** The syntax tree of JavaScript and TypeScript, also with JSX, as the parser gives it; and safe ways to look into it. */
import { parse, type ParserOptions, type ParserPlugin } from "@babel/parser"
import { LocalLimits } from "../../LocalLimits.ts"

/** A node of the syntax tree. Only what is looked at is named. */
export interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

/** Whether a value of a field is a node: an object with a text as `type`. */
export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
/** The node in a field; null when the field holds none. */
export const nodeAt = (node: Node, field: string): Node | null => {
  const value = node[field]
  return isNode(value) ? value : null
}
/** The nodes of a list in a field, without its holes; empty when the field holds no list. */
export const nodesAt = (node: Node, field: string): ReadonlyArray<Node> => {
  const value = node[field]
  return Array.isArray(value) ? value.filter(isNode) : []
}
/** The text in a field; null when the field holds none. */
export const textAt = (node: Node | null, field: string): string | null => {
  const value = node?.[field]
  return typeof value === "string" ? value : null
}

/** Fields of a node that hold no code of the program. */
const aside = new Set(["loc", "extra", "leadingComments", "trailingComments", "innerComments", "comments", "errors"])

/** Every node that stands directly below one, in the order of its fields. */
export const childrenOf = (node: Node): ReadonlyArray<Node> => {
  const children: Array<Node> = []
  for (const field in node) {
    const value = aside.has(field) ? null : node[field]
    if (Array.isArray(value)) {
      for (const one of value) if (isNode(one)) children.push(one)
    } else if (isNode(value)) children.push(value)
  }
  return children
}

const pluginsOf = (path: string): Array<ParserPlugin> => {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase()
  const typed: Array<ParserPlugin> = /^[cm]?tsx?$/.test(extension) ? ["typescript"] : []
  return /^[cm]ts$|^ts$/.test(extension) ? typed : [...typed, "jsx"]
}

const optionsOf = (path: string, errorRecovery: boolean): ParserOptions => ({
  sourceType: "module",
  errorRecovery,
  attachComment: false,
  allowReturnOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowUndeclaredExports: true,
  allowNewTargetOutsideFunction: true,
  plugins: [...pluginsOf(path), "decorators"]
})

/**
 * Code as Babel's tree; null when it cannot be parsed, or is nested too deeply. `path` tells its kind by the extension.
 */
export const syntaxTree = (path: string, text: string): Node | null => {
  try {
    const tree: unknown = parse(text, optionsOf(path, true))
    return isNode(tree) ? tree : null
  } catch {
    return null
  }
}

/** Where Babel found the first error. */
const lineOf = (error: SyntaxError): number | null => {
  const place: unknown = "loc" in error ? error.loc : null
  return typeof place === "object" && place !== null && "line" in place && typeof place.line === "number"
    ? place.line
    : null
}

/**
 * The first error of code, as `line <n>: <what>` and the line itself, cut; null when there is none, and when it is nested
 * too deeply to be told.
 */
export const syntaxError = (path: string, text: string): string | null => {
  try {
    parse(text, optionsOf(path, false))
    return null
  } catch (error) {
    const line = error instanceof SyntaxError ? lineOf(error) : null
    if (!(error instanceof SyntaxError) || line === null) return null
    const what = error.message.replace(/ \(\d+:\d+\)$/, "")
    return `line ${line}: ${what}\n${(text.split("\n")[line - 1] ?? "").slice(0, LocalLimits.syntaxLineShown)}`.trimEnd()
  }
}
