import { expect, it } from "vitest"
import { asUserCode } from "../../src/access/UserCode.ts"
import { browserWords } from "../../src/account/BrowserWords.ts"
import { endOf, stateOf } from "../../src/account/TokenState.ts"

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140 on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
    "Edge 141 on Windows"
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Safari 18 on an iPhone"
  ],
  ["curl/8.5.0", "curl/8.5.0"],
  ["", "A browser that did not say which"]
])("tells a browser in words: %s", (userAgent, words) => {
  expect(browserWords(userAgent)).toBe(words)
})

it("says whether a token counts: a revoked one never, one with an end until then", () => {
  const now = Date.parse("2026-06-01T00:00:00Z")
  expect(stateOf({ expiresAt: null, revokedAt: null }, now)).toBe("live")
  expect(stateOf({ expiresAt: "2026-06-01T00:00:00.000Z", revokedAt: null }, now)).toBe("ended")
  expect(stateOf({ expiresAt: "2026-06-01T00:00:00.001Z", revokedAt: null }, now)).toBe("live")
  expect(stateOf({ expiresAt: null, revokedAt: "2026-01-01T00:00:00Z" }, now)).toBe("revoked")
  expect([endOf("never", now), endOf("7", now)]).toEqual([undefined, "2026-06-08T00:00:00.000Z"])
})

it("writes a device's code as the device shows it, however it is typed", () => {
  expect(["bcdfghjk", "BCDF-GHJK", " bcdf ghjk9 ", "bcdf", "bcdfghjkxyz"].map(asUserCode)).toEqual([
    "BCDF-GHJK",
    "BCDF-GHJK",
    "BCDF-GHJK",
    "BCDF",
    "BCDF-GHJK"
  ])
})
