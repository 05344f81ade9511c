import { type AppResponse, AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { install, openWorld, specifiedCpu } from "./RuntimeWorld.ts"

const world = openWorld({ bounds: specifiedCpu })
afterAll(() => world.dispose())

const main = `
let kept = []
export default { async fetch(request, env, ctx) {
  const { pathname } = new URL(request.url)
  if (pathname === "/loop") for (;;) ;
  if (pathname === "/burn") { let n = 0; for (let i = 0; i < 2e9; i++) n += i % 7; return new Response("burnt " + n) }
  if (pathname === "/late-loop") { await scheduler.wait(1); for (;;) ; }
  if (pathname === "/stream-loop") return new Response(new ReadableStream({ async pull(c) { if (kept.push(0) > 3) { await scheduler.wait(200); for (;;) ; } c.enqueue(new Uint8Array(65536)) } }))
  if (pathname === "/hog") { for (;;) { kept.push(new Uint8Array(1 << 20).fill(1)); await scheduler.wait(0) } }
  if (pathname === "/heap") { for (;;) { kept.push({ a: [1, 2, 3], b: "x".repeat(10) + kept.length }) } }
  if (pathname === "/daemon") { ctx.waitUntil((async () => { await scheduler.wait(20); for (;;) ; })()); return new Response("fine") }
  if (pathname === "/trap") { await env.DATA.get("a"); throw new Error("on purpose") }
  if (pathname.startsWith("/calls/")) {
    let refused = 0
    for (let n = Number(pathname.slice(7)); n > 0; n--) try { await env.DATA.get("k") } catch { refused++ }
    return new Response("swallowed " + refused)
  }
  if (pathname === "/sleep") { await scheduler.wait(150); return new Response("slept") }
  if (pathname === "/forever") { await scheduler.wait(60000) }
  if (pathname === "/weigh") { kept = []; return new Response("weighed") }
  return new Response("hello " + pathname)
} }`

const fetchText = (version: AppVersion, path: string) =>
  Effect.gen(function* () {
    const runtime = yield* AppRuntime
    const response = yield* runtime.fetch(version, ask(`http://app.apps.localhost${path}`))
    return `${response.status} ${yield* Effect.promise(() => bodyText(response.body))}`
  })
const get = (version: AppVersion, path: string) => world.runPromise(fetchText(version, path))
const refusal = (version: AppVersion, path: string) => world.runPromise(Effect.flip(fetchText(version, path)))
const app = (name: string) => world.runPromise(install({ main }, name))

describe("an app over a bound is stopped and hurts nobody else", () => {
  it.each(["/loop", "/late-loop", "/burn"])(
    "stops %s for its CPU time, cold and warm, and serves the app again",
    async (path) => {
      const version = await app(`p@cpu${path}`)
      expect(await refusal(version, path)).toMatchObject({ _tag: "AppOverLimit", limit: "cpu", version: version.id })
      expect(await get(version, "/")).toBe("200 hello /")
      expect(await refusal(version, path)).toMatchObject({ _tag: "AppOverLimit", limit: "cpu" })
      expect(await get(version, "/")).toBe("200 hello /")
    }
  )

  it("serves a neighbour while apps loop", async () => {
    const [bad, good] = [await app("p@bad"), await app("p@good")]
    await get(good, "/warm")
    const loop = refusal(bad, "/loop")
    for (let visit = 0; visit < 50; visit += 1) expect(await get(good, "/")).toBe("200 hello /")
    expect(await loop).toMatchObject({ _tag: "AppOverLimit", limit: "cpu" })
  })

  it("cuts off an answer that loops in its body", async () => {
    const version = await app("p@stream-loop")
    const response: AppResponse = await world.runPromise(
      Effect.flatMap(AppRuntime, (runtime) => runtime.fetch(version, ask("http://a.apps.localhost/stream-loop")))
    )
    await expect(bodyText(response.body)).rejects.toThrow()
    expect(await get(version, "/")).toBe("200 hello /")
  })

  it.each(["/hog", "/heap"])("stops a memory hog: %s", async (path) => {
    const version = await app(`p@memory${path}`)
    const refused = await refusal(version, path)
    expect(refused).toMatchObject({ _tag: "AppOverLimit", limit: expect.stringMatching(/^(memory|cpu)$/) })
    expect(await get(version, "/")).toBe("200 hello /")
  })

  it("stops a loop that starts after the answer", async () => {
    const version = await app("p@daemon")
    expect(await get(version, "/daemon")).toBe("200 fine")
    // The next request finds the old process looping, or a new one; it never hangs.
    const next = await world.runPromise(Effect.result(fetchText(version, "/sleep")))
    if (next._tag === "Failure") expect(next.failure).toMatchObject({ _tag: "AppOverLimit", limit: "cpu" })
    expect(await get(version, "/")).toBe("200 hello /")
  })

  it("lets an app make 20 calls, and not 21, also when it swallows the refusal", async () => {
    const version = await app("p@calls")
    expect(await get(version, "/calls/20")).toBe("200 swallowed 0")
    expect(await refusal(version, "/calls/21")).toMatchObject({ _tag: "AppOverLimit", limit: "subrequests" })
    expect(await get(version, "/calls/20")).toBe("200 swallowed 0")
  })

  it("makes an app that dies again and again wait, and only that app", async () => {
    const [bad, good] = [await app("p@crashes"), await app("p@calm")]
    const seen: Array<string> = []
    // On a slow machine one death may be forgiven before the next: it takes a few more then.
    while (!seen.includes("crash_loop") && seen.length < 10 * LocalLimits.appCrashBurst) {
      const refused = await refusal(bad, "/loop")
      seen.push(refused instanceof Error && "limit" in refused ? String(refused.limit) : "?")
    }
    expect(seen.length).toBeGreaterThan(LocalLimits.appCrashBurst)
    expect(seen).toEqual([...new Array(seen.length - 1).fill("cpu"), "crash_loop"])
    expect(await get(good, "/")).toBe("200 hello /")
  })

  it("starts an app beside itself when its requests wait on something", async () => {
    const version = await app("p@hot")
    const answers = await Promise.all(Array.from({ length: 12 }, () => get(version, "/sleep")))
    expect(answers).toEqual(new Array(12).fill("200 slept"))
  })

  it("turns visitors away when too many wait, and serves those who waited", async () => {
    const version = await app("p@busy")
    await get(version, "/")
    const all = await Promise.all(
      Array.from({ length: LocalLimits.appQueue + 20 }, () =>
        world.runPromise(Effect.result(fetchText(version, "/sleep")))
      )
    )
    const busy = all.filter((one) => one._tag === "Failure")
    expect(busy.length).toBeGreaterThan(0)
    for (const one of busy)
      if (one._tag === "Failure") expect(one.failure).toMatchObject({ _tag: "AppOverLimit", limit: "busy" })
    expect(await get(version, "/")).toBe("200 hello /")
  })

  it("drops a request whose visitor left", async () => {
    const version = await app("p@left")
    await get(version, "/")
    await world.runPromise(
      Effect.gen(function* () {
        for (let visit = 0; visit < LocalLimits.appReplicas + 2; visit += 1)
          expect(yield* Effect.timeoutOption(fetchText(version, "/forever"), 50)).toMatchObject({ _tag: "None" })
      })
    )
    expect(await get(version, "/")).toBe("200 hello /")
  })

  it("calls it the app's own failure when it throws, and goes on with the same process", async () => {
    const version = await app("p@throws")
    expect(await refusal(version, "/trap")).toMatchObject({ _tag: "AppThrew", reason: "Error: on purpose" })
    expect(await get(version, "/")).toBe("200 hello /")
  })

  it("never kills an app that stays within its bounds", async () => {
    const version = await app("p@innocent")
    for (let visit = 0; visit < 3000; visit += 1) expect(await get(version, "/x")).toBe("200 hello /x")
  })
})
