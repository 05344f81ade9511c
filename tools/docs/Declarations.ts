/**
 * The top-level declarations of our sources, and which of them each one names: enough to follow an endpoint from its
 * handler to what it commits. Read from the text; a name that is only in a comment does not count.
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { importPaths } from "../house/ImportPaths.ts"

const packages = fileURLToPath(new URL("../../packages/", import.meta.url))

interface Declaration {
  /** `packages/core/src/promotion/Promotions.ts#promote`, without the beginning and the ending: `promotion/Promotions#promote`. */
  readonly id: string
  readonly text: string
  /** What it names: declarations of its own file, and imported ones. */
  readonly uses: ReadonlyArray<string>
  /** What a part of its text names. */
  readonly usesIn: (part: string) => ReadonlyArray<string>
}

export type Declarations = ReadonlyMap<string, Declaration>

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")

const starts = /^(?:export )?(?:const|function|class) (\w+)/

/** The declarations of a text by name, each up to the next one. */
const split = (text: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  let name: string | null = null
  for (const line of text.split("\n")) {
    const started = starts.exec(line)?.[1]
    if (started !== undefined) name = started
    else if (/^(?:export |import )/.test(line)) name = null
    if (name !== null) found.set(name, `${found.get(name) ?? ""}${line}\n`)
  }
  return found
}

/** The id of what an import names: in the same folder, or in the core; null for all else. */
const idOf = (folder: string, id: string, specifier: string): string | null => {
  const [path = ""] = importPaths(`packages/${folder}/${id}.ts`, specifier)
  const home = [`packages/${folder}/`, "packages/core/src/"].find((each) => path.startsWith(each))
  return home === undefined ? null : path.slice(home.length).replace(/\.ts$/, "")
}

/** What a local name stands for: `id#name`, or `id#*` for a namespace. */
const importsOf = (folder: string, id: string, text: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const [, clause = "", specifier = ""] of text.matchAll(/^import (?!type )([^"]*?) from "([^"]+)"/gm)) {
    const target = idOf(folder, id, specifier)
    if (target === null) continue
    const namespace = /\* as (\w+)/.exec(clause)?.[1]
    if (namespace !== undefined) found.set(namespace, `${target}#*`)
    for (const entry of (/\{([\s\S]*)\}/.exec(clause)?.[1] ?? "").split(",")) {
      const [, name, local] = /^\s*(\w+)(?: as (\w+))?\s*$/.exec(entry) ?? []
      if (name !== undefined) found.set(local ?? name, `${target}#${name}`)
    }
  }
  return found
}

const usesOf = (id: string, text: string, own: ReadonlySet<string>, imports: ReadonlyMap<string, string>) => {
  const uses = new Set<string>()
  for (const [, before = "", name = "", member] of text.matchAll(/(\.?)\b(\w+)\b(?:\.(\w+))?/g)) {
    if (before === ".") continue
    const imported = imports.get(name)
    if (imported?.endsWith("#*") === true) uses.add(imported.replace("*", member ?? ""))
    else if (imported !== undefined) uses.add(imported)
    else if (own.has(name)) uses.add(`${id}#${name}`)
  }
  return [...uses]
}

/** All declarations of a folder of sources, by `path#name`. */
export const declarationsOf = (folder: string): Declarations => {
  const all = new Map<string, Declaration>()
  for (const path of readdirSync(`${packages}${folder}`, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts") || path.endsWith("index.ts")) continue
    const id = path.replace(/\.ts$/, "")
    const text = withoutComments(readFileSync(`${packages}${folder}/${path}`, "utf8"))
    const parts = split(text)
    const [own, imports] = [new Set(parts.keys()), importsOf(folder, id, text)]
    const usesIn = (part: string) => usesOf(id, part, own, imports)
    for (const [name, part] of parts)
      all.set(`${id}#${name}`, { id: `${id}#${name}`, text: part, uses: usesIn(part), usesIn })
  }
  return all
}

/** Everything that can be reached from these, themselves included. */
export const reachable = (declarations: Declarations, from: ReadonlyArray<string>): ReadonlyArray<Declaration> => {
  const seen = new Map<string, Declaration>()
  const next = [...from]
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    const found = declarations.get(id)
    if (found === undefined || seen.has(id)) continue
    seen.set(id, found)
    next.push(...found.uses)
  }
  return [...seen.values()]
}
