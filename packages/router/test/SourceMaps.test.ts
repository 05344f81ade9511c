import { describe, expect, it } from "vitest"
import { appsDomain, makeWorld, text } from "./World.ts"

describe("source maps", () => {
  it("are answered on no path of the live app, of previews and of versions, and never read", async () => {
    const site = { files: { "index.html": "<p>", "a.js": "1" }, maps: { "index.js": "the map" }, worker: false }
    for (const notFoundHandling of ["none", "single-page-application"] as const) {
      const world = await makeWorld({ ...site, notFoundHandling })
      const live = world.controls.rows[0]!
      world.controls.rows = [live, { ...live, channel: "preview:0a1b2c3d" }, { ...live, channel: "preview:v0000000" }]
      for (const host of ["shop", "0a1b2c3d--shop", "v0000000--shop"])
        for (const path of [
          "/index.js.map",
          "/maps/index.js.map",
          "/maps/index.js.map/",
          "/maps/",
          "//maps/index.js.map",
          "/../maps/index.js.map",
          "/%2e%2e/maps/index.js.map",
          "/..%2fmaps%2findex.js.map",
          "/assets/../maps/index.js.map",
          "/maps%2findex.js.map",
          "/bundle.json",
          "/a.js.map",
          "/__service/maps/index.js.map"
        ]) {
          const response = await world.ask(path, { host: `${host}.${appsDomain}` })
          expect(`${path}: ${await text(response.body)}`).not.toContain("the map")
        }
      expect([...world.controls.keysRead].filter((key) => key.includes("/maps/"))).toEqual([])
    }
  })
})
