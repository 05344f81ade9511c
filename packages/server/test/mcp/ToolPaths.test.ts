/** What of the API the tools can ask for at all: with a token that may do everything. */
import { endpoints } from "@pawl/server/http/request/Endpoints"
import { makeToolApi } from "@pawl/server/mcp/ToolApi"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"

/** Asks, and answers what went out; null where nothing did. */
const sent = async (
  method: "GET" | "POST",
  path: string,
  baseUrl = "http://localhost:8787"
): Promise<string | null> => {
  let asked: string | null = null
  const api = makeToolApi({
    baseUrl,
    authorization: "Bearer pawl_owner",
    ask: async (question) => {
      asked = `${question.method} ${new URL(question.url).pathname}`
      return Response.json({})
    }
  })
  const answer = await Effect.runPromise(Effect.result(api.json({ path, ...(method === "POST" ? { body: {} } : {}) })))
  if (asked === null) expect(Result.isFailure(answer) && answer.failure.code).toBe("invalid_input")
  return asked
}

const at = (path: string): string => path.replaceAll(/:\w+/g, "some_1")

const open = async (method: "GET" | "POST") => {
  const found = []
  for (const endpoint of endpoints)
    if (endpoint.method === method && (await sent(method, at(endpoint.path))) !== null) found.push(endpoint)
  return found
}

describe("The tools of assistants", () => {
  it("can write by seven endpoints of the contract, none of which needs more than the scope write", async () => {
    const writes = await open("POST")
    expect(writes.map(({ name }) => name).toSorted()).toEqual([
      "candidates.create",
      "changes.create",
      "changesets.create",
      "outside.askChecks",
      "outside.claimPaths",
      "outside.giveUp",
      "outside.publish"
    ])
    expect(new Set(writes.map(({ need }) => need?.scope))).toEqual(new Set(["write"]))
  })

  it("can read by eighteen, none of which needs more than the scope read, and none that leads to secrets or people", async () => {
    const reads = await open("GET")
    expect(reads.length).toBe(18)
    expect(reads.filter(({ need }) => need?.scope !== "read").map(({ name }) => name)).toEqual([])
    expect(reads.filter(({ path }) => /token|session|webhook|member|user|approv|policy/.test(path))).toEqual([])
  })

  it.each(["..", ".", "", "%2e%2e", "%2E", "x/../../candidates/y/promote?", "../y/promote", "y/promote", "y?", "y#"])(
    "ask for no other path by the id %j as it stands",
    async (id) => {
      for (const path of [`/v1/changes/${id}/candidates`, `/v1/changes/x/candidates/${id}`])
        expect(await sent("POST", path)).toBeNull()
    }
  )

  it("ask below the path at which a server is, and nowhere else there", async () => {
    const below = "https://pawl.example/api/"
    expect(await sent("GET", "/v1/changes/chg_1", below)).toBe("GET /api/v1/changes/chg_1")
    expect(await sent("GET", "/v1/changes/..", below)).toBeNull()
  })
})
