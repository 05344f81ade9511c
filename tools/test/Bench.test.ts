/** The benchmarks can be named without being run. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { catalogue } from "../../bench/Catalogue.ts"

const program = join(import.meta.dirname, "../../bench/run.ts")
const bench = (...args: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, [program, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

it("lists every figure once, with --list", () => {
  const names = bench("--list").trim().split("\n")
  expect(names).toEqual(catalogue.flatMap(({ figures }) => figures))
  expect(new Set(names).size).toBe(names.length)
})

it("refuses a name that no benchmark has", () => {
  expect(() => bench("--only", "nothing")).toThrow(/There is no benchmark nothing/)
})
