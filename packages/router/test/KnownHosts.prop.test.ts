import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { KnownHost, KnownHosts } from "../src/KnownHosts.ts"

const domain = "apps.localhost"
const hosts = new KnownHosts(domain)

const piece = fc.oneof(
  fc.constantFrom("a", "b.html", ".", "..", "%2e", "%2E%2e", "%", "%zz", "/", "//", "\\", "?", "#", "&", "=", "'", "|"),
  fc.constantFrom('"', "<", "{", "`", "^", " ", "\t", "\n", "ü", "-", "_", "~", "!", "*", "(", "@", ":", ";", ",", "+"),
  fc.string({ maxLength: 3 })
)
const path = fc
  .array(piece, { maxLength: 9 })
  .map((parts) => parts.join(""))
  .map((text) => (/^[/\\]/.test(text) ? text : `/${text}`))
const host = fc.constantFrom(
  "shop.apps.localhost",
  "SHOP.apps.localhost.",
  "shop.apps.localhost:80",
  "shop.apps.localhost:443",
  "shop.apps.localhost:8787",
  "0a1b2c3d--shop.apps.localhost:"
)

describe("An address of a known host", () => {
  it("is what a URL says of it, however it is written", () => {
    fc.assert(
      fc.property(host, fc.boolean(), path, (name, secure, written) => {
        const known = hosts.of(name)
        if (!(known instanceof KnownHost)) throw new Error(`${name} is no host of an app`)
        const url = URL.parse(`${secure ? "https" : "http"}://${known.host}${written}`)
        // A fragment does not reach a server.
        fc.pre(!written.includes("#"))
        const address = known.address(secure, written)
        const said = (one: typeof address) => one && [one.href, one.hostname, one.pathname, one.search]
        expect(said(address)).toEqual(said(url))
      })
    )
  })

  it("is remembered with its host, and a host that nobody could have is not", () => {
    expect(hosts.of("shop.apps.localhost")).toBe(hosts.of("shop.apps.localhost"))
    expect(hosts.of("a.b.apps.localhost")).toEqual({ _tag: "Nobody" })
    expect(hosts.of("elsewhere.example")).toEqual({ _tag: "Nobody" })
    expect(hosts.of("APPS.localhost:1")).toEqual({ _tag: "Apex" })
  })
})
