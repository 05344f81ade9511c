import { rounds, seed } from "@pawl/testing/Depth"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { publicLine, readPublicLine } from "../../../src/node/approver/ApproverKey.ts"

const passkeys = fc.record({
  credential: fc.stringMatching(/^[A-Za-z0-9_-]{1,86}$/),
  publicKey: fc.uint8Array({ minLength: 1, maxLength: 120 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  rpId: fc.stringMatching(/^[a-z0-9]{1,20}(\.[a-z0-9-]{1,20}){0,3}$/)
})

describe("The line of a passkey that somebody else endorses", () => {
  it("is read as it was written, and no command takes it for a flag", () => {
    fc.assert(
      fc.property(passkeys, (passkey) => {
        const line = publicLine(passkey)
        expect(readPublicLine(line)).toEqual(passkey)
        expect(line).toMatch(/^[A-Za-z0-9+/]/)
      }),
      { numRuns: rounds({ quick: 200, deep: 2000 }), seed }
    )
  })

  it.each(["", "one", "one.two", "-h.localhost.MFkw", "MFkw.one.UPPER"])("is refused when it is %j", (line) => {
    expect(readPublicLine(line)).toBe(null)
  })
})
