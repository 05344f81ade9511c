/** The installation, told to those who own it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newUser, startApi } from "../TestApi.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

describe("GET /v1/system", () => {
  it("tells the installation's owners what it is and whether it can work", async () => {
    const { body, status } = await api.call("GET", "/v1/system")
    expect([status, body.readiness, body.processes]).toEqual([200, { status: "ready" }, []])
    expect([typeof body.version, body.environment]).toEqual(["string", "production"])
  })

  it("is for nobody else, whatever organizations they own", async () => {
    const organization = (await api.call("GET", "/v1/organizations")).body.items[0].id
    const stranger = await newUser(api, "Elsewhere")
    await api.call("POST", "/v1/organizations", { token: stranger.token, body: { name: "Their own" } })
    const colleague = await newUser(api, "Colleague", organization)
    for (const [token, held] of [
      [stranger.token, "none"],
      [colleague.token, "member"]
    ] as const)
      expectProblem(await api.call("GET", "/v1/system", { token }), 403, "insufficient_role", { held, needed: "owner" })
  })
})
