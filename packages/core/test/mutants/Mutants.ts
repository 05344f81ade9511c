/** Planted bugs: a source file of the core with one clause changed, compiled in memory, and judged by an oracle. */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { compileFunction } from "node:vm"

const sources = new URL("../../src/", import.meta.url)

/** One clause and what stands there instead. */
export interface Mutation {
  /** What the bug is, in words. */
  readonly bug: string
  /** Text that the source has exactly once. */
  readonly find: string
  /** The file of `src` that has the bug, when it is one that the judged file imports. */
  readonly file?: string
  readonly put: string
}

/** Finds what is wrong with a module; null when it keeps all that it promises. */
export type Oracle<M> = (module: M) => string | null

/** `{ a as b }` of an import, as a pattern. */
const pattern = (names: string): string => names.replaceAll(/\s+as\s+/g, ": ")

/** A module's text as the body of a function that answers what it exports. */
const bodyOf = (text: string): { readonly body: string; readonly imports: ReadonlyArray<string> } => {
  const imports: Array<string> = []
  const named = (specifier: string): string => {
    imports.push(specifier)
    return `modules[${JSON.stringify(specifier)}]`
  }
  const exported: Array<string> = []
  const body = stripTypeScriptTypes(text)
    .replaceAll(
      /^import \* as (\w+) from "([^"]+)"/gm,
      (_, name: string, from: string) => `const ${name} = ${named(from)}`
    )
    .replaceAll(
      /^import \{([^}]*)\} from "([^"]+)"/gm,
      (_, names: string, from: string) => `const {${pattern(names)}} = ${named(from)}`
    )
    .replaceAll(/^export (const|class|function) (\w+)/gm, (_, what: string, name: string) => {
      exported.push(name)
      return `${what} ${name}`
    })
  return { body: `"use strict";${body}\nreturn { ${exported.join(", ")} }`, imports }
}

/** The text with one clause changed. A clause that is not there, or there twice, means that the list is out of date. */
const changed = (text: string, { bug, find, put }: Mutation): string => {
  const times = text.split(find).length - 1
  if (times !== 1) throw new Error(`“${bug}”: the source has ${times} places of ${find}`)
  return text.replace(find, () => put)
}

/** Compiles a file of `src`, with a mutation or as it is. What it imports is the real thing, but for a mutated file. */
export const compile = async <M>(path: string, mutation?: Mutation): Promise<M> => {
  const text = readFileSync(new URL(path, sources), "utf8")
  const here = mutation !== undefined && (mutation.file ?? path) === path
  const { body, imports } = bodyOf(here ? changed(text, mutation) : text)
  const from = new URL(path, sources)
  const load = (specifier: string): Promise<unknown> => {
    if (!specifier.startsWith(".")) return import(specifier)
    const { href, pathname } = new URL(specifier, from)
    const buggy = mutation?.file !== undefined && !here && href === new URL(mutation.file, sources).href
    return buggy ? compile(mutation.file, mutation) : import(pathname)
  }
  const modules = Object.fromEntries(
    await Promise.all(
      imports.map(async (specifier): Promise<readonly [string, unknown]> => [specifier, await load(specifier)])
    )
  )
  return compileFunction(body, ["modules"])(modules) as M
}

const verdict = <M>(oracle: Oracle<M>, module: M): string | null => {
  try {
    return oracle(module)
  } catch (error) {
    return String(error)
  }
}

/** The bugs that the oracle did not notice. Throws when it finds fault with the source as it is. */
export const survivors = async <M>(
  path: string,
  mutations: ReadonlyArray<Mutation>,
  oracle: Oracle<M>
): Promise<ReadonlyArray<string>> => {
  const fault = verdict(oracle, await compile<M>(path))
  if (fault !== null) throw new Error(`${path} without a bug: ${fault}`)
  const alive: Array<string> = []
  for (const mutation of mutations)
    if (verdict(oracle, await compile<M>(path, mutation)) === null) alive.push(mutation.bug)
  console.log(`${path}: ${mutations.length} mutants, ${mutations.length - alive.length} caught`)
  return alive
}

/** Says which of the cases came out otherwise than promised; null for none. */
export const differing = (
  cases: ReadonlyArray<readonly [promise: string, actual: unknown, promised: unknown]>
): string | null => {
  for (const [promise, actual, promised] of cases) {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(promised)]
    if (is !== should) return `${promise}: ${is} and not ${should}`
  }
  return null
}
