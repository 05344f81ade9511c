/** What a file exports by declaring it, in the order of the file. What it passes on from others is not here. */
import type { Node, Statement } from "typescript/unstable/ast"
import { SyntaxKind } from "typescript/unstable/ast"
import {
  isClassDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  isVariableStatement
} from "typescript/unstable/ast/is"
import { lineOf, type OurFile } from "./Workspace.ts"

/** One name that is exported. A const and a type of the same name are two, and so are the overloads of a function. */
export interface Export {
  readonly name: string
  readonly line: number
  /** A type, an interface or a class. */
  readonly isType: boolean
  /** What declares it, perhaps beside others. */
  readonly statement: Statement
}

const isExported = (node: Node & { readonly modifiers?: Iterable<Node> | undefined }): boolean =>
  [...(node.modifiers ?? [])].some(({ kind }) => kind === SyntaxKind.ExportKeyword)

export const exportsOf = (file: OurFile): ReadonlyArray<Export> =>
  [...file.source.statements].flatMap((statement): ReadonlyArray<Export> => {
    const isType =
      isInterfaceDeclaration(statement) || isTypeAliasDeclaration(statement) || isClassDeclaration(statement)
    const at = (name: Node): ReadonlyArray<Export> =>
      isIdentifier(name) ? [{ name: name.text, line: lineOf(file.source, name), isType, statement }] : []
    if (isVariableStatement(statement))
      return isExported(statement) ? [...statement.declarationList.declarations].flatMap(({ name }) => at(name)) : []
    if ((isFunctionDeclaration(statement) || isType) && isExported(statement))
      return statement.name === undefined ? [] : at(statement.name)
    return []
  })
