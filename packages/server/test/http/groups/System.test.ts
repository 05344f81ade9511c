/** The installation, told to those who own it. */
import { Limits } from "@pawl/core/primitives/Limits"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newUser, source, startApi } from "../TestApi.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

describe("GET /v1/system/findings", () => {
  it("has none where nobody looks at a machine", async () => {
    const { body, status } = await api.call("GET", "/v1/system/findings")
    expect([status, body]).toEqual([200, { items: [] }])
  })
})

describe("GET /v1/system", () => {
  it("tells the installation's owners what it is and whether it can work", async () => {
    const { body, status } = await api.call("GET", "/v1/system")
    expect([status, body.readiness, body.processes]).toEqual([200, { status: "ready" }, []])
    expect([typeof body.version, body.environment]).toEqual(["string", "production"])
  })

  it("tells how much work is queued, and how much of the day's builds and calls of models is used", async () => {
    const before = (await api.call("GET", "/v1/system")).body
    expect(before.usage).toEqual({
      buildsToday: 0,
      buildsCap: Limits.buildsPerDay,
      modelCallsToday: 0,
      modelCallsCap: Limits.modelCallsPerDay
    })
    const made = await api.call("POST", "/v1/projects", { body: { slug: "queued", files: source } })
    const { queue } = (await api.call("GET", "/v1/system")).body
    expect(queue).toContainEqual({ kind: "app.provision", state: "ready", count: 1 })
    await api.settle()
    const { queue: rest, usage } = (await api.call("GET", "/v1/system")).body
    expect(rest.filter(({ kind }: { kind: string }) => kind === "app.provision")).toEqual([])
    const { buildsToday } = (await api.call("GET", `/v1/projects/${made.body.project.id}/usage`)).body
    expect(buildsToday).toBeGreaterThan(0)
    expect(usage.buildsToday).toBe(buildsToday)
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
      for (const path of ["/v1/system", "/v1/system/findings"])
        expectProblem(await api.call("GET", path, { token }), 403, "insufficient_role", { held, needed: "owner" })
  })
})
