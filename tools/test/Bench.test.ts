/** The benchmarks can be named without being run. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as UnlanedPromotions from "../../bench/parts/UnlanedPromotions.ts"
import { catalogue } from "../../bench/Catalogue.ts"
import { figure, ratioAtMost } from "../../bench/Figure.ts"
import { summary } from "../../bench/Runs.ts"

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

it("says of several runs the middle, the least and the greatest, and how many met the target", () => {
  const of = (value: number) =>
    figure({
      name: "one",
      value,
      unit: "ms",
      floor: "by hand",
      floorValue: 10,
      ratio: value / 10,
      target: ratioAtMost(1.1)
    })
  expect(summary([of(12), of(10), of(11)])).toEqual({
    middle: { ...of(11), ok: false },
    values: { least: 10, greatest: 12 },
    ratios: { least: 1, greatest: 1.2 },
    met: 2,
    runs: 3
  })
})

it("writes a page only of five whole runs or more", () => {
  expect(() => bench("--write", "--runs", "4")).toThrow(/at least 5 runs/)
  expect(() => bench("--write", "--rounds", "2")).toThrow(/15 rounds/)
  expect(() => bench("--write", "--only", "queue")).toThrow(/all benchmarks/)
})

it("measures a promotion with the lane off beside one from before there was a lane, which commits the very same", async () => {
  const { before, off } = UnlanedPromotions.sizes()
  expect(off).toEqual(before)
  expect(off.writes).toBeGreaterThan(0)
  expect(await UnlanedPromotions.readsOff()).toBe(0)
})
