/** What is cut of a script before it is deployed, and what must stay. */
import { describe, expect, it } from "vitest"
import { withNamedWords } from "../../../../deploy/cloudflare/RepeatedWords.ts"
import { withoutBodies } from "../../../../deploy/cloudflare/WithoutBodies.ts"
import { withoutUnreached } from "../../../../deploy/cloudflare/WithoutUnreached.ts"
import { withoutFields, withoutWords } from "../../../../deploy/cloudflare/WithoutWords.ts"

const lines = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

describe("What nothing reaches", () => {
  it("is left out, with what only that reached, whatever it calls", () => {
    const code = `
      const used = make("used"), unused = make("unused", alone);
      const alone = make("alone");
      function reached() { return used }
      function forgotten() { return alone }
      class Kept extends base(reached) {}
      class Left extends base(forgotten) {}
      export { Kept }`
    expect(lines(withoutUnreached(code))).toEqual([
      `const used = make("used"), unused = 0;`,
      `const alone = 0;`,
      `function reached() { return used }`,
      `class Kept extends base(reached) {}`,
      `export { Kept }`
    ])
  })

  it("is nothing that a field, a default, a pattern or a computed key names, nor what does more than declare", () => {
    const code = `
      const key = symbol(), value = of(1), fallback = of(2), written = (shared.place = of(3)), short = of(4);
      const { part } = open(value);
      class Kept { [key] = 1; method(given = fallback) { return { short } } }
      start(Kept);`
    expect(withoutUnreached(code)).toBe(code)
  })

  it("is not kept for a field of its name", () => {
    expect(withoutUnreached(`const name = make(); export const other = { name: 1 }.name`)).toBe(
      `const name = 0; export const other = { name: 1 }.name`
    )
  })
})

describe("The contract without its words", () => {
  it("has each endpoint with what it needs, takes and answers, and nothing that only the document tells", () => {
    const text = `
      const get = HttpApiEndpoint.get("get", "/v1/things/:id", { params: ById, success: Thing }).annotateMerge(
        about(reading, "A thing", \`It is \${often} asked for.\`)
      )
      export const Api = HttpApiGroup.make("things").add(get.annotate(BodyLimit, 7)).annotate(OpenApi.Description, "Things")
      const bearer = scheme.pipe(HttpApiSecurity.annotate(OpenApi.Description, "A token"))
      const whole = Api.annotate(HttpApi.ParseOptions, telling).annotateMerge(OpenApi.annotations({ title: "T" }))
      const about = (need: Need) => merge(OpenApi.annotations({ summary }), need)`
    expect(lines(withoutWords(text))).toEqual([
      `const get = HttpApiEndpoint.get("get", "/v1/things/:id", { params: ById, success: Thing }).annotateMerge(`,
      `about(reading)`,
      `)`,
      `export const Api = HttpApiGroup.make("things").add(get.annotate(BodyLimit, 7))`,
      `const bearer = scheme.pipe((same) => same)`,
      `const whole = Api.annotate(HttpApi.ParseOptions, telling)`,
      `const about = (need: Need) => merge(OpenApi.annotations({}), need)`
    ])
  })

  it("is an error for a text that cannot be read", () => {
    expect(() => withoutWords("const = ")).toThrow("contract.ts")
  })
})

describe("A module of the library", () => {
  it("has no fields that nothing reads, wherever they stand, and keeps patterns and the fields beside them", () => {
    const text = `const made = { id: 1, told: () => ({ deep: 2 }), also: { told: 3 } }, other = { told }
      const { told } = made
      make({ when: "it is so" }, { kept: made.told, told: 4 })`
    expect(withoutFields(text, new Set(["told", "when"]))).toBe(
      `const made = { id: 1,  also: {  } }, other = {  }
      const { told } = made
      make({  }, { kept: made.told,  })`
    )
  })

  it("has functions that do nothing, for what was done before", () => {
    const text = `export function judged(all) { if (look(all)) throw new Error("no") }
function look(all) { return all.some(Boolean) }`
    expect(withoutBodies(text, ["look"])).toBe(
      `export function judged(all) { if (look(all)) throw new Error("no") }
function look() {}`
    )
    expect(() => withoutBodies(text, ["looked"])).toThrow("no function looked any more")
  })
})

describe("A word that is said often", () => {
  it("has a name, wherever it is a value", () => {
    const code = `const states = ["verified", "verified"];
const isIt = (one) => one["verified"] === "verified";
export { isIt };`
    expect(lines(withNamedWords(code))).toEqual([
      `var word$0 = "verified";`,
      `const states = [ word$0 ,  word$0 ];`,
      `const isIt = (one) => one[ word$0 ] ===  word$0 ;`,
      `export { isIt };`
    ])
  })

  it("stays where it names a field or a module, or is a directive, and where its name would save nothing", () => {
    const code = `import { verified } from "verified";
const load = () => import("verified");
function strict() { "verified"; return { "verified": 1, "verified": 2 } }
class One { "verified" = 1; static "verified"() {} }
const few = ["ab", "ab", "once and never again"];`
    expect(withNamedWords(code)).toBe(code)
  })

  it("is not named as something else is", () => {
    expect(() => withNamedWords("const word$1 = 1")).toThrow("begins with word$")
  })
})
