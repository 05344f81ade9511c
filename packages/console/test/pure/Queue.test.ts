import { describe, expect, it } from "vitest"
import { byKind } from "../../src/system/Queue.tsx"

describe("The queue by kind", () => {
  it("has one row for each kind with how much is in each state, in the order of the alphabet", () => {
    expect(
      byKind([
        { kind: "release.run", state: "ready", count: 3 },
        { kind: "candidate.check", state: "leased", count: 2 },
        { kind: "release.run", state: "dead", count: 1 },
        { kind: "candidate.check", state: "waiting", count: 4 }
      ])
    ).toEqual([
      { kind: "candidate.check", ready: 0, leased: 2, waiting: 4, dead: 0 },
      { kind: "release.run", ready: 3, leased: 0, waiting: 0, dead: 1 }
    ])
  })
})
