import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { PointerCache } from "../src/PointerCache.ts"
import { Router } from "../src/Router.ts"
import { appsDomain, makeWorld } from "./World.ts"

const request = {
  method: "GET",
  url: "http://ignored/a.txt",
  headers: [],
  body: null,
  host: `shop.${appsDomain}`,
  remoteAddress: "192.0.2.7",
  secure: false
}

describe("what is in memory", () => {
  it("is answered at once, without a fiber, and what is not is read first", async () => {
    const world = await makeWorld({ files: { "a.txt": "file" } })
    const atOnce = () => world.run(Effect.map(Router, (router) => Exit.isExit(router.handle(request))))
    expect(await atOnce()).toBe(false)
    await world.ask("/a.txt")
    expect(await atOnce()).toBe(true)
    await world.run(Effect.flatMap(PointerCache, (cache) => cache.invalidate("shop")))
    expect(await atOnce()).toBe(false)
  })
})
