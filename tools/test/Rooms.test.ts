/** Every arrow that house.md forbids is drawn here once, and the checker must refuse each by name. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { manifest, type Ran, root, withFixture } from "./FixtureWorkspace.ts"

const check = (sources: Readonly<Record<string, string>>) =>
  withFixture(sources, (fixture) => fixture.run("node", join(root, "tools/house/main.ts"), fixture.folder))

const manifests = {
  "packages/core/package.json": manifest("core", "effect"),
  "packages/testing/package.json": manifest("testing", "@pawl/core", "effect", "vitest", "@effect/vitest"),
  "packages/sql/package.json": manifest("sql", "@pawl/core", "effect"),
  "packages/router/package.json": manifest("router", "@pawl/core", "effect"),
  "packages/adapters-local/package.json": manifest("adapters-local", "@pawl/core", "@pawl/sql", "effect", "esbuild"),
  "packages/server/package.json": manifest("server", "@pawl/core", "@pawl/sql", "effect"),
  "packages/console/package.json": manifest("console", "@pawl/server", "effect"),
  "packages/console/tsconfig.json": readFileSync(join(root, "packages/console/tsconfig.json"), "utf8")
}

const wrongArrows: ReadonlyArray<readonly [file: string, source: string, message: string]> = [
  ["packages/core/src/A.ts", `import "@pawl/sql/Ledger"`, "core may not import @pawl/sql/Ledger"],
  ["packages/core/src/A.ts", `import "@effect/platform-node"`, "core may not import @effect/platform-node"],
  ["packages/core/src/A.ts", `import "effect/http"`, "core may not import effect/http"],
  ["packages/core/src/A.ts", `import "node:fs"`, "core may not import node:fs"],
  ["packages/core/src/A.ts", `export * from "fs/promises"`, "core may not import fs/promises"],
  ["packages/core/src/A.ts", `export const a = () => import("node:os")`, "core may not import node:os"],
  ["packages/core/src/A.ts", `export const a = (name: string) => import(name)`, "core may not import a computed name"],
  ["packages/core/src/A.ts", `export type A = import("@pawl/router/Front").Front`, "core may not import @pawl/router"],
  ["packages/core/src/A.ts", `import "../../sql/src/B.ts"`, "reaches out of packages/core/src/"],
  ["packages/core/src/A.ts", `import "../test/B.ts"`, "reaches out of packages/core/src/"],
  ["packages/testing/src/A.ts", `import "@pawl/sql/Ledger"`, "testing may not import @pawl/sql/Ledger"],
  ["packages/testing/src/A.ts", `import "node:fs"`, "testing may not import node:fs"],
  ["packages/sql/src/A.ts", `import "@pawl/router/Front"`, "sql may not import @pawl/router/Front"],
  ["packages/sql/src/A.ts", `import "effect/http/HttpClient"`, "sql may not import effect/http/HttpClient"],
  ["packages/sql/src/A.ts", `import "better-sqlite3"`, "sql may not import better-sqlite3"],
  ["packages/sql/src/A.ts", `import "node:crypto"`, "sql may not import node:crypto"],
  ["packages/router/src/A.ts", `import "@pawl/sql/Ledger"`, "router may not import @pawl/sql/Ledger"],
  ["packages/router/src/A.ts", `import "node:http"`, "router may not import node:http"],
  ["packages/router/src/A.ts", `import "./node/Front.ts"`, "router may not import from packages/router/src/node/"],
  ["packages/router/src/node/A.ts", `import "@pawl/sql/Ledger"`, "router/node may not import @pawl/sql/Ledger"],
  ["packages/adapters-local/src/A.ts", `import "@pawl/server/api"`, "adapters-local may not import @pawl/server/api"],
  ["packages/adapters-local/src/A.ts", `import "workerd"`, "workerd is not declared in the package.json"],
  ["packages/adapters-local/src/A.ts", `import "@pawl/router/Front"`, "@pawl/router is not declared"],
  ["packages/adapters-local/src/A.ts", `import "fs"`, "write node:fs"],
  ["packages/server/src/api/A.ts", `import "@pawl/sql/Ledger"`, "server/api may not import @pawl/sql/Ledger"],
  ["packages/server/src/api/A.ts", `import "@effect/platform-node"`, "server/api may not import @effect/platform-node"],
  ["packages/server/src/api/A.ts", `import "effect/cli"`, "server/api may not import effect/cli"],
  ["packages/server/src/api/A.ts", `import "../http/A.ts"`, "server/api may not import from packages/server/src/http/"],
  [
    "packages/server/src/http/A.ts",
    `import "../node/A.ts"`,
    "server/http may not import from packages/server/src/node/"
  ],
  ["packages/server/src/http/A.ts", `import "node:fs"`, "server/http may not import node:fs"],
  ["packages/console/src/A.ts", `import "@pawl/core/model/Change"`, "console may not import @pawl/core/model/Change"],
  ["packages/console/src/A.ts", `import "node:fs"`, "console may not import node:fs"],
  ["packages/console/src/A.ts", `import "@pawl/server/node/main"`, "console may not import @pawl/server/node/main"],
  ["packages/novelty/src/A.ts", `export const a = 1`, "lies in no room"],
  ["packages/core/test/A.test.ts", `import "@pawl/adapters-local/Git"`, "core may not import @pawl/adapters-local/Git"]
]

/** One file for each arrow, so that one run of the checker judges them all. */
const drawn = wrongArrows.map(([file, source, message], index) => ({
  file: file.replace(/\bA(?=(\.test)?\.ts$)/, `A${index}`),
  source,
  message
}))

describe("imports by room", () => {
  let refused: Ran
  beforeAll(() => {
    refused = check({ ...manifests, ...Object.fromEntries(drawn.map(({ file, source }) => [file, `${source}\n`])) })
  })

  it("fails when an arrow is wrong", () => {
    expect(refused.status).toBe(1)
  })

  it.each(drawn)("refuses in $file: $source", ({ file, message }) => {
    const said = refused.output.split("\n").find((line) => line.startsWith(`${file}:`) || line.startsWith(`${file} `))
    expect(said).toContain(message)
  })

  it("accepts every arrow of the table", () => {
    const { status, output } = check({
      ...manifests,
      "packages/core/src/A.ts": `import "effect"\nimport "effect/Schema"\nimport "./b/C.ts"\n`,
      "packages/core/test/A.test.ts": `import "vitest"\nimport "node:fs"\nimport "@pawl/testing/contracts/stores/LedgerContract"\n`,
      "packages/testing/src/A.ts": `import "@pawl/core/a/B"\nimport "vitest"\nimport "@effect/vitest"\n`,
      "packages/sql/src/A.ts": `import "@pawl/core/a/B"\nimport "effect/sql/SqlClient"\n`,
      "packages/router/src/A.ts": `import "@pawl/core/a/B"\n`,
      "packages/router/src/node/A.ts": `import "node:http"\nimport "../A.ts"\n`,
      "packages/adapters-local/src/A.ts": `import "@pawl/sql/B"\nimport "node:fs"\nimport "esbuild"\n`,
      "packages/server/src/api/A.ts": `import "@pawl/core/a/B"\nimport "effect/http-api"\n`,
      "packages/server/src/http/A.ts": `import "../api/A.ts"\n`,
      "packages/server/src/node/A.ts": `import "../http/A.ts"\nimport "@pawl/sql/A"\nimport "node:fs"\n`,
      "packages/console/src/A.ts": `import "@pawl/server/api"\n`
    })
    expect(output).toContain("but for 0 findings")
    expect(status).toBe(0)
  })
})
