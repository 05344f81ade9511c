/** The rooms of the core lie on floors, and what is exported is used: each rule is broken here once, and refused. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { debts, floors } from "../house/Floors.ts"
import { manifest, root, withFixture } from "./FixtureWorkspace.ts"

const check = (sources: Readonly<Record<string, string>>) =>
  withFixture({ "packages/core/package.json": manifest("core", "effect"), ...sources }, (fixture) =>
    fixture.run("node", join(root, "tools/house/main.ts"), fixture.folder)
  )

describe("The floors of the core", () => {
  it("have a row for every folder, and no other", () => {
    const folders = readdirSync(join(root, "packages/core/src"), { withFileTypes: true })
    expect(floors.map(({ room }) => room).toSorted()).toEqual(
      folders.flatMap((each) => (each.isDirectory() ? [each.name] : [])).toSorted()
    )
  })

  it("are left upwards by at most 15 arrows, of which each is told", () => {
    const rooms = new Set(floors.map(({ room }) => room))
    expect(debts.flatMap((debt) => debt.split(">")).filter((room) => !rooms.has(room))).toEqual([])
    expect(new Set(debts).size).toBe(debts.length)
    // As many as there are. The number may only become smaller.
    expect(debts.length).toBeLessThanOrEqual(7)
  })

  it("refuse an import that runs up, and a folder without a floor", () => {
    const { output } = check({
      "packages/core/src/model/Change.ts": `import "../why/Why.ts"\n`,
      "packages/core/src/why/Why.ts": `import "../model/Change.ts"\n`,
      "packages/core/src/novelty/New.ts": `import "../model/Change.ts"\n`
    })
    expect(output).toContain("packages/core/src/model/Change.ts:1 floors: model lies below why and may not import")
    expect(output).toContain("packages/core/src/novelty/New.ts:1 floors: novelty has no floor")
    expect(output).not.toContain("Why.ts:1")
  })

  it("refuse an arrow of the list that nobody draws any more", () => {
    const { output } = check({ "packages/core/src/index.ts": `export * as Change from "./model/Change.ts"\n` })
    for (const debt of debts) expect(output).toContain(`floors: ${debt} is not drawn any more`)
  })
})

describe("Exports", () => {
  const { output } = check({
    "packages/core/src/model/Change.ts": [
      "export const used = 1",
      "export const listed = 1",
      "export const tested = 1",
      "export const atHome = used + 1",
      "export const twice = atHome",
      "export interface Shape { readonly a: number }",
      "export const shaped = (shape: Shape): number => shape.a",
      "export interface Forgotten { readonly a: number }",
      "export const dead = 1"
    ].join("\n"),
    "packages/core/src/model/Task.ts": `import { shaped, used } from "./Change.ts"\nshaped({ a: used })\nexport const gone = 2\n`,
    "packages/core/src/index.ts": `export { listed } from "./model/Change.ts"\nexport * as Task from "./model/Task.ts"\n`,
    "packages/core/test/Change.test.ts": `import { tested } from "@pawl/core/model/Change"\ntested.toFixed()\n`
  })

  it("that no other file names are refused, by name", () => {
    for (const name of ["atHome", "twice", "Forgotten", "dead"])
      expect(output).toMatch(new RegExp(`model/Change\\.ts:\\d+ dead-export: no other file uses ${name}:`))
    expect(output).toMatch(/model\/Task\.ts:3 dead-export: no other file uses gone:/)
  })

  it("that a source, an index or a test names are not, nor is a type that its own file needs", () => {
    for (const name of ["used", "listed", "tested", "Shape", "shaped"])
      expect(output).not.toContain(`no other file uses ${name}:`)
  })
})
