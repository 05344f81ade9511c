import { AppRuntime } from "@pawl/core/app/AppRuntime"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { install, openWorld } from "./RuntimeWorld.ts"

const world = openWorld()
afterAll(() => world.dispose())

const mirror = `export default { async fetch(request) { return new Response(request.body, { headers: { "x-length": request.headers.get("content-length") ?? "none" } }) } }`
const open = (
  name: string,
  headers: ReadonlyArray<readonly [string, string]>,
  body: AsyncIterable<Uint8Array>,
  method = "POST"
) =>
  world.runPromise(
    Effect.gen(function* () {
      const version = yield* install({ main: mirror }, name)
      return yield* Effect.flatMap(AppRuntime, (runtime) =>
        runtime.fetch(version, ask("http://a.apps.localhost/", { method, headers, body }))
      )
    })
  )

describe("bodies stream both ways", () => {
  it("gives the first bytes of an answer before the last of the question were sent", async () => {
    let send: (() => void) | undefined
    const more = new Promise<void>((resolve) => (send = resolve))
    const response = await open(
      "p@duplex",
      [],
      (async function* () {
        yield new Uint8Array([1])
        await more
        yield new Uint8Array([2])
      })()
    )
    const seen: Array<number> = []
    for await (const chunk of response.body ?? []) {
      seen.push(...chunk)
      send?.()
    }
    expect(seen).toEqual([1, 2])
  })

  it("holds but a part of a long body whose reader is slow", async () => {
    const chunk = new Uint8Array(1 << 16)
    let sent = 0
    let read = 0
    let furthest = 0
    const response = await open(
      "p@long",
      [["content-length", String(512 * chunk.length)]],
      (async function* () {
        for (let part = 0; part < 512; part += 1) {
          sent += chunk.length
          furthest = Math.max(furthest, sent - read)
          yield chunk
        }
      })()
    )
    expect(response.headers.find(([name]) => name.toLowerCase() === "x-length")?.[1]).toBe(String(512 * chunk.length))
    for await (const part of response.body ?? []) read += part.length
    expect(read).toBe(512 * chunk.length)
    expect(furthest).toBeLessThan(16 << 20)
  })

  it("refuses a body that is longer or shorter than it says, and serves on", async () => {
    const bytes = (total: number) =>
      (async function* () {
        for (let left = total; left > 0; left -= 10_000) yield new Uint8Array(Math.min(left, 10_000))
      })()
    const readAll = async (length: number, real: number) => {
      const response = await open("p@lies", [["content-length", String(length)]], bytes(real))
      let total = 0
      for await (const part of response.body ?? []) total += part.length
      return total
    }
    for (const [length, real] of [
      [10, 20],
      [20, 10],
      [100_000, 200_000],
      [200_000, 100_000]
    ] as const)
      await expect(readAll(length, real)).rejects.toThrow()
    expect(await readAll(50, 50)).toBe(50)
    expect(await readAll(150_000, 150_000)).toBe(150_000)
  })

  it("does not let the body of a GET become a second request", async () => {
    const smuggled = "GET /second HTTP/1.1\r\nhost: a\r\n\r\n"
    const response = await open(
      "p@get",
      [],
      (async function* () {
        yield Buffer.from(smuggled)
      })(),
      "GET"
    )
    let text = ""
    for await (const part of response.body ?? []) text += Buffer.from(part).toString("utf8")
    expect(text).toBe(smuggled)
  })
})

describe("a request that takes too long", () => {
  it("is stopped, before its answer and in the middle of it, and the app serves on", async () => {
    const hasty = openWorld({ bounds: { wallMs: 1000 } })
    const source = `export default { async fetch(request) {
      if (request.url.endsWith("/late")) await scheduler.wait(60000)
      if (request.url.endsWith("/endless")) return new Response(new ReadableStream({ async pull(c) { await scheduler.wait(20); c.enqueue(new Uint8Array(1)) } }))
      return new Response("in time") } }`
    await hasty.runPromise(
      Effect.gen(function* () {
        const version = yield* install({ main: source }, "p@late")
        const runtime = yield* AppRuntime
        const get = (path: string) => runtime.fetch(version, ask(`http://a.apps.localhost${path}`))
        expect(yield* Effect.flip(get("/late"))).toMatchObject({ _tag: "AppOverLimit", limit: "wall" })
        const endless = yield* get("/endless")
        yield* Effect.promise(() =>
          expect(bodyText(endless.body)).rejects.toMatchObject({ _tag: "AppOverLimit", limit: "wall" })
        )
        expect(yield* Effect.promise(async () => bodyText((await Effect.runPromise(get("/"))).body))).toBe("in time")
      })
    )
    await hasty.dispose()
  })
})
