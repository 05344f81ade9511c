import { expect, it } from "vitest"
import { sharedSite } from "../../src/node/AppsSite.ts"

it.each([
  ["https://pawl.example.com", "apps.example.com", "example.com"],
  ["https://example.com:8443", "apps.example.com", "example.com"],
  ["https://pawl.example.co.uk", "apps.other.co.uk", null],
  ["https://pawl.example.com", "example-apps.com", null],
  ["https://one.github.io", "two.github.io", null],
  ["http://pawl.site.localhost", "apps.site.localhost", "site.localhost"],
  ["http://localhost:8787", "apps.localhost", null],
  ["http://127.0.0.1", "apps.localhost", null],
  ["https://pawl.example.com", null, null],
  [null, "apps.localhost", null]
] as const)("the console at %s and apps below %s share %s", (baseUrl, appsDomain, site) => {
  expect(sharedSite({ baseUrl, appsDomain })).toBe(site)
})
