/** The routes that one file of code plainly names: comparisons with the path, switches, tables, patterns, routers. */
import { isMaker, namesOf, type Names, rootOf } from "./RouteNames.ts"
import {
  bodyOf,
  fieldsOf,
  getPath,
  isForGet,
  isForOthers,
  isFunction,
  isHandler,
  isNoPage,
  isPathish,
  nameOf,
  plain,
  startOf,
  textOf
} from "./RouteSyntax.ts"
import { childrenOf, type Node, nodeAt, nodesAt, syntaxTree, textAt } from "../auth/SyntaxTree.ts"

/** One path that a file answers at; `at` is its offset in the text, in UTF-16 code units. */
export interface Route {
  readonly path: string
  /** The router that it is a path of; null for the path of a request itself. */
  readonly router: string | null
  readonly at: number
}

/** A router whose paths count from a path of another one; from one that is not known when `prefix` is null. */
export interface Mount {
  readonly into: string
  readonly prefix: string | null
  readonly target: string
}

/** What one file names, in the order of its text; the paths of routers are not yet put together. */
export interface FileRoutes {
  readonly names: Names
  readonly routes: ReadonlyArray<Route>
  readonly mounts: ReadonlyArray<Mount>
}

/** Where a node stands: in a branch for other methods than GET; in the test whose outcome these bodies are. */
interface Place {
  readonly others: boolean
  readonly bodies: ReadonlyArray<Node>
}

const nowhere: Place = { others: false, bodies: [] }

class Reader {
  readonly routes: Array<Route> = []
  readonly mounts: Array<Mount> = []
  readonly open: Array<readonly [Node, Place]> = []
  readonly names: Names

  constructor(names: Names) {
    this.names = names
  }

  text(node: Node | null | undefined): string | null {
    return textOf(node ?? null, this.names.constants)
  }

  add(path: string | null, at: Node, router: string | null = null): void {
    if (path !== null) this.routes.push({ path, router, at: startOf(at) })
  }

  below(node: Node, place: Place): void {
    for (const child of childrenOf(node)) this.open.push([child, place])
  }

  read(tree: Node): void {
    this.open.push([tree, nowhere])
    for (let next = this.open.pop(); next !== undefined; next = this.open.pop()) this.look(...next)
  }

  look(node: Node, place: Place): void {
    switch (node.type) {
      case "IfStatement":
      case "ConditionalExpression":
        return this.branch(node, place)
      case "LogicalExpression":
        return this.below(node, { ...place, others: place.others || isForOthers(node) })
      case "SwitchStatement":
        return this.cases(node, place)
      case "BinaryExpression":
        if (!place.others) this.comparison(node, place)
        return this.below(node, { ...place, bodies: [] })
      case "JSXAttribute":
        // What a link looks like where it leads to is no route.
        return
      case "ObjectExpression":
        if (!place.others) this.table(node)
        return this.below(node, { ...place, bodies: [] })
      case "ArrayExpression":
        if (!place.others) this.list(node)
        return this.below(node, { ...place, bodies: [] })
      case "NewExpression":
        if (!place.others) this.pattern(node)
        return this.below(node, place)
      case "CallExpression":
      case "OptionalCallExpression":
        this.call(node)
        return this.below(node, place)
      default:
        return this.below(node, isFunction(node) ? { ...place, bodies: [] } : place)
    }
  }

  branch(node: Node, place: Place): void {
    const [test, yes, no] = [nodeAt(node, "test"), nodeAt(node, "consequent"), nodeAt(node, "alternate")]
    const forOthers = isForOthers(test)
    const bodies = yes === null ? [] : [yes]
    if (no !== null) this.open.push([no, { others: place.others || isForGet(test), bodies: [] }])
    if (yes !== null) this.open.push([yes, { others: place.others || forOthers, bodies: [] }])
    if (test !== null) this.open.push([test, { others: place.others || forOthers, bodies }])
  }

  cases(node: Node, place: Place): void {
    const discriminant = nodeAt(node, "discriminant")
    const isPath = isPathish(discriminant, this.names.paths)
    const ofMethod = /method|verb/i.test(nameOf(discriminant) ?? "")
    const all = nodesAt(node, "cases")
    for (const [index, each] of all.entries()) {
      const text = this.text(nodeAt(each, "test"))
      // A case without a body of its own goes on into the next one.
      const bodies = nodesAt(
        all.slice(index).find((one) => nodesAt(one, "consequent").length > 0) ?? each,
        "consequent"
      )
      const others = place.others || (ofMethod && text !== null && !/^(?:GET|HEAD)$/.test(text))
      if (isPath && !others && !isNoPage(bodies)) this.add(getPath(text), each)
      const test = nodeAt(each, "test")
      if (test !== null) this.open.push([test, { others, bodies }])
      for (const one of nodesAt(each, "consequent")) this.open.push([one, { others, bodies: [] }])
    }
    if (discriminant !== null) this.open.push([discriminant, place])
  }

  comparison(node: Node, place: Place): void {
    const operator = node["operator"]
    if ((operator !== "===" && operator !== "==") || isNoPage(place.bodies)) return
    const [left, right] = [nodeAt(node, "left"), nodeAt(node, "right")]
    if (isPathish(left, this.names.paths)) this.add(getPath(this.text(right)), node)
    else if (isPathish(right, this.names.paths)) this.add(getPath(this.text(left)), node)
  }

  /** `{ "/x": handler }`, `{ "/x": { GET: handler } }`, `{ path: "/x", handler }`. */
  table(node: Node): void {
    const fields = fieldsOf(node)
    const path = this.text(fields.get("path") ?? fields.get("pathname") ?? fields.get("route"))
    const method = this.text(fields.get("method")) ?? "GET"
    const handler = [...fields].find(
      ([name, value]) =>
        isFunction(plain(value)) ||
        (isHandler(value) &&
          /^(?:handle|handler|fn|run|respond|page|view|action|GET|get|serve|controller|callback|render)$/.test(name))
    )
    if (path !== null && handler !== undefined && method.toUpperCase() === "GET" && !isNoPage(bodyOf(handler[1])))
      this.add(getPath(path), node)
    for (const [name, value] of fields) if (this.answers(value) && name.includes("/")) this.add(getPath(name), value)
  }

  /** Whether a value of a table answers GET. */
  answers(value: Node): boolean {
    const inner = plain(value)
    if (isFunction(inner)) return !isNoPage(bodyOf(inner))
    if (inner?.type === "ObjectExpression") {
      const get = fieldsOf(inner).get("GET") ?? fieldsOf(inner).get("get")
      return get !== undefined && isHandler(get) && !isNoPage(bodyOf(get))
    }
    const name = textAt(inner, "name")
    return inner?.type === "Identifier" && name !== null && !this.names.constants.has(name)
  }

  /** `["/x", handler]`, `["GET", "/x", handler]`. */
  list(node: Node): void {
    const elements = nodesAt(node, "elements")
    const texts = elements.map((each) => this.text(each))
    const at = texts[0] === "GET" ? 1 : 0
    const handler = elements.slice(at + 1).findLast((each) => isHandler(each))
    if (handler === undefined || texts.slice(at + 1).some((text) => text !== null) || isNoPage(bodyOf(handler))) return
    this.add(getPath(texts[at] ?? null), node)
  }

  /** `new URLPattern({ pathname: "/x" })`. */
  pattern(node: Node): void {
    if (nameOf(nodeAt(node, "callee")) !== "URLPattern") return
    const [first] = nodesAt(node, "arguments")
    const pathname = first?.type === "ObjectExpression" ? fieldsOf(first).get("pathname") : first
    this.add(getPath(this.text(pathname)), node)
  }

  /** The router that a method is called on; null when it is none. */
  router(chain: Node | null, handlers: ReadonlyArray<Node>): string | null {
    const root = rootOf(chain)
    if (root === null) return null
    if (isMaker(root)) return this.names.makers.get(startOf(root)) ?? null
    const name = textAt(root, "name")
    if (name === null) return null
    if (this.names.routers.has(name)) return name
    // One that was handed in is taken for a router by its name, when it is given functions.
    return /^(?:app|router|routes|server|api|hono)$|(?:App|Router|Routes|Api)$/.test(name) &&
      handlers.some((each) => isFunction(plain(each)))
      ? name
      : null
  }

  call(node: Node): void {
    const callee = plain(nodeAt(node, "callee"))
    if (callee === null || !/^(?:Optional)?MemberExpression$/.test(callee.type)) return
    const [first, ...rest] = nodesAt(node, "arguments")
    const object = plain(nodeAt(callee, "object"))
    const method = nameOf(callee)
    if (first === undefined) return
    if (method === "get" || method === "all") {
      const router = this.router(object, [first, ...rest])
      if (router === null || isNoPage(bodyOf(rest.at(-1) ?? first))) return
      if (isHandler(rest.at(-1) ?? null)) this.add(getPath(this.text(first)), first, router)
      else if (rest.length === 0 && isHandler(first)) this.add(this.routed(object), first, router)
    } else if (method === "on") this.on(object, [first, ...rest])
    else if (method === "route" || method === "use") this.mount(object, first, rest)
    else if (method === "includes" && object?.type === "ArrayExpression" && isPathish(first, this.names.paths))
      for (const each of nodesAt(object, "elements")) this.add(getPath(this.text(each)), each)
  }

  /** The path of `app.route("/x")`, which takes handlers without one. */
  routed(object: Node | null): string | null {
    if (object?.type !== "CallExpression" || nameOf(nodeAt(object, "callee")) !== "route") return null
    const [first, more] = nodesAt(object, "arguments")
    return more === undefined ? getPath(this.text(first)) : null
  }

  /** `app.on("GET", "/x", handler)`, with lists of either. */
  on(object: Node | null, given: ReadonlyArray<Node>): void {
    const listed = (each: Node | undefined) =>
      each?.type === "ArrayExpression" ? nodesAt(each, "elements") : each === undefined ? [] : [each]
    const [methods, paths, ...handlers] = given
    const router = this.router(object, handlers)
    const handler = handlers.at(-1)
    if (router === null || handler === undefined || !isHandler(handler) || isNoPage(bodyOf(handler))) return
    if (!listed(methods).some((each) => this.text(each)?.toUpperCase() === "GET")) return
    for (const each of listed(paths)) this.add(getPath(this.text(each)), each, router)
  }

  /** `app.route("/x", other)`: the paths of the other one count from `/x`. */
  mount(object: Node | null, first: Node, rest: ReadonlyArray<Node>): void {
    const root = rootOf(rest[0] ?? null)
    const into = this.router(object, [])
    if (rest.length !== 1 || root === null || into === null) return
    const target = isMaker(root)
      ? this.names.makers.get(startOf(root))
      : (textAt(root, "name") ?? textAt(nodeAt(root, "callee"), "name"))
    if (target === null || target === undefined) return
    const text = this.text(first)
    this.mounts.push({ into, prefix: text === "/" ? "" : getPath(text), target })
  }
}

/** The routes that a file of code declares, in its order; null when it cannot be read as code of its kind. */
export const fileRoutes = (path: string, text: string): FileRoutes | null => {
  const tree = syntaxTree(path, text)
  if (tree === null) return null
  try {
    const names = namesOf(tree)
    const reader = new Reader(names)
    reader.read(tree)
    return { names, routes: reader.routes.toSorted((a, b) => a.at - b.at), mounts: reader.mounts }
  } catch {
    // What is nested too deeply to be looked through.
    return null
  }
}
