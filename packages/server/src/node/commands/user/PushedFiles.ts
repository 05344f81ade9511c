/** Files of a working folder, as a ChangeSet holds them. */
import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve, sep } from "node:path"
import { git } from "./Git.ts"
import { misused } from "./Refused.ts"

/** By path from the root: whole text, bytes, or null for one that is deleted. */
export type PushedFiles = Readonly<Record<string, string | { readonly base64: string } | null>>

const pathIn = (root: string, file: string): string => {
  const path = relative(root, resolve(file)).split(sep).join("/")
  if (path === "" || path === ".." || path.startsWith("../")) throw misused(`${file} is not below ${root}`)
  return path
}

const contentOf = (bytes: Buffer): string | { readonly base64: string } => {
  const text = bytes.toString("utf8")
  return Buffer.from(text, "utf8").equals(bytes) && !text.includes("\0") ? text : { base64: bytes.toString("base64") }
}

/** The files of a folder: in a clone those that git does not ignore. */
const within = (folder: string, isClone: boolean): ReadonlyArray<string> => {
  if (isClone)
    return git(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", folder])
      .stdout.split("\0")
      .filter((each) => each !== "" && lstatSync(each, { throwIfNoEntry: false }) !== undefined)
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === ".git" || entry.name === "node_modules") return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? within(path, false) : [path]
  })
}

const filesOf = (named: string, isClone: boolean): ReadonlyArray<string> => {
  const found = lstatSync(named, { throwIfNoEntry: false })
  if (found === undefined) throw misused(`${named} is not there. To delete it: --delete ${named}`)
  return found.isDirectory() ? within(named, isClone) : [named]
}

/** Reads what was named. Links and what is no file are refused: a ChangeSet has none. */
export const pushedFiles = (
  root: string,
  isClone: boolean,
  named: ReadonlyArray<string>,
  deleted: ReadonlyArray<string>
): PushedFiles => {
  const files = named.flatMap((each) => filesOf(each, isClone))
  const read = files.map((file) => {
    if (!lstatSync(file).isFile()) throw misused(`${file} is a link or no file: a ChangeSet holds files alone`)
    return [pathIn(root, file), contentOf(readFileSync(file))] as const
  })
  const gone = deleted.map((file) => [pathIn(root, file), null] as const)
  const twice = gone.find(([path]) => read.some(([other]) => other === path))
  if (twice !== undefined) throw misused(`${twice[0]} is pushed and deleted`)
  return Object.fromEntries([...read, ...gone])
}
