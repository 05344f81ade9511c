import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { manifest, type Ran, root, withFixture } from "./FixtureWorkspace.ts"

const check = (sources: Readonly<Record<string, string>>) =>
  withFixture({ ...sources, "packages/core/package.json": manifest("core", "effect") }, (fixture) =>
    fixture.run("node", join(root, "tools/house/main.ts"), fixture.folder)
  )

const impure: ReadonlyArray<readonly [source: string, message: string]> = [
  ["export const a = Date.now()", "Date reads the clock"],
  ["export const a = new Date()", "Date reads the clock"],
  ["export const a = Date()", "Date reads the clock"],
  ["const { now } = Date\nexport const a = now()", "Date reads the clock"],
  ["export const a = [Date]", "Date reads the clock"],
  ["export const a = Math.random()", "Math.random is chance"],
  ["const { random } = Math\nexport const a = random()", "Math.random is chance"],
  ["export const a = crypto.randomUUID()", "only crypto.subtle"],
  ["export const a = performance.now()", "core may not use performance"],
  ["export const a = process.env", "core may not use process"],
  ["export const a = { process }", "core may not use process"],
  ["declare const process: { env: object }\nexport const a = process.env", "core may not use process"],
  [`export const a = Buffer.from("a")`, "core may not use Buffer"],
  ["export const a = setTimeout(() => undefined, 1)", "core may not use setTimeout"],
  ["export const a = setInterval(() => undefined, 1)", "core may not use setInterval"],
  [`console.log("a")\nexport const a = 1`, "core may not use console"],
  [`export const a = globalThis.Date.now()`, "core may not use globalThis"],
  [`export const a = fetch("http://localhost")`, "core may not use fetch"]
]

const pure = `
export interface Row { readonly process: string; readonly Date: Date }
export const at = (ms: number): Date => new Date(ms)
export const is = (value: unknown): boolean => value instanceof Date
export const most = Math.max(1, Date.UTC(2026), Date.parse("2026-01-01"))
export const named = (process: { readonly console: string }): string => process.console
export const row = { process: "a", performance: 1 }
declare const crypto: { readonly subtle: object }
export const subtle = crypto.subtle
`

describe("purity of core", () => {
  let refused: Ran
  beforeAll(() => {
    const files = impure.map(([source], index) => [`packages/core/src/A${index}.ts`, `${source}\n`])
    refused = check(Object.fromEntries(files))
  })

  it("fails when core is impure", () => {
    expect(refused.status).toBe(1)
  })

  it.each(impure.map(([source, message], index) => ({ source, message, index })))(
    "refuses $source",
    ({ message, index }) => {
      const said = refused.output.split("\n").filter((line) => line.startsWith(`packages/core/src/A${index}.ts:`))
      expect(said.join("\n")).toContain(message)
    }
  )

  it("accepts given times, arithmetic, and local names that only look like globals", () => {
    const { output } = check({ "packages/core/src/A.ts": pure })
    expect(output).toContain("1 files keep the rules of the house")
    expect(output).not.toContain("purity:")
  })

  it("refuses Node's globals in the portable part of the router and accepts them in its Node part", () => {
    const source = "export const a = process.pid\n"
    const { output } = check({ "packages/router/src/A.ts": source, "packages/router/src/node/B.ts": source })
    expect(output).toContain("packages/router/src/A.ts:1 purity: router may not use process")
    expect(output.match(/purity:/g)).toHaveLength(1)
  })
})
