import { describe, expect, it } from "vitest"
import { isReservedLabel, labelFor, parseHost } from "@pawl/core/model/HostLabel"

describe("HostLabel", () => {
  it("reads production, preview and version hosts, whatever their case, port or trailing dot", () => {
    expect(parseHost("shop.apps.localhost:8787", "apps.localhost")).toEqual({ label: "shop", channel: "production" })
    expect(parseHost("0a1b2c3d--Shop.apps.localhost.", "apps.localhost")).toEqual({
      label: "shop",
      channel: "preview:0a1b2c3d"
    })
    expect(parseHost("v0000012--shop.apps.localhost", "apps.localhost")).toEqual({
      label: "shop",
      channel: "preview:v0000012"
    })
    expect(parseHost("apps.localhost", "apps.localhost")).toBe("apex")
    expect(parseHost("localhost", "apps.localhost")).toBe(undefined)
    expect(parseHost("a.b.apps.localhost", "apps.localhost")).toBe(null)
  })

  const label50 = "a".repeat(50)
  it.each([
    ["shop.apps.localhost", "shop production"],
    ["SHOP.Apps.LocalHost", "shop production"],
    ["shop.apps.localhost.", "shop production"],
    ["shop.apps.localhost.:8787", "shop production"],
    ["shop.apps.localhost:", "shop production"],
    ["shop.apps.localhost:65535", "shop production"],
    [`${label50}.apps.localhost`, `${label50} production`],
    [`v9999999--${label50}.apps.localhost`, `${label50} preview:v9999999`],
    ["0A1B2C3D--shop.apps.localhost", "shop preview:0a1b2c3d"],
    ["deadbeef--v0000001.apps.localhost", "v0000001 preview:deadbeef"],
    ["deadbeef.apps.localhost", "deadbeef production"],
    ["APPS.localhost.:1", "apex"],
    // Under the domain, and nothing an app could have.
    ["xn--abc.apps.localhost", "none"],
    ["xn--80ak6aa92e.apps.localhost", "none"],
    ["deadbeef--xn--abc.apps.localhost", "none"],
    ["deadbee--shop.apps.localhost", "none"],
    ["deadbeef0--shop.apps.localhost", "none"],
    ["v000001--shop.apps.localhost", "none"],
    ["V0000001-shop-.apps.localhost", "none"],
    ["deadbeef--deadbeef--shop.apps.localhost", "none"],
    ["deadbeef--.apps.localhost", "none"],
    ["--shop.apps.localhost", "none"],
    ["shop--x.apps.localhost", "none"],
    ["-shop.apps.localhost", "none"],
    ["shop-.apps.localhost", "none"],
    ["sh_op.apps.localhost", "none"],
    [`${label50}a.apps.localhost`, "none"],
    [`deadbeef--${label50}a.apps.localhost`, "none"],
    [".apps.localhost", "none"],
    ["shop..apps.localhost", "none"],
    ["a.shop.apps.localhost", "none"],
    ["shöp.apps.localhost", "none"],
    // Letters that turn into ours in lower case, and dots that pass for ours.
    ["shop\u212A.apps.localhost", "none"],
    ["shop\u3002apps.localhost", "elsewhere"],
    ["shop.apps.localhost..", "elsewhere"],
    ["shop.apps.localhost:80.", "elsewhere"],
    ["shop.apps.localhost:65536", "elsewhere"],
    ["shop.apps.localhost:123456", "elsewhere"],
    ["shopapps.localhost", "elsewhere"],
    ["shop.apps.localhost.evil.example", "elsewhere"],
    ["[::1]", "elsewhere"],
    ["[::1]:8787", "elsewhere"],
    ["::1", "elsewhere"],
    ["127.0.0.1:8787", "elsewhere"],
    ["localhost", "elsewhere"],
    ["", "elsewhere"],
    [`${"a.".repeat(10_000)}apps.localhost`, "elsewhere"]
  ])("%s is %s", (host, expected) => {
    const parsed = parseHost(host, "apps.localhost:8787")
    const said = parsed === undefined ? "elsewhere" : parsed === null ? "none" : parsed
    expect(typeof said === "string" ? said : `${said.label} ${said.channel}`).toBe(expected)
  })

  it("reserves the names of the specification, and those that start with the service's own", () => {
    const names =
      "www api dev api-dev idp accounts clkmail app apps admin mail status docs static cdn pawl pawl-x pawls"
    for (const name of names.split(" ")) {
      expect([name, isReservedLabel(name)]).toEqual([name, true])
      expect(labelFor(name, "proj_abcdef12-0000-4000-8000-000000000000", false)).toBe(`${name}-abcdef`)
    }
    for (const name of ["shop", "wwww", "apis", "my-pawl"]) expect([name, isReservedLabel(name)]).toEqual([name, false])
  })

  it("gives a reserved or taken slug the first six of the Project's id", () => {
    expect(labelFor("www", "proj_abcdef12-0000-4000-8000-000000000000", false)).toBe("www-abcdef")
    expect(labelFor("a".repeat(50), "proj_abcdef12-0000-4000-8000-000000000000", true)).toHaveLength(50)
  })
})
