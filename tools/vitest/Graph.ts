/**
 * Which files of the workspace a file reaches: by imports, and by the names of files and folders in its strings, for a
 * test also starts programs and reads fixtures. It reads texts alone, so it sees too much rather than too little.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { packagePaths, relativePath } from "../house/ImportPaths.ts"

/** Paths from the root of the workspace, with slashes. */
export type Files = ReadonlySet<string>

/** What git knows or would add. */
export const filesOf = (root: string): Files => {
  const asked = ["ls-files", "--cached", "--others", "--exclude-standard"]
  const { stdout } = spawnSync("git", asked, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
  return new Set(stdout.split("\n").filter((path) => path !== "" && existsSync(join(root, path))))
}

/** Types leave nothing behind when a file runs. */
const typesOnly = /^(?:import|export) type [^;"]*? from "[^"\n]+"$/gm
const strings = /"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|`([^`$\n]+)`/g

const stringsIn = (text: string): ReadonlyArray<string> =>
  [...text.replaceAll(typesOnly, "").matchAll(strings)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? ""
  )

/** The folders of all files, each with what lies below it. */
const foldersOf = (files: Files): ReadonlyMap<string, ReadonlyArray<string>> => {
  const folders = new Map<string, Array<string>>()
  for (const file of files)
    for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) {
      const inside = folders.get(folder)
      if (inside === undefined) folders.set(folder, [file])
      else inside.push(file)
    }
  return folders
}

/** A folder this large is named to walk over it, not to be read. */
const mostInFolder = 100

const reached = (
  files: Files,
  folders: ReturnType<typeof foldersOf>,
  from: string,
  text: string
): ReadonlyArray<string> => {
  const ours = packagePaths(text).find((each) => files.has(each))
  if (ours !== undefined) return [ours]
  if (text.length > 200) return []
  if (/^\.\.?\//.test(text)) {
    const path = relativePath(from, text).replace(/\/$/, "")
    if (files.has(path)) return [path]
    const inside = folders.get(path) ?? []
    return inside.length > mostInFolder ? [] : inside
  }
  return text.includes("/") && files.has(text) ? [text] : []
}

const readable = /\.[cm]?[jt]s$/

export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** For each file, the files that name it. */
export const readersOf = (root: string, files: Files): Graph => {
  const folders = foldersOf(files)
  const readers = new Map<string, Set<string>>()
  for (const file of files) {
    if (!readable.test(file)) continue
    for (const text of stringsIn(readFileSync(join(root, file), "utf8")))
      for (const target of reached(files, folders, file, text)) {
        if (target === file) continue
        const of = readers.get(target)
        if (of === undefined) readers.set(target, new Set([file]))
        else of.add(file)
      }
  }
  return readers
}

/** These files and all that reach them; nothing is sought beyond what `ends` holds for. */
export const reaching = (
  readers: Graph,
  from: Iterable<string>,
  ends: (file: string) => boolean = () => false
): ReadonlySet<string> => {
  const found = new Set(from)
  for (const file of found) if (!ends(file)) for (const reader of readers.get(file) ?? []) found.add(reader)
  return found
}

export const isTest = (file: string): boolean => file.endsWith(".test.ts")
