import { describe, expect, it } from "vitest"
import { addressOf, api } from "../../src/api/Client.ts"
import { asRefusal, Refusal, refusalOf } from "../../src/api/Refusal.ts"

describe("A call", () => {
  it("has its parameters in its path, each as one part", () => {
    const call = { method: "GET", path: "/v1/projects/:id/versions/:n/sbom", params: { id: "a/b?c", n: 12 } }
    expect(addressOf(call)).toBe("/v1/projects/a%2Fb%3Fc/versions/12/sbom")
  })

  it("has what is known of its query, lists as repeated names", () => {
    const query = { limit: 20, cursor: undefined, status: ["open", "a b"], q: "" }
    expect(addressOf({ method: "GET", path: "/v1/projects", query })).toBe(
      "/v1/projects?limit=20&status=open&status=a+b&q="
    )
  })

  it("is there for every endpoint of the contract", () => {
    expect(typeof api.projects.list).toBe("function")
    expect(Object.keys(api).length).toBeGreaterThan(20)
  })
})

describe("A refusal", () => {
  const problem = {
    type: "urn:pawl:problem:stale",
    title: "Stale",
    status: 409,
    code: "stale",
    detail: "Canonical moved on.",
    requestId: "req_1",
    head: 12
  }

  it("says what the problem says, and holds its facts", () => {
    const { code, detail, facts, requestId, status, title } = refusalOf(409, problem, null)
    expect({ code, detail, facts, requestId, status, title }).toEqual({
      code: "stale",
      detail: "Canonical moved on.",
      facts: { head: 12 },
      requestId: "req_1",
      status: 409,
      title: "Stale"
    })
  })

  it.each([null, "<html>", [], 7])("stands for an answer of somebody else: %j", (body) => {
    const { code, requestId, status } = refusalOf(502, body, "req_9")
    expect({ code, requestId, status }).toEqual({ code: "no_problem", requestId: "req_9", status: 502 })
  })

  it("has words where the problem lacks some", () => {
    const { detail, title } = refusalOf(404, { code: "not_found" }, null)
    expect({ detail, title }).toEqual({ detail: "Status 404.", title: "not found" })
  })

  it("is made of whatever was thrown", () => {
    const own = refusalOf(409, problem, null)
    expect(asRefusal(own)).toBe(own)
    expect(asRefusal(new TypeError("x is not a function"))).toBeInstanceOf(Refusal)
    expect(asRefusal(new TypeError("x is not a function")).detail).toBe("x is not a function")
  })
})
