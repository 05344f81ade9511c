import { describe, expect, it } from "vitest"
import { graphOf } from "@pawl/core/packages/PackageGraph"
import type { PackageLink, PackageLock } from "@pawl/core/packages/PackageLock"

const lock = (
  packages: Readonly<Record<string, ReadonlyArray<string>>>,
  direct: ReadonlyArray<string>,
  links: ReadonlyArray<PackageLink> = []
): PackageLock => ({
  file: "package-lock.json",
  format: "npm",
  packages: Object.entries(packages).map(([path, needs]) => ({
    path,
    name: path.slice(path.lastIndexOf("node_modules/") + 13),
    version: "1.0.0",
    integrity: "sha512-x",
    dev: false,
    optional: false,
    installScript: false,
    needs,
    line: null
  })),
  links,
  direct: direct.map((name) => ({ name, range: "*", dev: false }))
})

describe("The graph of a lock", () => {
  it("leads to the nearest place of each name, as Node does, and to none for what is not there", () => {
    const graph = graphOf(
      lock(
        {
          "node_modules/a": ["b", "@s/c", "elsewhere"],
          "node_modules/a/node_modules/b": ["a", "@s/c"],
          "node_modules/b": ["a"],
          "node_modules/@s/c": []
        },
        ["b", "a", "gone"]
      )
    )
    expect(Object.fromEntries(graph)).toEqual({
      "": ["node_modules/a", "node_modules/b"],
      "node_modules/a": ["node_modules/@s/c", "node_modules/a/node_modules/b"],
      "node_modules/a/node_modules/b": ["node_modules/@s/c", "node_modules/a"],
      "node_modules/b": ["node_modules/a"],
      "node_modules/@s/c": []
    })
  })

  it("follows pnpm's links", () => {
    const [a, b] = ["node_modules/.pnpm/@s+a@1.0.0/node_modules/@s/a", "node_modules/.pnpm/b@1.0.0/node_modules/b"]
    const graph = graphOf(
      lock(
        { [a]: ["b"], [b]: [] },
        ["@s/a"],
        [
          { path: "node_modules/@s/a", target: a },
          { path: "node_modules/.pnpm/@s+a@1.0.0/node_modules/b", target: b }
        ]
      )
    )
    expect(Object.fromEntries(graph)).toEqual({ "": [a], [a]: [b], [b]: [] })
  })
})
