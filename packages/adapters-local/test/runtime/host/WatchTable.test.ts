import { describe, expect, it } from "vitest"
import { signedVerdict, verdictOn, verdicts } from "../../../src/runtime/host/WatchTable.ts"

describe("a verdict of the watchdog", () => {
  it("is on the process it was passed on, and never on the next one of its row", () => {
    // The count of tenants goes around the numbers there are.
    for (const tenant of [0, 1, 2 ** 29 - 1, 2 ** 29, 2 ** 31 - 1, -(2 ** 31), -1])
      for (const verdict of [verdicts.cpu, verdicts.memory]) {
        const [written] = Int32Array.of(signedVerdict(tenant, verdict))
        expect(verdictOn(tenant, written!)).toBe(verdict)
        expect(verdictOn((tenant + 1) | 0, written!)).toBe(verdicts.none)
        expect(verdictOn(tenant, verdicts.none)).toBe(verdicts.none)
      }
  })
})
