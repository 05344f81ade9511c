import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { carriesPawlToken, requestHeaders, responseHeaders, visitorOf } from "../src/Headers.ts"

const visitor = { host: "shop.apps.localhost", secure: false, address: "192.0.2.7", forwardedFor: "192.0.2.7" }
const names = (headers: ReadonlyArray<readonly [string, string]>) => headers.map(([name]) => name)
const own = ["host", "cf-connecting-ip", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"]

describe("headers that reach an app", () => {
  it("hold nothing of the connection, of access proxies, of the router or of Pawl's API", () => {
    const kept = requestHeaders(
      [
        ["Host", "evil.example"],
        ["Connection", "keep-alive, X-Private"],
        ["X-Private", "1"],
        ["Keep-Alive", "timeout=5"],
        ["Transfer-Encoding", "chunked"],
        ["TE", "trailers"],
        ["Upgrade", "h2c"],
        ["Proxy-Authorization", "Basic eA=="],
        ["Cf-Access-Jwt-Assertion", "token"],
        ["CF_Access_Authenticated_User_Email", "a@b.c"],
        ["X-Forwarded-For", "10.0.0.1"],
        ["X-Forwarded-Anything", "1"],
        ["X_Forwarded_For", "10.0.0.1"],
        ["Forwarded", "for=10.0.0.1"],
        ["X-Real-IP", "10.0.0.1"],
        ["CF-Connecting-IP", "10.0.0.1"],
        ["cf_connecting_ip", "10.0.0.1"],
        ["CF-IPCountry", "XX"],
        ["True-Client-IP", "10.0.0.1"],
        ["X-Client-IP", "10.0.0.1"],
        ["X-Pawl-Internal", "1"],
        ["Authorization", "Bearer pawl_abc"],
        ["Cookie", "__session=1"],
        ["Expect", "100-continue"]
      ],
      visitor
    )
    expect(kept).toEqual([
      ["host", "shop.apps.localhost"],
      ["cf-connecting-ip", "192.0.2.7"],
      ["x-forwarded-for", "192.0.2.7"],
      ["x-forwarded-host", "shop.apps.localhost"],
      ["x-forwarded-proto", "http"]
    ])
  })

  it("keep what is the app's: its own authorization, users, cookies and repeated values", () => {
    const kept = requestHeaders(
      [
        ["Authorization", "Bearer mine"],
        ["X-User-Id", "ada"],
        ["Accept", "a"],
        ["accept", "b"],
        ["Cookie", "rba_a=1"],
        ["cookie", "x=1; rba_b=2"]
      ],
      visitor
    )
    expect(kept.filter(([name]) => !own.includes(name))).toEqual([
      ["authorization", "Bearer mine"],
      ["x-user-id", "ada"],
      ["accept", "a"],
      ["accept", "b"],
      ["cookie", "a=1; b=2"]
    ])
  })

  it("cannot lose the router's own by naming them in Connection", () => {
    const kept = requestHeaders(
      [
        ["connection", "x-forwarded-for, host, cookie, close"],
        ["cookie", "rba_a=1"]
      ],
      visitor
    )
    expect(names(kept)).toEqual(["host", "cookie", ...own.filter((name) => name !== "host")])
  })

  it.each([
    ["Bearer pawl_x", true],
    ["bearer   PAWL_x", true],
    ["pawl_x", true],
    [`Basic ${btoa("user:pawl_x")}`, true],
    [`basic ${btoa("pawl_x:")}`, true],
    [`Basic ${btoa("user:password")}`, false],
    [`Basic ${btoa("user:pawl_x").replace("=", "")}`, true],
    [`Basic !${btoa("user:pawl_xy").split("").join(" ")}=*`, true],
    [`Basic ${btoa("\u00e9\u00ff:pawl_x").replaceAll("+", "-").replaceAll("/", "_")}`, true],
    [`Bearer mine, Bearer pawl_x`, true],
    [`Digest username="pawl_x", realm="a"`, true],
    ["Basic !!!", false],
    ["Basic a", false],
    ["Bearer eyJhbGciOi", false]
  ])("know that authorization %s carries a token of Pawl: %s", (value, expected) =>
    expect(carriesPawlToken(value)).toBe(expected)
  )

  it("hold no credential of Pawl that looks otherwise, plainly or in Basic credentials", () => {
    const kept = (value: string) =>
      requestHeaders([["Authorization", value]], visitor, ["scrape-me-123"]).filter(
        ([name]) => name === "authorization"
      )
    for (const value of ["Bearer scrape-me-123", `Basic ${btoa("x:scrape-me-123")}`]) expect(kept(value)).toEqual([])
    expect(kept("Bearer scrape-me")).toEqual([["authorization", "Bearer scrape-me"]])
  })

  it("never hold a forbidden name, whatever was sent", () => {
    const name = fc.oneof(
      fc.constantFrom(
        "Connection",
        "Cf-Access-X",
        "cookie",
        "X-Forwarded-Host",
        "te",
        "Authorization",
        "x-pawl-a",
        "upgrade",
        "a",
        "b"
      ),
      fc.string()
    )
    const value = fc.oneof(fc.constantFrom("a, b", "Bearer pawl_1", "rba_a=1; b=2", "x\r\ny: z"), fc.string())
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (headers) => {
        for (const [key, kept] of requestHeaders(headers, visitor)) {
          expect(key).toMatch(/^[!#$%&'*+\-.^_`|~0-9a-z]+$/)
          expect(kept).not.toMatch(/[\r\n\0]/)
          expect(key).not.toMatch(/^(cf-access-|x-pawl-|connection$|te$|upgrade$)/)
          expect(!key.startsWith("x-forwarded-") || own.includes(key)).toBe(true)
          expect(key === "authorization" && kept.includes("pawl_")).toBe(false)
        }
      }),
      { numRuns: 1000 }
    )
  })
})

describe("headers that leave an app", () => {
  it("keep each Set-Cookie apart, renamed, and drop those for a domain", () => {
    const kept = responseHeaders([
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2; Domain=localhost"],
      ["set-cookie", "c=3; Path=/"],
      ["Content-Type", "text/plain"]
    ])
    expect(kept).toEqual([
      ["set-cookie", "rba_a=1"],
      ["set-cookie", "rba_c=3; Path=/"],
      ["content-type", "text/plain"]
    ])
  })

  it("hold no framing, no orders to proxies, no other site's cookies to clear", () => {
    const kept = responseHeaders([
      ["connection", "x-hop"],
      ["x-hop", "1"],
      ["transfer-encoding", "chunked"],
      ["content-length", "5"],
      ["content-length", "6"],
      ["x-accel-redirect", "/etc/passwd"],
      ["x-sendfile", "/etc/passwd"],
      ["alt-svc", "h3=evil:443"],
      ["x-forwarded-host", "x"],
      ["clear-site-data", '"cache", "cookies", "*"'],
      ["clear-site-data", "*"],
      ["bad name", "x"],
      ["bad-value", "a\r\nb"],
      ["x-fine", "1"]
    ])
    expect(kept).toEqual([
      ["clear-site-data", '"cache"'],
      ["x-fine", "1"]
    ])
  })

  it("keep a length that is said once, or twice the same", () => {
    expect(responseHeaders([["content-length", "5"]])).toEqual([["content-length", "5"]])
    expect(
      responseHeaders([
        ["content-length", "5"],
        ["content-length", "5"]
      ])
    ).toEqual([["content-length", "5"]])
    expect(responseHeaders([["content-length", "5, 5"]])).toEqual([])
    expect(responseHeaders([["content-length", "-1"]])).toEqual([])
  })
})

describe("who the visitor is", () => {
  const request = {
    host: "inner.apps.localhost",
    remoteAddress: "127.0.0.1",
    secure: false,
    headers: [
      ["x-forwarded-for", "6.6.6.6, 192.0.2.7"],
      ["x-forwarded-host", "spoofed, shop.apps.localhost"],
      ["x-forwarded-proto", "https"]
    ] as const
  }
  it("is what the connection says, not what the visitor says", () => {
    expect(visitorOf(request, false)).toEqual({
      host: "inner.apps.localhost",
      secure: false,
      address: "127.0.0.1",
      forwardedFor: "127.0.0.1"
    })
  })
  it("is what the nearest proxy says when it is trusted", () => {
    expect(visitorOf(request, true)).toEqual({
      host: "shop.apps.localhost",
      secure: true,
      address: "192.0.2.7",
      forwardedFor: "6.6.6.6, 192.0.2.7, 127.0.0.1"
    })
  })
})
