/** What every Symbols promises, whatever it reads code with. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { type NamedPart, Symbols } from "@pawl/core/project/Symbols"

/** The named parts of one file; null when it is not read. */
export const symbolsOf = (path: string, text: string) =>
  Effect.map(
    Effect.flatMap(Symbols, (symbols) => symbols.of([{ path, text }])),
    ([found]) => found ?? null
  )

const cart = `import { price } from "./price.js"

const empty = []

export function add(cart, item) {
  return [...cart, item]
}

export class Shop {
  open() {
    return true
  }

  close() {
    return false
  }
}
`

/** Symbols by name, each with its lines. */
const places = (parts: ReadonlyArray<NamedPart> | null): ReadonlyArray<string> =>
  (parts ?? []).filter(({ kind }) => kind === "symbol").map(({ from, name, to }) => `${name} ${from}-${to}`)

/** Declares the suite; `name` names the adapter in its title. */
export const symbolsContract = (name: string, options: { readonly layer: Layer.Layer<never> }): void => {
  const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(Effect.provide(effect, options.layer))
  const read = (path: string, text: string) => run(symbolsOf(path, text))

  describe(`${name}: Symbols`, () => {
    it("finds what a file imports and declares and the members of its classes, with their lines", async () => {
      const found = places(await read("src/cart.js", cart))
      for (const each of ["import ./price.js 1-1", "empty 3-3", "add 5-7", "Shop.open 10-12", "Shop.close 14-16"])
        expect(found).toContain(each)
      expect(found.some((each) => each.startsWith("Shop "))).toBe(true)
    })

    it("finds the same in a file twice, and in two files in one go what it finds in each", async () => {
      const alone = [await read("src/cart.js", cart), await read("src/one.js", "export const one = 1\n")]
      const both = await run(
        Effect.flatMap(Symbols, (symbols) =>
          symbols.of([
            { path: "src/cart.js", text: cart },
            { path: "src/one.js", text: "export const one = 1\n" }
          ])
        )
      )
      expect(both).toEqual(alone)
    })

    it("finds the symbols of a file in the order of their lines, and each begins before it ends", async () => {
      const symbols = ((await read("src/cart.js", cart)) ?? []).filter(({ kind }) => kind === "symbol")
      expect(symbols.map(({ from }) => from)).toEqual(symbols.map(({ from }) => from).toSorted((a, b) => a - b))
      for (const { from, to } of symbols) expect(to).toBeGreaterThanOrEqual(from)
    })

    it("finds the paths that a file answers GET at", async () => {
      const text = 'export function answer(pathname) {\n  if (pathname === "/hours") return new Response("9 to 5")\n}\n'
      const found = (await read("src/index.js", text)) ?? []
      expect(found.filter(({ kind }) => kind === "route")).toEqual([
        { kind: "route", name: "GET /hours", from: 2, to: 2 }
      ])
    })

    it("finds nothing in an empty file of code, which is not the same as not reading it", async () => {
      expect(await read("src/empty.ts", "")).toEqual([])
    })

    it.each([
      ["that is no code", "README.md", "# add\n"],
      ["that has no code's name", "styles.css", "p { color: red }"],
      ["that is broken", "src/broken.js", "export function add(cart { return ((("]
    ])("does not read a file %s", async (_, path, text) => {
      expect(await read(path, text)).toBeNull()
    })

    it("reads the others beside one that is broken", async () => {
      const files = [
        { path: "src/broken.js", text: "}}}} ((( `" },
        { path: "src/one.js", text: "export const one = 1\n" }
      ]
      const [broken, one] = await run(Effect.flatMap(Symbols, (symbols) => symbols.of(files)))
      expect(broken).toBeNull()
      expect(places(one ?? null)).toEqual(["one 1-1"])
    })
  })
}
