/**
 * What git would wait for without an end: a pipe, a device or a socket in the place of a file that it reads. It is looked for
 * before git is asked anything of a repository that may be hostile.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { ServerLimits } from "../../ServerLimits.ts"

/** What git reads of a repository when it looks up refs and objects. */
const namesRead = [
  "HEAD",
  "config",
  "config.worktree",
  "packed-refs",
  "shallow",
  "commondir",
  "info",
  "refs",
  "reftable",
  "objects"
]
const objectsName = /^(info|pack|[0-9a-f]{2})$/

/** One look at files. */
interface Look {
  /** Links are gone after; where not, each is odd. */
  readonly follows: boolean
  readonly seen: Set<string>
  /** How many files and folders may still be looked at: a link may lead anywhere. */
  left: number
}

const emptyLook = (follows: boolean): Look => ({ follows, seen: new Set(), left: ServerLimits.verifyNamesLooked })

/** Those below a path that are no files. What is not there is not odd; what cannot be looked at is. */
const oddBelow = (path: string, look: Look): ReadonlyArray<string> => {
  try {
    if (look.left-- <= 0) return [path]
    const found = look.follows ? statSync(path) : lstatSync(path)
    if (found.isFile()) return []
    if (!found.isDirectory()) return [path]
    const real = realpathSync(path)
    if (look.seen.has(real)) return []
    look.seen.add(real)
    const odd: Array<string> = []
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (look.left <= 0) return [path]
      if (entry.isFile()) look.left--
      else odd.push(...oddBelow(join(path, entry.name), look))
    }
    return odd
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? [] : [path]
  }
}

/** The lines of a file; none of what is no file. */
const linesOf = (path: string): ReadonlyArray<string> => {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8").split("\n") : []
  } catch {
    return []
  }
}

const includes = /\[\s*include/i

/** The settings that settings include, under whatever condition. */
const includedBy = (config: string): ReadonlyArray<string> => {
  const lines = linesOf(config)
  if (!lines.some((line) => includes.test(line))) return []
  return lines.flatMap((line) => {
    const [, named] = /^\s*(?:\[[^\]]*\]\s*)?path\s*=\s*"?([^"]*?)"?\s*$/i.exec(line) ?? []
    return named === undefined ? [] : [resolve(dirname(config), named.replace(/^~(?=\/)/, homedir()))]
  })
}

/** The folders of objects that a folder of objects borrows from. */
const borrowedBy = (objects: string): ReadonlyArray<string> =>
  linesOf(join(objects, "info", "alternates"))
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => resolve(objects, line))

/** All that is named from there, and from what is named. */
const namedFrom = (first: ReadonlyArray<string>, by: (path: string) => ReadonlyArray<string>): ReadonlySet<string> => {
  const all = new Set(first)
  // What is added meanwhile comes too.
  for (const each of all) for (const next of by(each)) all.add(next)
  return all
}

/** What git reads of a folder of objects that others borrow from. */
const objectsIn = (objects: string): ReadonlyArray<string> => {
  try {
    const names = readdirSync(objects).filter((name) => objectsName.test(name))
    return names.map((name) => join(objects, name))
  } catch {
    return []
  }
}

/** Where git looks beside: in settings and objects of elsewhere, and where a folder says that its repository is. */
const elsewhere = (folder: string): ReadonlyArray<string> => [
  ...namedFrom([join(folder, "config"), join(folder, "config.worktree")], includedBy),
  ...[...namedFrom([join(folder, "objects")], borrowedBy)].flatMap(objectsIn),
  ...linesOf(join(folder, "commondir")).flatMap((line) =>
    line === "" ? [] : namesRead.map((name) => join(resolve(folder, line), name))
  )
]

const ownOf = (folder: string, look: Look): ReadonlyArray<string> =>
  namesRead.flatMap((name) => oddBelow(join(folder, name), look)).map((path) => relative(folder, path))

/** By their names in the folder of git's own files, or by their paths; none where git may be asked. */
export const oddFiles = (folder: string): ReadonlyArray<string> => {
  const look = emptyLook(true)
  const own = ownOf(folder, look)
  return own.length > 0 ? own : elsewhere(folder).flatMap((path) => oddBelow(path, look))
}

/** The same of a pack's repository, which is all there is: it has no links, and names no other places. */
export const oddInPack = (folder: string): ReadonlyArray<string> => [
  ...ownOf(folder, emptyLook(false)),
  ...["commondir", "config.worktree", "objects/info/alternates"].filter((name) => existsSync(join(folder, name))),
  ...(linesOf(join(folder, "config")).some((line) => includes.test(line)) ? ["config"] : [])
]
