/**
 * Exports that no other file names. What nobody uses is not an interface but a leftover: delete it, or take its `export`
 * away. Tests, examples, benches and code blocks of the docs count as users, and what an index
 * names; an index that passes everything on does not.
 * A type or a class that its own file uses may be exported for nobody: it is the shape of something that is used, and
 * outsiders want to write its name.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { exportsOf } from "./Exports.ts"
import type { Finding } from "./Finding.ts"
import { importPaths } from "./ImportPaths.ts"
import { specifiersOf } from "./Specifiers.ts"
import type { OurFile } from "./Workspace.ts"

const words = (text: string): ReadonlySet<string> => new Set(text.match(/[A-Za-z_$][\w$]*/g) ?? [])

const namesOf = (file: OurFile): ReadonlyArray<string> => specifiersOf(file.source).map(({ text }) => text)

interface User {
  readonly words: ReadonlySet<string>
  readonly targets: ReadonlySet<string>
}

const userOf = (path: string, text: string, specifiers: ReadonlyArray<string>): User => ({
  words: words(text),
  targets: new Set(specifiers.flatMap((specifier) => importPaths(path, specifier)))
})

/** What a script on Cloudflare exports is looked up there by its name. */
const isScript = (path: string): boolean => /^packages\/server\/src\/workers\/[A-Za-z]+Script\.ts$/.test(path)

/** Pages of the docs, whose code blocks are compiled. */
const pages = (root: string): ReadonlyArray<User> =>
  [join(root, "docs"), join(root, "examples")].flatMap((folder) => {
    try {
      return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(md|mjs|js)$/.test(name) && !name.includes("node_modules"))
        .map((name) => {
          const text = readFileSync(join(folder, name), "utf8")
          return userOf(
            name,
            text,
            Array.from(text.matchAll(/from "(@pawl\/[^"]+)"/g), ([, specifier]) => specifier!)
          )
        })
    } catch {
      return []
    }
  })

/** Whether a name stands in a text more than once, so beside its declaration. */
const isUsedAtHome = (text: string, name: string): boolean => text.split(new RegExp(`\\b${name}\\b`)).length > 2

const isIndex = (path: string): boolean => path.endsWith("/index.ts")

export const deadExports = (root: string, files: ReadonlyArray<OurFile>): ReadonlyArray<Finding> => {
  const users = new Map<string, Array<User>>()
  const add = (user: User): void => {
    for (const target of user.targets) users.set(target, [...(users.get(target) ?? []), user])
  }
  for (const file of files) {
    add(
      userOf(
        file.path,
        file.source.text,
        specifiersOf(file.source).map(({ text }) => text)
      )
    )
  }
  pages(root).forEach(add)
  const indexes = files
    .filter(({ path }) => isIndex(path))
    .map((file) => ({ path: file.path, user: userOf(file.path, file.source.text, namesOf(file)) }))
  return files
    .filter(({ path }) => /^packages\/[^/]+\/src\//.test(path) && !isIndex(path) && !isScript(path))
    .flatMap((file) => {
      // Who imports an index sees what it passes on.
      const passed = indexes
        .filter(({ user }) => user.targets.has(file.path))
        .flatMap(({ path }) => users.get(path) ?? [])
      const seen = [...(users.get(file.path) ?? []), ...passed]
      const all = exportsOf(file)
      // A schema and its type are one thing under one name.
      const types = new Set(all.filter(({ isType }) => isType).map((each) => each.name))
      return all
        .filter((each) => !seen.some((user) => user.words.has(each.name)))
        .filter((each) => !types.has(each.name) || !isUsedAtHome(file.source.text, each.name))
        .map(({ line, name: dead }) => ({
          file: file.path,
          line,
          rule: "dead-export",
          message: `no other file uses ${dead}: delete it, or take its export away`
        }))
    })
}
