/** Holds every source file to its room's row: which packages it may import, and which folders it may reach into. */
import { existsSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import type { Finding } from "./Finding.ts"
import { relativePath } from "./ImportPaths.ts"
import type { Room } from "./Rooms.ts"
import { roomOf } from "./Rooms.ts"
import { specifiersOf } from "./Specifiers.ts"
import type { OurFile } from "./Workspace.ts"

/** `@effect/sql-pg/PgClient` → `@effect/sql-pg`. */
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** `effect/sql/SqlClient` → `effect/sql`, which is as much as a package of its own. */
const partOf = (specifier: string): string => /^effect\/[a-z][^/]*/.exec(specifier)?.[0] ?? packageOf(specifier)

const declaredBy = (root: string, file: string, bundled: boolean): ReadonlySet<string> => {
  const path = join(root, file.split("/").slice(0, 2).join("/"), "package.json")
  if (!existsSync(path)) return new Set()
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(readFileSync(path, "utf8"))
  const kinds = ["dependencies", "peerDependencies", "optionalDependencies", ...(bundled ? ["devDependencies"] : [])]
  return new Set(kinds.flatMap((key) => Object.keys(manifest[key] ?? {})))
}

const relativeTo = (room: Room, file: string, specifier: string): string | undefined => {
  const target = relativePath(file, specifier)
  const sources = file.split("/").slice(0, 3).join("/") + "/"
  if (!target.startsWith(sources)) return `reaches out of ${sources}: import the package by its name`
  const closed = room.closedTo.find((folder) => target.startsWith(folder))
  return closed === undefined ? undefined : `${room.name} may not import from ${closed}`
}

const workspaceArrow = (room: Room, specifier: string): string | undefined => {
  const [, name, first] = specifier.split("/")
  const open = room.workspace.some((entry) => entry === name || entry === `${name}/${first}`)
  if (open) return undefined
  const row = room.workspace.map((entry) => `@pawl/${entry}`).join(", ")
  return `${room.name} may not import ${specifier} (its row allows ${row === "" ? "no workspace package" : row})`
}

const externalArrow = (room: Room, specifier: string, declared: ReadonlySet<string>): string | undefined => {
  const name = packageOf(specifier)
  if (room.external !== "own" && !room.external.includes(partOf(specifier))) {
    return `${room.name} may not import ${specifier} (its row allows ${room.external.join(", ")})`
  }
  if (!declared.has(name)) return `${name} is not declared in the package.json of this package`
  return undefined
}

/** Rooms whose code runs in workerd, which has modules of its own. */
const onCloudflare: ReadonlyArray<string> = ["adapters-cloudflare", "server/workers"]

const judge = (room: Room, file: string, specifier: string, declared: ReadonlySet<string>): string | undefined => {
  if (specifier === "<computed>") return room.node ? undefined : `${room.name} may not import a computed name`
  if (specifier.startsWith(".")) return relativeTo(room, file, specifier)
  if (specifier.startsWith("cloudflare:") && onCloudflare.includes(room.name)) return undefined
  if (isBuiltin(specifier)) {
    if (room.builtins.includes(specifier)) return undefined
    if (!room.node) return `${room.name} may not import ${specifier}: it runs on any JavaScript engine`
    return specifier.startsWith("node:") ? undefined : `write node:${specifier}`
  }
  if (specifier.startsWith("@pawl/")) {
    return workspaceArrow(room, specifier) ?? (declared.has(packageOf(specifier)) ? undefined : undeclared(specifier))
  }
  return externalArrow(room, specifier, declared)
}

const undeclared = (specifier: string): string =>
  `${packageOf(specifier)} is not declared in the package.json of this package`

/** A test may use its package's row, its own package, the contract suites, what is in memory, and any npm package of the workspace. */
const judgeTest = (file: string, specifier: string): string | undefined => {
  const own = file.split("/")[1] ?? ""
  const room = roomOf(`packages/${own}/src/node/`) ?? roomOf(`packages/${own}/src/`)
  if (room === undefined || !specifier.startsWith("@pawl/")) return undefined
  if ([`@pawl/${own}`, "@pawl/testing", "@pawl/core", "@pawl/adapters-memory"].includes(packageOf(specifier)))
    return undefined
  return workspaceArrow(room, specifier)
}

export const imports = (root: string, file: OurFile): ReadonlyArray<Finding> => {
  const isSource = /^packages\/[^/]+\/src\//.test(file.path)
  const isTest = /^packages\/[^/]+\/test\//.test(file.path)
  if (!isSource && !isTest) return []
  const room = roomOf(file.path)
  if (isSource && room === undefined) {
    const message = "lies in no room: add a row to tools/house/Rooms.ts that says what it may import"
    return [{ file: file.path, line: 0, rule: "imports", message }]
  }
  const declared = declaredBy(root, file.path, room?.bundled === true)
  return specifiersOf(file.source).flatMap(({ text, line }) => {
    const message = isSource && room !== undefined ? judge(room, file.path, text, declared) : judgeTest(file.path, text)
    return message === undefined ? [] : [{ file: file.path, line, rule: "imports", message }]
  })
}
