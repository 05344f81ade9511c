/** Exports say what their names do not: what lacks a docstring is refused. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { docstrings } from "../house/Docstrings.ts"
import { show } from "../house/Finding.ts"
import { withWorkspace } from "../house/Workspace.ts"
import { manifest, root, withFixture } from "./FixtureWorkspace.ts"

const lacking = `import { told } from "./Told.ts"

export const value = told

/** Of the file, not of what follows. */

export const apart = 1

/* No docstring. */
export const plain = 2

// No docstring either.
export const line = 3

/** */
export const empty = 4

/** A shape. */
export interface Shape {
  readonly a: number
}
export class Thing {}

export type Name = string

export function work(): void {}
`

const documented = `/** Of the file. */

/** In ms. */
export const told = 1

/**
 * On several lines.
 */
export const long = 2

/** Both. */
export const Pair = 3
export type Pair = typeof Pair

/** Before what a linter is told. */
// oxlint-disable-next-line
export function overloaded(a: string): string
export function overloaded(a: number): number
export function overloaded(a: unknown): unknown {
  return a
}

const own = 4
export { own }
`

const sources = {
  "packages/core/package.json": manifest("core", "effect"),
  "packages/core/src/index.ts": `export * as Told from "./model/Told.ts"\nexport const version = 1\n`,
  "packages/core/src/model/Told.ts": documented,
  "packages/core/src/model/Lacking.ts": lacking,
  "packages/core/src/model/inside/Deep.ts": "export const deep = 1\n",
  "packages/core/test/Told.test.ts": "export const tested = 1\n"
}

const found = () => withFixture(sources, ({ folder }) => withWorkspace(folder, (files) => docstrings(files).map(show)))

const refusal = (line: number, name: string) =>
  `packages/core/src/model/Lacking.ts:${line} docstring: ${name} has no docstring directly above it: say what its name does not say`

const lackingHere = [
  refusal(3, "value"),
  refusal(7, "apart"),
  refusal(10, "plain"),
  refusal(13, "line"),
  refusal(16, "empty"),
  refusal(22, "Thing"),
  refusal(24, "Name"),
  refusal(26, "work")
]
const lackingInside =
  "packages/core/src/model/inside/Deep.ts:1 docstring: deep has no docstring directly above it: say what its name does not say"

describe("The docstrings of exports", () => {
  it("are there, or the export is refused by name; an index, a test and a second of the same name need none", () => {
    expect(found().toSorted()).toEqual([...lackingHere, lackingInside].toSorted())
  })

  it("are held by the check of the house", () => {
    const ran = withFixture(sources, (fixture) =>
      fixture.run("node", join(root, "tools/house/main.ts"), fixture.folder)
    )
    expect(ran.output).toContain(refusal(3, "value"))
    expect(ran.status).toBe(1)
  })
})
