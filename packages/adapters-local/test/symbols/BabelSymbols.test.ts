import { Symbols } from "@pawl/core/project/Symbols"
import { symbolsContract, symbolsOf } from "@pawl/testing/contracts/agents/SymbolsContract"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { layer } from "@pawl/adapters-local/symbols/BabelSymbols"

symbolsContract("BabelSymbols", { layer })

const read = (path: string, text: string) => Effect.runPromise(Effect.provide(symbolsOf(path, text), layer))
const places = async (path: string, text: string) =>
  ((await read(path, text)) ?? []).map(({ from, name, to }) => `${name} ${from}-${to}`)

describe("A symbol of code", () => {
  it.each<readonly [form: string, path: string, text: string, symbols: ReadonlyArray<string>]>([
    ["each variable of one declaration", "a.js", "export const a = 1,\n  b = 2\n", ["a 1-1", "b 2-2"]],
    ["variables that are taken out of something", "a.js", "const { a, b } = c\n", ["{ a, b } 1-1"]],
    ["types, interfaces and enums", "a.ts", "type A = 1\ninterface B {}\nenum C {}\n", ["A 1-1", "B 2-2", "C 3-3"]],
    ["what is exported by default", "a.js", "export default { fetch() {} }\n", ["default 1-1"]],
    ["what is passed on", "a.js", 'export * from "./b.js"\nexport { c }\n', ["export ./b.js 1-1", "export list 2-2"]],
    [
      "members with any kind of name, and the class around them",
      "a.ts",
      "class A {\n  #x = 1\n  'y z'() {}\n  static {}\n}\n",
      ["A 1-2", "A.#x 2-2", "A.y z 3-3", "A.static 4-4", "A 4-5"]
    ],
    ["elements of a page", "a.tsx", "export const Page = () => (\n  <p>hello</p>\n)\n", ["Page 1-3"]],
    ["routes as they are registered", "a.js", 'app.get("/hours", () => 1)\n', ["app.get /hours 1-1", "GET /hours 1-1"]],
    [
      "tests by their titles",
      "a.test.js",
      'describe("cart", () => {\n  it("adds", () => {})\n  it("sums", () => {})\n})\n',
      ["describe cart 1-2", "describe cart > it adds 2-2", "describe cart > it sums 3-3", "describe cart 3-4"]
    ]
  ])("is found: %s", async (_, path, text, symbols) => {
    expect(await places(path, text)).toEqual(symbols)
  })

  it("is not looked for in a file that the parser can only guess at", async () => {
    expect(await read("a.js", "const a = 1\nconst a = 2\n")).toBeNull()
  })

  it("is not looked for in a file that is too long", async () => {
    expect(await read("a.js", `// ${"x".repeat(LocalLimits.symbolsFileCharacters)}`)).toBeNull()
  })
})

describe("A file that no parser ends with", () => {
  const hostile = `const a = ${"[".repeat(500_000)}`

  it("is not read, and the next one is", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const symbols = yield* Symbols
        expect(yield* symbols.of([{ path: "a.js", text: hostile }])).toEqual([null])
        expect(yield* symbols.of([{ path: "b.js", text: "const b = 1\n" }])).toEqual([
          [{ kind: "symbol", name: "b", from: 1, to: 1 }]
        ])
      }).pipe(Effect.provide(layer))
    ))
})
