import { describe, expect, it } from "vitest"
import { nextOf } from "@pawl/server/mcp/WireShapes"

describe("What an assistant hears there is to do", () => {
  const next = "Wait: it stands first in the lane, and lands now."

  it("is what a person may do, but of what lands by itself the lane's own words", () => {
    expect(nextOf({ canPromote: true, lane: null, next })).toMatch(/^A person may promote it now/)
    expect(nextOf({ canPromote: true, lane: { position: 1 }, next })).toBe(next)
    expect(nextOf({ canPromote: false, lane: null, next: "Wait." })).toBe("Wait.")
  })
})
