import { placeOf } from "@pawl/router/Front"
import { KnownHosts } from "@pawl/router/KnownHosts"
import { describe, expect, it } from "vitest"

const isApi = (host: string): boolean => /^(localhost|pawl\.example)(:\d+)?$/.test(host)
const place = (host: string, appsDomain: string | null = "apps.example") =>
  placeOf({ apps: appsDomain === null ? null : new KnownHosts(appsDomain), isApi }, host)

describe("The front", () => {
  it("sends hosts below the apps' domain to apps, those that no app can have included", () => {
    for (const host of ["shop.apps.example", "apps.example", "SHOP.apps.example:8787", "a.b.c.apps.example"])
      expect([host, place(host)]).toEqual([host, "app"])
  })

  it("sends the API's own names to the API, and everything else nowhere", () => {
    expect(place("localhost:8787")).toBe("api")
    expect(place("pawl.example")).toBe("api")
    for (const host of ["", "shop.example", "apps.example.evil.test", "xapps.example"])
      expect([host, place(host)]).toEqual([host, "nowhere"])
  })

  it("has no apps without a domain for them", () => {
    expect(place("shop.apps.example", null)).toBe("nowhere")
  })
})
