import { describe, expect, it } from "vitest"
import { filesOf, isTest, reaching, readersOf } from "../vitest/Graph.ts"
import { manifest, withFixture } from "./FixtureWorkspace.ts"
import { spawnSync } from "node:child_process"

const sources = {
  "packages/core/package.json": manifest("core"),
  "packages/core/src/a/Leaf.ts": "export const leaf = 1\n",
  "packages/core/src/a/Shape.ts": "export interface Shape {}\n",
  "packages/core/src/index.ts": 'export * from "./a/Leaf.ts"\n',
  "packages/core/test/Direct.test.ts": 'import { leaf } from "@pawl/core/a/Leaf"\n',
  "packages/core/test/Far.test.ts": 'import {\n  world\n} from "./World.ts"\n',
  "packages/core/test/World.ts": 'import { leaf } from "../src/a/Leaf.ts"\nexport const world = leaf\n',
  "packages/core/test/Entry.test.ts": 'import * as Core from "@pawl/core"\n',
  "packages/core/test/Typed.test.ts": 'import type { Shape } from "@pawl/core/a/Shape"\n',
  "packages/core/test/Spawned.test.ts": 'const program = new URL("./program.ts", import.meta.url)\n',
  "packages/core/test/program.ts": 'const later = () => import("@pawl/core/a/Leaf")\n',
  "packages/core/test/Fixed.test.ts": 'read(new URL("./fixtures/", import.meta.url))\n',
  "packages/core/test/fixtures/one.json": "{}\n",
  "packages/core/test/Named.test.ts": 'join(root, "packages/core/test/fixtures/one.json")\n',
  "packages/core/test/Alone.test.ts": "export {}\n"
}

const touchedBy = (changed: string, ends?: (file: string) => boolean): ReadonlyArray<string> => {
  let found: ReadonlyArray<string> = []
  withFixture(sources, ({ folder }) => {
    spawnSync("git", ["init", "--quiet"], { cwd: folder })
    const files = filesOf(folder)
    found = [...reaching(readersOf(folder, files), [changed], ends)].filter(isTest)
  })
  return found.map((file) => file.replace("packages/core/test/", "").replace(".test.ts", "")).toSorted()
}

describe("what a change can touch", () => {
  it("is who imports it, by a package's name too, and who starts a program that does", () => {
    expect(touchedBy("packages/core/src/a/Leaf.ts")).toEqual(["Direct", "Entry", "Far", "Spawned"])
  })

  it("is who reads a file, alone or with its folder", () => {
    expect(touchedBy("packages/core/test/fixtures/one.json")).toEqual(["Fixed", "Named"])
  })

  it("is nobody who takes a type alone: nothing of it is left when a test runs", () => {
    expect(touchedBy("packages/core/src/a/Shape.ts")).toEqual([])
  })

  it("is not followed through a package's entry where that says nothing", () => {
    expect(touchedBy("packages/core/src/a/Leaf.ts", (file) => file.endsWith("/index.ts"))).not.toContain("Entry")
  })
})
