import { describe, expect, it } from "vitest"
import { placeFor } from "../../../src/runtime/host/HostPool.ts"

/** Of 8 processes a quarter, 2, is kept. */
const placeOf = (more: boolean, free: number, resting: number) => placeFor({ processes: 8, free, resting, more })

describe("The place of one more process", () => {
  it("is any free one for an app that has none, else that of an idle one", () => {
    expect(placeOf(false, 1, 0)).toBe("free")
    expect(placeOf(false, 0, 1)).toBe("idle")
    expect(placeOf(false, 0, 0)).toBeNull()
    // One that was killed may still be there.
    expect(placeOf(false, -1, 1)).toBe("idle")
  })

  it("for an app that has one already leaves room for those that have none", () => {
    expect(placeOf(true, 3, 0)).toBe("free")
    expect(placeOf(true, 2, 0)).toBeNull()
    expect(placeOf(true, 0, 2)).toBeNull()
    expect(placeOf(true, 1, 1)).toBeNull()
  })

  it("for an app that has one already is that of one at rest, where enough are", () => {
    expect(placeOf(true, 0, 3)).toBe("idle")
    expect(placeOf(true, 2, 1)).toBe("idle")
    expect(placeOf(true, 2, 6)).toBe("idle")
  })
})
