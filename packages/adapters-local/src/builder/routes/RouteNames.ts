/** What a file's names stand for, as far as its routes need to know: texts, paths, routers, imports, exports. */
import { getPath, isPathish, nameOf, plain, startOf, textOf, fieldsOf } from "./RouteSyntax.ts"
import { childrenOf, type Node, nodeAt, nodesAt, textAt } from "../auth/SyntaxTree.ts"

/** A router of a file: where it begins to count its paths, and the one that it was made of. */
export interface Router {
  readonly base: string
  readonly parent: string | null
}

/** What each name of a file stands for; each map is by name unless it says otherwise. */
export interface Names {
  readonly constants: Map<string, string>
  /** Variables that hold the path that was asked for. */
  readonly paths: Set<string>
  readonly routers: Map<string, Router>
  /** By where the expression stands that makes a router: its name. */
  readonly makers: Map<number, string>
  /** By local name. */
  readonly imports: Map<string, { readonly specifier: string; readonly name: string }>
  /** By exported name: the local one, or where it is passed on from. */
  readonly exports: Map<string, string>
  readonly passedOn: Map<string, { readonly specifier: string; readonly name: string }>
  /** Every file that is imported. */
  readonly specifiers: Set<string>
}

const maker = /(?:Hono|Router|Elysia)$|^express$/
const isCall = (node: Node | null): node is Node =>
  node !== null && /^(?:Optional)?(?:CallExpression|NewExpression)$/.test(node.type)

/** Whether an expression makes a router: `new Hono()`, `Router()`, `express()`. */
export const isMaker = (node: Node | null): boolean =>
  isCall(node) && maker.test(nameOf(nodeAt(node, "callee")) ?? "") && nodeAt(node, "callee")?.type !== "Super"

/** Every call of a long chain asks for the same beginning. */
const roots = new WeakMap<Node, Node>()

/** What a chain of calls begins with: `app` of `app.get("/x", one).get("/y", two)`. */
export const rootOf = (chain: Node | null): Node | null => {
  let node = plain(chain)
  const passed: Array<Node> = []
  while (isCall(node) && !isMaker(node)) {
    const known = roots.get(node)
    const callee = plain(nodeAt(node, "callee"))
    const object = callee === null ? null : plain(nodeAt(callee, "object"))
    if (known === undefined && object === null) break
    passed.push(node)
    node = known ?? object
    if (known !== undefined) break
  }
  if (node !== null) for (const each of passed) roots.set(each, node)
  return node
}

/** The paths that a chain puts before all that follow: `basePath("/api")`, `Router({ base: "/api" })`. */
const baseOf = (chain: Node | null, constants: ReadonlyMap<string, string>): string => {
  let base = ""
  let node = plain(chain)
  while (isCall(node)) {
    const [first] = nodesAt(node, "arguments")
    if (isMaker(node)) {
      const own = first?.type === "ObjectExpression" ? fieldsOf(first).get("base") : undefined
      return `${getPath(textOf(own ?? null, constants)) ?? ""}${base}`
    }
    const callee = plain(nodeAt(node, "callee"))
    if (nameOf(callee) === "basePath") base = `${getPath(textOf(first ?? null, constants)) ?? ""}${base}`
    node = callee === null ? null : plain(nodeAt(callee, "object"))
  }
  return base
}

const routerOf = (names: Names, name: string, init: Node | null): void => {
  const root = rootOf(init)
  if (root === null) return
  if (isMaker(root)) {
    names.makers.set(startOf(root), name)
    names.routers.set(name, { base: baseOf(init, names.constants), parent: null })
    return
  }
  const parent = textAt(root, "name")
  if (parent !== null && root !== plain(init) && names.routers.has(parent))
    names.routers.set(name, { base: baseOf(init, names.constants), parent })
}

const ofVariable = (names: Names, node: Node): void => {
  const [id, init] = [nodeAt(node, "id"), nodeAt(node, "init")]
  if (id === null || init === null) return
  if (id.type === "ObjectPattern") {
    const held = fieldsOf(id).get("pathname")
    const name = textAt(held?.type === "AssignmentPattern" ? nodeAt(held, "left") : (held ?? null), "name")
    if (name !== null) names.paths.add(name)
    return
  }
  const name = textAt(id, "name")
  if (name === null) return
  const text = textOf(init, names.constants)
  if (text !== null) names.constants.set(name, text)
  else routerOf(names, name, init)
  if (!names.routers.has(name) && isPathish(init, names.paths)) names.paths.add(name)
}

const nameIn = (node: Node | null): string => textAt(node, "name") ?? textAt(node, "value") ?? ""

const ofImport = (names: Names, node: Node): void => {
  const specifier = textAt(nodeAt(node, "source"), "value")
  if (specifier === null || node["importKind"] === "type") return
  names.specifiers.add(specifier)
  for (const one of nodesAt(node, "specifiers")) {
    const name =
      one.type === "ImportDefaultSpecifier"
        ? "default"
        : one.type === "ImportNamespaceSpecifier"
          ? "*"
          : nameIn(nodeAt(one, "imported"))
    names.imports.set(nameIn(nodeAt(one, "local")), { specifier, name })
  }
}

const ofExport = (names: Names, node: Node): void => {
  const specifier = textAt(nodeAt(node, "source"), "value")
  if (specifier !== null) names.specifiers.add(specifier)
  for (const one of nodesAt(node, "specifiers")) {
    const [local, exported] = [nameIn(nodeAt(one, "local")), nameIn(nodeAt(one, "exported"))]
    if (specifier === null) names.exports.set(exported, local)
    else names.passedOn.set(exported, { specifier, name: local })
  }
  const declaration = nodeAt(node, "declaration")
  for (const each of declaration === null ? [] : [declaration, ...nodesAt(declaration, "declarations")]) {
    const name = textAt(nodeAt(each, "id"), "name")
    if (name !== null) names.exports.set(name, name)
  }
}

const ofDefault = (names: Names, node: Node): void => {
  const declaration = plain(nodeAt(node, "declaration"))
  const name = textAt(declaration, "name") ?? textAt(declaration === null ? null : nodeAt(declaration, "id"), "name")
  if (name !== null) names.exports.set("default", name)
  else if (isMaker(rootOf(declaration))) {
    routerOf(names, "default", declaration)
    names.exports.set("default", "default")
  }
}

const readers: Readonly<Record<string, (names: Names, node: Node) => void>> = {
  VariableDeclarator: ofVariable,
  ImportDeclaration: ofImport,
  ExportNamedDeclaration: ofExport,
  ExportAllDeclaration: ofExport,
  ExportDefaultDeclaration: ofDefault,
  ImportExpression: (names, node) => {
    const specifier = textOf(nodeAt(node, "source"), names.constants)
    if (specifier !== null) names.specifiers.add(specifier)
  },
  CallExpression: (names, node) => {
    const callee = nodeAt(node, "callee")
    const [first] = nodesAt(node, "arguments")
    const specifier = callee?.type === "Import" ? textOf(first ?? null, names.constants) : null
    if (specifier !== null) names.specifiers.add(specifier)
    // A router that no variable holds is known by where it stands.
    if (isMaker(node) && !names.makers.has(startOf(node))) {
      const name = `@${startOf(node)}`
      names.makers.set(startOf(node), name)
      names.routers.set(name, { base: baseOf(node, names.constants), parent: null })
    }
  },
  NewExpression: (names, node) => readers["CallExpression"]?.(names, node)
}

/** Every name of a file, in the order in which they stand there. */
export const namesOf = (tree: Node): Names => {
  const names: Names = {
    constants: new Map(),
    paths: new Set(),
    routers: new Map(),
    makers: new Map(),
    imports: new Map(),
    exports: new Map(),
    passedOn: new Map(),
    specifiers: new Set()
  }
  const open: Array<Node> = [tree]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Object.hasOwn(readers, node.type)) readers[node.type]?.(names, node)
    open.push(...[...childrenOf(node)].reverse())
  }
  return names
}
