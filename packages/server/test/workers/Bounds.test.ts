import { describe, expect, it } from "vitest"
import { boundsOf } from "../../../../deploy/cloudflare/Bounds.ts"

describe("The bounds of a deployment to Cloudflare", () => {
  it("are those of a server on a machine where the environment names none", () => {
    const usual = { paused: false, requestsPerMinute: 600, buildsPerDay: 60, sandboxMinutesPerMonth: 300 }
    expect(boundsOf({})).toEqual(usual)
    expect(boundsOf({ PAWL_APP_BUILDS_PER_DAY: "", PAWL_PAUSED: "" })).toEqual(usual)
  })

  it("are those that it names", () => {
    expect(
      boundsOf({
        PAWL_PAUSED: "true",
        PAWL_API_RATE_PER_MINUTE: "6000",
        PAWL_APP_BUILDS_PER_DAY: "1000",
        PAWL_SANDBOX_MINUTES_PER_MONTH: "36000"
      })
    ).toEqual({ paused: true, requestsPerMinute: 6000, buildsPerDay: 1000, sandboxMinutesPerMonth: 36_000 })
  })

  it.each([
    [{ PAWL_APP_BUILDS_PER_DAY: "0" }, "PAWL_APP_BUILDS_PER_DAY: use a whole number above 0"],
    [{ PAWL_SANDBOX_MINUTES_PER_MONTH: "1.5" }, "PAWL_SANDBOX_MINUTES_PER_MONTH: use a whole number above 0"],
    [{ PAWL_API_RATE_PER_MINUTE: "many" }, "PAWL_API_RATE_PER_MINUTE: use a whole number above 0"],
    [{ PAWL_PAUSED: "yes" }, "PAWL_PAUSED: use true or false"]
  ])("are refused in words: %j", (environment, problem) => {
    expect(boundsOf(environment)).toBe(problem)
  })
})
