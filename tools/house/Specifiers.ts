/** What a source file imports, by name and line. */
import type { Node, SourceFile } from "typescript/unstable/ast"
import { SyntaxKind } from "typescript/unstable/ast"
import { isCallExpression, isNoSubstitutionTemplateLiteral, isStringLiteral } from "typescript/unstable/ast/is"
import { descendants, lineOf } from "./Workspace.ts"

export interface Specifier {
  readonly text: string
  readonly line: number
}

const textOf = (node: Node): string =>
  isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? node.text : "<computed>"

const known = new WeakMap<SourceFile, ReadonlyArray<Specifier>>()

/** Static imports, re-exports, types written `import("x").Y`, and dynamic imports. A file is looked through once. */
export const specifiersOf = (source: SourceFile): ReadonlyArray<Specifier> => {
  const specifiers = known.get(source) ?? found(source)
  known.set(source, specifiers)
  return specifiers
}

const found = (source: SourceFile): ReadonlyArray<Specifier> => {
  const specifiers = new Map<number, Specifier>()
  const add = (node: Node) => specifiers.set(node.pos, { text: textOf(node), line: lineOf(source, node) })
  for (const node of source.imports) add(node)
  for (const node of descendants(source)) {
    if (!isCallExpression(node) || node.expression.kind !== SyntaxKind.ImportKeyword) continue
    const argument = node.arguments[0]
    if (argument !== undefined) add(argument)
  }
  return [...specifiers.values()]
}
