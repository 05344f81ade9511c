/**
 * Finds Effects that are built and thrown away. An Effect is only a description: one that stands as a statement, that a
 * callback hands to someone who ignores results, or that a plain `it` returns, never runs, and nothing else says so.
 */
import type { CallExpression, Node } from "typescript/unstable/ast"
import { SyntaxKind } from "typescript/unstable/ast"
import {
  isArrowFunction,
  isAwaitExpression,
  isBinaryExpression,
  isCallExpression,
  isExpressionStatement,
  isFunctionExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isVoidExpression,
  isYieldExpression
} from "typescript/unstable/ast/is"
import { type Checker, SignatureKind, type Type, TypeFlags } from "typescript/unstable/sync"
import type { Finding } from "./Finding.ts"
import { descendants, lineOf, type OurFile } from "./Workspace.ts"

/** The properties by which `effect` marks what it makes. */
const lazy = new Set(["~effect/Effect", "~effect/Stream", "~effect/Layer"])

/** Of an Effect's results: `Exit` and tagged errors are Effects by type, but the answer is in them. */
const isAnswer = (names: ReadonlyArray<string>): boolean => names.includes("_tag")

type Ignore = (names: ReadonlyArray<string>) => boolean

/** Effects, Streams and Layers, also as one branch of a union. */
const isLazy = (checker: Checker, type: Type | undefined, ignore: Ignore = () => false): boolean => {
  if (type === undefined || (type.flags & (TypeFlags.Any | TypeFlags.Never | TypeFlags.Unknown)) !== 0) return false
  if (type.isUnionType()) return (type.getTypes() ?? []).some((branch) => isLazy(checker, branch, ignore))
  if ((type.flags & (TypeFlags.Object | TypeFlags.Intersection)) === 0) return false
  const names = checker.getPropertiesOfType(type).map((property) => String(property.escapedName))
  return names.some((name) => lazy.has(name)) && !ignore(names)
}

const isAssignment = (node: Node): boolean =>
  isBinaryExpression(node) &&
  node.operatorToken.kind >= SyntaxKind.FirstAssignment &&
  node.operatorToken.kind <= SyntaxKind.LastAssignment

/** The name at the left end of `it.skipIf(x)("…")`, and every property on the way. */
const calleePath = (call: CallExpression): ReadonlyArray<string> => {
  const path: Array<string> = []
  let node: Node = call.expression
  for (;;) {
    if (isCallExpression(node)) node = node.expression
    else if (isPropertyAccessExpression(node)) {
      path.unshift(node.name.text)
      node = node.expression
    } else break
  }
  return isIdentifier(node) ? [node.text, ...path] : []
}

const plainTests = new Set(["it", "test", "beforeAll", "beforeEach", "afterAll", "afterEach"])
const runners = new Set(["effect", "scoped", "live", "scopedLive", "prop", "flakyTest", "layer"])

const isPlainTest = (call: CallExpression): boolean => {
  const [name, ...rest] = calleePath(call)
  return name !== undefined && plainTests.has(name) && !rest.some((part) => runners.has(part))
}

const thrownAway = "this Effect is thrown away and never runs: yield* it, return it or run it"
const unrun = "a plain test does not run the Effect that it returns: use it.effect or Effect.runPromise"
const ignored = "this callback's caller ignores results, so its Effect never runs: run it or use Effect.forEach"

const returnsLazy = (checker: Checker, callback: Node): boolean => {
  const signature = checker.getSignatureFromDeclaration(callback)
  return signature !== undefined && isLazy(checker, checker.getReturnTypeOfSignature(signature))
}

const callerIgnores = (checker: Checker, callback: Node): boolean => {
  if (!isArrowFunction(callback) && !isFunctionExpression(callback)) return false
  const context = checker.getContextualType(callback)
  if (context === undefined) return false
  return checker.getSignaturesOfType(context, SignatureKind.Call).some((signature) => {
    const type = checker.getReturnTypeOfSignature(signature)
    return type !== undefined && (type.flags & TypeFlags.Void) !== 0
  })
}

const judge = (checker: Checker, node: Node): string | undefined => {
  if (isExpressionStatement(node) && !isAssignment(node.expression)) {
    const expression = isVoidExpression(node.expression) ? node.expression.expression : node.expression
    const ran = isYieldExpression(expression) || isAwaitExpression(expression)
    return isLazy(checker, checker.getTypeAtLocation(expression), ran ? isAnswer : undefined) ? thrownAway : undefined
  }
  if (!isArrowFunction(node) && !isFunctionExpression(node)) return undefined
  const call = node.parent
  if (!isCallExpression(call) || call.expression === node) return undefined
  const message = isPlainTest(call) ? unrun : callerIgnores(checker, node) ? ignored : undefined
  return message !== undefined && returnsLazy(checker, node) ? message : undefined
}

export const floatingEffects = (file: OurFile): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  for (const node of descendants(file.source)) {
    const message = judge(file.checker, node)
    if (message === undefined) continue
    findings.push({ file: file.path, line: lineOf(file.source, node), rule: "floating-effect", message })
  }
  return findings
}
