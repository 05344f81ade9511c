import { describe, expect, it } from "vitest"
import { labelFor, parseHost } from "@pawl/core/app/HostLabel"

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

  it("gives a reserved or taken slug the first six of the Project's id", () => {
    expect(labelFor("www", "proj_abcdef12-0000-4000-8000-000000000000", false)).toBe("www-abcdef")
    expect(labelFor("a".repeat(50), "proj_abcdef12-0000-4000-8000-000000000000", true)).toHaveLength(50)
  })
})
