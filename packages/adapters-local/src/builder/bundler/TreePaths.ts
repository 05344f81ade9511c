/** Paths of trees of files, and how an import that leads nowhere is worded. Pure. */
import { Limits } from "@pawl/core/primitives/Limits"

/** Files by path, without a slash at the beginning. */
export interface Tree {
  readonly has: (path: string) => boolean
  /** The file's text, for a package.json. */
  readonly text: (path: string) => string | undefined
}

/** The fields of a package.json, of any type yet. */
export type PackageFields = Readonly<Record<string, unknown>>

/** The folder that a file or folder lies in; `""` is the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** A path below a folder; `""` is the root. */
export const join = (folder: string, rest: string): string => (folder === "" ? rest : `${folder}/${rest}`)

/** A specifier, cut and quoted, as sentences show it. */
export const shown = (specifier: string): string =>
  JSON.stringify(specifier.length > Limits.repeatedLength ? `${specifier.slice(0, Limits.repeatedLength)}…` : specifier)

/** A path without `.` and `..`; `undefined` when it leads out of the tree. */
export const plain = (path: string): string | undefined => {
  const out: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue
    if (segment !== "..") out.push(segment)
    else if (out.pop() === undefined) return undefined
  }
  return out.join("/")
}

/** The folders from a file's up to the root. */
export const foldersAbove = (path: string): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    out.push(folder)
    if (folder === "") return out
  }
}

/** The fields that a text of JSON holds; `undefined` when it is no object. */
export const fieldsOf = (text: string | undefined): PackageFields | undefined => {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** A bare specifier as a package's name and the path below it; null when it is neither a path nor a package's name. */
export const packageName = (specifier: string): { readonly name: string; readonly rest: string } | null => {
  const parts = specifier.split("/")
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/")
  const isName = /^(@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(name)
  return isName && parts.every((part) => part !== "" && part !== "." && part !== "..")
    ? { name, rest: specifier.slice(name.length + 1) }
    : null
}
