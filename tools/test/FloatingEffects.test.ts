import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { stretchOf } from "../house/Stretch.ts"
import { turnOf } from "../vitest/Turn.ts"
import { type Ran, root, withFixture } from "./FixtureWorkspace.ts"

const imports = `import { Data, Effect, Fiber, Layer, Stream } from "effect"
import { it } from "vitest"
import { it as effectIt } from "@effect/vitest"
export const used = [Data, Fiber, Layer, Stream, it, effectIt]
`

/** One file for each source, `packages/server/test/F<index>.test.ts`, judged in one run. */
const check = (...sources: ReadonlyArray<string>) =>
  withFixture(
    Object.fromEntries(
      sources.map((source, index) => [`packages/server/test/F${index}.test.ts`, `${imports}${source}\n`])
    ),
    (fixture) => fixture.run("node", join(root, "tools/house/main.ts"), fixture.folder)
  )

const saidOf = (output: string, index: number): string =>
  output
    .split("\n")
    .filter((line) => line.startsWith(`packages/server/test/F${index}.test.ts:`))
    .join("\n")

const thrownAway: ReadonlyArray<string> = [
  `export const a = Effect.gen(function* () {\n  Effect.log("x")\n  yield* Effect.log("y")\n})`,
  `Effect.log("x")`,
  `void Effect.log("x")`,
  `export const a = (on: boolean) => {\n  on && Effect.log("x")\n}`,
  `export const a = (on: boolean) => {\n  on ? Effect.log("x") : undefined\n}`,
  `export const a = async () => {\n  await Effect.log("x")\n}`,
  `export const a = Effect.gen(function* () {\n  yield* Effect.map(Effect.void, () => Effect.log("x"))\n})`,
  `class Refused extends Data.TaggedError("Refused") {}\nexport const a = Effect.gen(function* () {\n  new Refused()\n  yield* Effect.void\n})`,
  `Stream.make(1)`,
  `Layer.empty`,
  `export const a = (maybe?: () => Effect.Effect<void>) => {\n  maybe?.()\n}`
]

const ignoring = ["const ns = [1]\nns.forEach((n) => Effect.log(n))", `process.on("exit", () => Effect.log("x"))`]

const unrun = ["it", "it.only", "it.skipIf(false)", "it.each([1])"].map(
  (callee) => `${callee}("promises", () => Effect.log("x"))`
)

const cases = [
  ...thrownAway.map((source) => ({ source, message: "this Effect is thrown away and never runs" })),
  ...ignoring.map((source) => ({ source, message: "this callback's caller ignores results" })),
  ...unrun.map((source) => ({ source, message: "a plain test does not run the Effect that it returns" }))
].map((each, index) => ({ ...each, index }))

describe("floating Effects", () => {
  let refused: Ran
  beforeAll(() => {
    refused = check(...cases.map(({ source }) => source))
  })

  it("fails when an Effect floats", () => {
    expect(refused.status).toBe(1)
  })

  it.each(cases)("refuses $source", ({ index, message }) => {
    expect(saidOf(refused.output, index)).toContain(`floating-effect: ${message}`)
  })

  it("accepts Effects that are yielded, returned, assigned, run or forked, and tests that run them", () => {
    const { status, output } = check(`
let kept: Effect.Effect<void> = Effect.void
kept = Effect.log("x")
Effect.runFork(kept)
Effect.runSync(kept)
await Effect.runPromise(kept)
it("runs", () => Effect.runPromise(kept))
effectIt.effect("runs", () => kept)
export const all = Effect.forEach([1], (n) => Effect.log(n))
class Refused extends Data.TaggedError("Refused") {}
await Effect.runPromiseExit(kept)
export const gen = Effect.gen(function* () {
  yield* Effect.log("y")
  const fiber = yield* Effect.forkChild(kept)
  yield* Fiber.join(fiber)
  yield* Fiber.interrupt(fiber)
  yield* Effect.flip(Effect.fail(new Refused()))
  yield* Effect.result(kept)
})`)
    expect(output).toContain("but for 0 findings")
    expect(status).toBe(0)
  })

  it.each([0, 1, 9, 10, 11, 1234])("are looked for in each of %d files once, over ten commits in a row", (count) => {
    const files = Array.from({ length: count }, (_, index) => index)
    const seeds = Array.from({ length: 10 }, (_, index) => 87 + index)
    expect(seeds.flatMap((seed) => stretchOf(files, seed)).toSorted((a, b) => a - b)).toEqual(files)
  })

  it("are looked for in one tenth in a quick run: who stands in another is not judged", () => {
    const sources = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`packages/server/test/F${index}.test.ts`, `${imports}Layer.empty\n`])
    )
    const { output } = withFixture(sources, (fixture) => {
      const program = join(root, "tools/house/main.ts")
      return fixture.run("node", program, fixture.folder, "--slice")
    })
    const judged = turnOf(process.env).depth === "quick" ? 1 : 10
    expect(output.match(/floating-effect: this Effect is thrown away/g)).toHaveLength(judged)
  })
})
