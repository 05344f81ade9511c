/** The little router of the scripts beside the library's own, on all paths of the contract. */
import { rounds, seed } from "@pawl/testing/Depth"
import { FindMyWay } from "effect/http"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { littleRouter } from "../../../../deploy/cloudflare/LittleRouter.ts"
import { endpoints } from "../../src/http/request/Endpoints.ts"
import { ServerLimits } from "../../src/ServerLimits.ts"

const options = { maxParamLength: ServerLimits.parameterLength }
const library = FindMyWay.make<string>(options)
/** What stands behind a path is the library's to read, in both. */
const little = littleRouter((text): unknown => library.find("GET", `/health?${text}`)?.searchParams)<string>(options)

for (const { method, path } of endpoints) {
  library.on(method as "GET", path as `/${string}`, `${method} ${path}`)
  little.on(method, path, `${method} ${path}`)
}

const both = (method: string, url: string) => {
  const theirs = library.find(method as "GET", url)
  const ours = little.find(method, url)
  expect([url, ours?.handler, ours?.params, ours?.searchParams]).toEqual([
    url,
    theirs?.handler,
    theirs === undefined ? undefined : { ...theirs.params },
    theirs?.searchParams
  ])
  return theirs !== undefined
}

const odd = FastCheck.constantFrom(
  "%2F",
  "%25",
  "%3F",
  "%zz",
  "%",
  "%63",
  "%C3%A9",
  "é",
  ";a=1",
  "#",
  "?a=1&b=%20+c&a=2",
  ".",
  "-",
  "A"
)
const param = FastCheck.array(
  FastCheck.oneof(FastCheck.constantFrom("chg_", "a", "0", "Z", "_", "~", ":", "*", "x".repeat(120)), odd),
  { minLength: 1, maxLength: 4 }
).map((parts) => parts.join(""))

describe("The little router", () => {
  it("finds each endpoint of the contract, with its parameters, as the library does", () => {
    for (const { method, path } of endpoints) {
      expect(both(method, path.replace(/:\w+/g, "some_id"))).toBe(true)
      expect(both(method, `${path.replace(/:\w+/g, "a%2Fb%25")}?limit=7&status=a&status=b`)).toBe(true)
      both(method === "GET" ? "POST" : "GET", path.replace(/:\w+/g, "x"))
    }
  })

  it("agrees with the library on whatever else stands in a path", () => {
    const found = { yes: 0, no: 0 }
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(...endpoints),
        FastCheck.array(param, { minLength: 4, maxLength: 4 }),
        FastCheck.nat(60),
        FastCheck.oneof(FastCheck.constant(""), odd),
        ({ method, path }, values, place, extra) => {
          let at = 0
          const url = path.replace(/:\w+/g, () => values[at++ % values.length]!)
          const cut = 1 + (place % url.length)
          found[both(method, url.slice(0, cut) + extra + url.slice(cut)) ? "yes" : "no"]++
        }
      ),
      { numRuns: rounds({ quick: 600, deep: 30_000 }), seed }
    )
    expect(Math.min(found.yes, found.no)).toBeGreaterThan(0)
  })

  it("says of a parameter that is too long that it is that", () => {
    const url = `/v1/changes/${"x".repeat(ServerLimits.parameterLength + 1)}`
    expect(both("GET", url)).toBe(false)
    expect(little.exceeded()).toBe(ServerLimits.parameterLength)
    both("GET", "/v1/nothing")
    expect(little.exceeded()).toBeUndefined()
  })

  it("takes no path that it would read in another way", () => {
    for (const path of ["/a/*", "/a/:b?", "/a/:b(\\d+)", "/a/:b.c", "/a/x::y"])
      expect(() => littleRouter(String)<string>().on("GET", path, "")).toThrow("is known here")
  })
})
