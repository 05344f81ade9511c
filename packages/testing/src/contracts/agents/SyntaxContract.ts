/** What every Syntax promises: texts that nobody can read are told with their line, and it ends whatever it is given. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Syntax } from "@pawl/core/agent/Syntax"

/** How an adapter's test makes a syntax for this contract. */
export interface SyntaxFixture {
  readonly layer: Layer.Layer<never, unknown>
  /** Whether it knows TypeScript and JavaScript; those promises are left out else. */
  readonly code: boolean
}

/** Code that can be read, by its path. */
const whole: ReadonlyArray<readonly [path: string, text: string]> = [
  ["a.js", `import { b } from "./b.js"\nexport const a = async () => (await b())?.c ?? 1n\n`],
  ["a.cjs", `const b = require("./b.cjs")\nmodule.exports = { b }\n`],
  ["a.mjs", `export * from "./b.mjs"\n`],
  ["a.jsx", `export const A = () => <p className="a">{1}</p>\n`],
  ["a.ts", `export const first = <T,>(all: ReadonlyArray<T>): T | undefined => all[0] satisfies T | undefined\n`],
  ["a.tsx", `export const A = ({ a }: { readonly a: string }) => <p>{a as string}</p>\n`],
  ["a.mts", `export type A = { readonly [K in "a"]?: K }\nexport enum B { C = 1 }\n`],
  ["empty.ts", ""]
]

/** Code that cannot, and the line of what is wrong. */
const broken: ReadonlyArray<readonly [path: string, text: string, line: number]> = [
  ["a.js", "const a = {\n  b: 1\n", 3],
  ["a.ts", "const a: number = 1\nexport const b = (c => {\n", 3],
  ["a.tsx", "export const A = () => {\n  return [1,\n", 3]
]

/** Texts that keep a parser busy. */
const heavy: ReadonlyArray<readonly [path: string, text: string]> = [
  ["deep.js", "(".repeat(50_000)],
  ["deep.ts", `let a = ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`],
  ["generics.ts", `let a = ${"<T>(".repeat(60)}${")".repeat(60)}\n`],
  ["long.js", "a = 1\n".repeat(300_000)],
  ["deep.json", "[".repeat(100_000)]
]

/** Declares the suite; `name` names the adapter in its title. */
export const syntaxContract = (name: string, { code, layer }: SyntaxFixture): void => {
  const checks = (files: ReadonlyArray<readonly [path: string, text: string, ...rest: ReadonlyArray<unknown>]>) =>
    Effect.flatMap(Syntax, ({ check }) => Effect.forEach(files, ([path, text]) => check(path, text))).pipe(
      Effect.provide(layer),
      Effect.runPromise
    )

  describe(`${name}: Syntax`, () => {
    it("finds nothing wrong with settings that can be read, and with those that may hold comments", async () => {
      expect(
        await checks([
          ["package.json", `{ "name": "a" }`],
          ["tsconfig.json", "// strict\n{}"],
          ["a/wrangler.jsonc", "// none\n{}"]
        ])
      ).toEqual([null, null, null])
    })

    it("tells what is wrong with settings that cannot be read", async () => {
      for (const problem of await checks([
        ["package.json", `{ "name": "a", }`],
        ["pawl.json", ""]
      ]))
        expect(problem).toMatch(/\w/)
    })

    it("says nothing of what it does not know", async () => {
      expect(
        await checks([
          ["a.css", "a {"],
          ["README.md", "(("],
          ["a", "(("],
          ["a.js.txt", "(("]
        ])
      ).toEqual([null, null, null, null])
    })

    it("ends whatever it is given, and can be asked again", async () => {
      const problems = await checks([...heavy, ...whole])
      expect(problems.length).toBe(heavy.length + whole.length)
      expect(problems.slice(heavy.length)).toEqual(whole.map(() => null))
    })

    if (!code) return

    it("finds nothing wrong with code that can be read", async () => {
      expect(await checks(whole)).toEqual(whole.map(() => null))
    })

    it("tells the line of what is wrong with code that cannot be read", async () => {
      const problems = await checks(broken)
      for (const [at, [path, , line]] of broken.entries())
        expect([path, problems[at]]).toEqual([path, expect.stringContaining(`line ${line}`)])
    })
  })
}
