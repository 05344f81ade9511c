/**
 * Keeps platform, clock and chance out of the rooms that must run anywhere. Names are resolved by the compiler: a local
 * variable called `process` is fine, an ambient `declare const process` is not. Where part of a global is harmless
 * (`Math.max`, `new Date(ms)`), only that part may be touched, so that no alias can smuggle the rest in.
 */
import type { Identifier } from "typescript/unstable/ast"
import { NodeFlags, SyntaxKind } from "typescript/unstable/ast"
import {
  isBinaryExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  isShorthandPropertyAssignment
} from "typescript/unstable/ast/is"
import type { Checker } from "typescript/unstable/sync"
import type { Finding } from "./Finding.ts"
import { type Room, roomOf } from "./Rooms.ts"
import { descendants, lineOf, type OurFile } from "./Workspace.ts"

const platform = new Set(["process", "Buffer", "__dirname", "__filename", "require", "global", "setImmediate"])
const clockAndChance = new Set([
  "performance",
  "setTimeout",
  "setInterval",
  "clearTimeout",
  "clearInterval",
  "queueMicrotask",
  "console",
  "fetch",
  "globalThis"
])

const notValues: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.TypeReference,
  SyntaxKind.TypeQuery,
  SyntaxKind.TypePredicate,
  SyntaxKind.QualifiedName,
  SyntaxKind.ImportSpecifier,
  SyntaxKind.ExportSpecifier,
  SyntaxKind.JSDocParameterTag
])

/** The name stands for a value here, and is not a property, a label, a declaration or a type. */
const isValueUse = (node: Identifier): boolean => {
  const parent = node.parent
  if (isShorthandPropertyAssignment(parent)) return true
  if ("name" in parent && parent.name === node) return false
  if ("propertyName" in parent && parent.propertyName === node) return false
  return !notValues.has(parent.kind)
}

const symbolOf = (checker: Checker, node: Identifier) =>
  isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getResolvedSymbol(node)

const isGlobal = (file: OurFile, node: Identifier): boolean => {
  const declarations = symbolOf(file.checker, node)?.declarations ?? []
  return declarations.every((handle) => {
    if (handle.path !== file.source.path) return true
    const declaration = handle.resolve()
    return declaration === undefined || (declaration.flags & NodeFlags.Ambient) !== 0
  })
}

const memberOf = (node: Identifier): string | undefined =>
  isPropertyAccessExpression(node.parent) && node.parent.expression === node ? node.parent.name.text : undefined

const partly = (node: Identifier): string | undefined => {
  const member = memberOf(node)
  if (node.text === "Math" && (member === undefined || member === "random")) {
    return "Math.random is chance: take it from Effect's Random"
  }
  if (node.text === "crypto" && member !== "subtle") return "of crypto only crypto.subtle is free of chance"
  if (node.text !== "Date") return undefined
  if (member === "UTC" || member === "parse") return undefined
  const parent = node.parent
  if (isNewExpression(parent) && parent.expression === node && (parent.arguments?.length ?? 0) > 0) return undefined
  if (isBinaryExpression(parent) && parent.operatorToken.kind === SyntaxKind.InstanceOfKeyword) return undefined
  return "Date reads the clock here: take the time from Effect's Clock (new Date(ms), Date.UTC and Date.parse are fine)"
}

const refusal = (room: Room, node: Identifier): string | undefined => {
  if (!room.node && platform.has(node.text)) return `${room.name} may not use ${node.text}: it runs on any engine`
  if (!room.pure) return undefined
  if (clockAndChance.has(node.text)) {
    return `${room.name} may not use ${node.text}: time, chance and output come from Effect or through a port`
  }
  return partly(node)
}

export const purity = (file: OurFile): ReadonlyArray<Finding> => {
  const room = roomOf(file.path)
  if (room === undefined || (room.node && !room.pure)) return []
  const findings: Array<Finding> = []
  for (const node of descendants(file.source)) {
    if (!isIdentifier(node) || !isValueUse(node)) continue
    const message = refusal(room, node)
    if (message === undefined || !isGlobal(file, node)) continue
    findings.push({ file: file.path, line: lineOf(file.source, node), rule: "purity", message })
  }
  return findings
}
