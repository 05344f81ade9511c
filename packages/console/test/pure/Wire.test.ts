import { describe, expectTypeOf, it } from "vitest"
import type { Answer, Plain, RequestOf, EndpointsOf } from "../../src/api/Wire.ts"

describe("The contract as the console sees it", () => {
  it("has what stands on the wire: names, numbers, and nulls", () => {
    expectTypeOf<Answer<"projects", "list">["items"][number]["label"]>().toEqualTypeOf<string>()
    expectTypeOf<Answer<"changes", "get">["change"]["budget_usd"]>().toEqualTypeOf<number>()
    expectTypeOf<Answer<"projects", "list">["nextCursor"]>().toEqualTypeOf<string | null>()
    expectTypeOf<RequestOf<EndpointsOf<"changes">["create"]>["payload"]["budget_usd"]>().toEqualTypeOf<number>()
  })

  it("refuses wrong requests", () => {
    const use = (api: Plain) => {
      void api.projects.list({})
      void api.projects.list({ query: { limit: 20 } })
      void api.projects.create({ payload: { slug: "shop", template: "shop" } })
      // @ts-expect-error no such template
      void api.projects.create({ payload: { slug: "shop", template: "none" } })
      // @ts-expect-error it needs an id
      void api.projects.get({})
      // @ts-expect-error no such endpoint
      void api.projects.rename({})
    }
    expectTypeOf(use).toBeFunction()
  })
})
