/**
 * The tables of `docs/internals/architecture.md`: packages, the floors of the core, ports. The rest of that page is
 * written by hand; each table stands between two marks.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { floors } from "../house/Floors.ts"
import { portsIn } from "../house/Ports.ts"
import { type Room, rooms } from "../house/Rooms.ts"
import { code, type Page, placed, table } from "./Markdown.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const path = "docs/internals/architecture.md"

interface Source {
  /** `core/app/AppRuntime` */
  readonly name: string
  readonly text: string
}

const sources: ReadonlyArray<Source> = readdirSync(`${root}packages`).flatMap((name) =>
  readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("index.ts"))
    .map((file) => ({
      name: `${name}/${file.replace(/\.ts$/, "")}`,
      text: readFileSync(`${root}packages/${name}/src/${file}`, "utf8")
    }))
)

const mayImport = ({ external, node, workspace }: Room): string =>
  [
    ...(workspace.length === 0 ? ["effect"] : workspace).map(code),
    ...(external === "own" ? ["its own dependencies"] : external.filter((name) => !/^effect\b/.test(name)).map(code)),
    ...(node ? ["Node"] : [])
  ].join(", ")

const packages = (): string =>
  table(
    ["room", "what lives there", "may import"],
    rooms
      .filter(({ folder, holds }) => holds !== "" && existsSync(`${root}${folder}`))
      .map((room) => [code(room.name), room.holds, mayImport(room)])
  )

const floorTable = (): string =>
  table(
    ["room", "what is there"],
    floors.map(({ holds, room }) => [code(room), holds])
  )

/** What makes a port: a layer of it, its place in a context, or the port alone, for others to put there. Those that only watch another one are none. */
const makersOf = (port: string): ReadonlyArray<string> =>
  sources
    .filter(({ name }) => !/telemetry|^testing|http\/request/.test(name))
    .filter(({ text }) =>
      new RegExp(
        `(Layer\\.(effect|succeed|sync|effectContext)\\(|Context\\.(add|make)\\((\\w+, )?)\\s*${port}\\b|\\b${port}\\.of\\(`
      ).test(text)
    )
    .map(({ name }) => name)

const suites = new Set(sources.map(({ name }) => /^testing\/contracts\/.*?(\w+)Contract$/.exec(name)?.[1]))

const portRows = (): ReadonlyArray<ReadonlyArray<string>> =>
  sources
    .filter(({ name }) => name.startsWith("core/"))
    .flatMap(({ name, text }) => portsIn(text).map((port) => ({ name, port })))
    .filter(({ port }) => suites.has(port))
    .toSorted((a, b) => (a.port < b.port ? -1 : 1))
    .map(({ name, port }) => {
      const makers = makersOf(port)
      const inMemory = makers.filter((each) => each.startsWith("adapters-memory/") || each === name)
      return [
        code(port),
        code(name),
        inMemory.map(code).join(", "),
        makers
          .filter((each) => !inMemory.includes(each))
          .map(code)
          .join(", ")
      ]
    })

const ports = (): string => table(["port", "file", "in memory", "for real"], portRows())

export const architecturePage = (): Page => ({
  path,
  text: [
    ["packages", packages()],
    ["floors", floorTable()],
    ["ports", ports()]
  ].reduce((text, [mark = "", made = ""]) => placed({ path, text }, mark, made), readFileSync(`${root}${path}`, "utf8"))
})
