import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis } from "@pawl/core/primitives/Time"
import type { SeenProcess } from "@pawl/core/work/Fleet"
import { describe, expect, it } from "vitest"
import { findingsOf } from "../../src/node/SeenProcesses.ts"

const now = Date.UTC(2030, 0, 1)
const process = (silentMs: number): SeenProcess => ({
  id: "host-12-ABCDEFGH",
  version: "1.0.0",
  roles: ["api", "router"],
  startedAt: "2029-12-31T00:00:00.000Z",
  seenAt: fromMillis(now - silentMs)
})
const told = "host-12-ABCDEFGH: api, router, version 1.0.0, since 2029-12-31T00:00:00.000Z"

describe("The server processes that the doctor tells of", () => {
  it("are told with what they do, and one that is silent for more than a minute is", () => {
    expect(findingsOf([process(Limits.processSilentMs), process(Limits.processSilentMs + 1)], now)).toMatchObject([
      { state: "ok", found: told, remedy: null },
      { state: "weak", found: `${told}; not heard of for 1 min`, remedy: expect.stringContaining("an hour") }
    ])
  })

  it("may be none", () => {
    expect(findingsOf([], now)).toMatchObject([{ state: "ok", found: "none runs" }])
  })
})
