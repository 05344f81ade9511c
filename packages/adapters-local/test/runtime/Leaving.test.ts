import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { BytesBody } from "@pawl/router/Body"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect, type Scheduler } from "effect"
import { rmSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import { afterAll, describe, expect, it } from "vitest"
import { AppConnection } from "../../src/runtime/wire/AppConnection.ts"
import { freshFolder, install, openWorld } from "./RuntimeWorld.ts"

const started: Array<string> = []
const world = openWorld({ started: ({ id }) => void started.push(id) })
const hasty = openWorld({ bounds: { stallMs: 300, wallMs: 3000 } })
afterAll(() => Promise.all([world.dispose(), hasty.dispose()]))

/** Of an answer in pieces: workerd keeps no copy of those that were sent. */
const piece = 64 * 1024
const source = `const long = new Uint8Array(${LocalLimits.appBodyBytes}).fill(97)
export default { async fetch(request, env, ctx) {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === "/long") return new Response(long.subarray(0, Number(searchParams.get("bytes"))))
  if (pathname === "/pieces") {
    let left = 16
    return new Response(new ReadableStream({ pull(c) { left-- > 0 ? c.enqueue(long.subarray(0, ${piece})) : c.close() } }))
  }
  if (pathname === "/unread") return new Response("unread")
  if (pathname === "/times") return new Response(await env.DATA.get("times"))
  if (pathname === "/abort") {
    await env.DATA.put("times", String(Number((await env.DATA.get("times")) ?? 0) + 1))
    ctx.abort(new Error("enough"))
    await scheduler.wait(1000)
  }
  if (request.method === "POST") return new Response("got " + (await request.arrayBuffer()).byteLength)
  return new Response("served")
} }`
type Asked = Parameters<typeof ask>[1]
const app = (of: typeof world, name: string) => of.runPromise(install({ main: source }, name))
const fetching = (version: AppVersion, path: string, options: Asked = {}) =>
  Effect.flatMap(AppRuntime, (runtime) => runtime.fetch(version, ask(`http://a.apps.localhost${path}`, options)))
const open = (of: typeof world, version: AppVersion, path: string, options: Asked = {}) =>
  of.runPromise(fetching(version, path, options))
const text = async (of: typeof world, version: AppVersion, path = "/", options: Asked = {}) =>
  bodyText((await open(of, version, path, options)).body)
const posted = (bytes: number): Asked => ({ method: "POST", body: new BytesBody(new Uint8Array(bytes)) })

/** Sends a first part of 100 bytes, and the rest when it is told to. */
const upload = () => {
  let go: () => void = () => undefined
  const told = new Promise<void>((resolve) => (go = resolve))
  const body = (async function* () {
    yield new Uint8Array(1)
    await told
    yield new Uint8Array(99)
  })()
  return { go, asked: { method: "POST", headers: [["content-length", "100"]], body } satisfies Asked }
}

/** Holds a fiber back at its next step, for ever. */
class HoldingScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async"
  readonly held: Array<() => void> = []
  isHolding = false
  shouldYield(): boolean {
    const holds = this.isHolding
    this.isHolding = false
    return holds
  }
  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return { scheduleTask: (task) => void this.held.push(task), flush: () => undefined }
  }
}

describe("what one visitor leaves behind does not reach the next", () => {
  it("an answer that is kept to the brim when its last byte comes", async () => {
    const version = await app(hasty, "p@brim")
    const { body } = await open(hasty, version, `/long?bytes=${LocalLimits.appBodyBytes}`)
    expect(await text(hasty, version)).toBe("served")
    expect((await bodyText(body)).length).toBe(LocalLimits.appBodyBytes)
  })

  it("a long body that the app never read", async () => {
    const version = await app(world, "p@unread")
    for (let visit = 0; visit < 5; visit += 1) {
      expect(await text(world, version, "/unread", posted(LocalLimits.appHeldUploadBytes))).toBe("unread")
      expect(await text(world, version, "/", posted(100))).toBe("got 100")
    }
  })

  it("answers whose visitors left as they came", async () => {
    const version = await app(hasty, "p@leavers")
    const bytes = 16 * piece
    for (let kept = 0; kept <= 1.5 * LocalLimits.appBodiesBytes; kept += bytes) {
      const scheduler = new HoldingScheduler()
      const fiber = hasty.runFork(fetching(version, "/pieces"), { scheduler })
      scheduler.isHolding = true
      // The answer is here, mostly all of it, and whoever asked for it has not looked yet.
      while (scheduler.held.length === 0) await turn()
      expect(await text(hasty, version, "/pieces")).toHaveLength(bytes)
      fiber.interruptUnsafe()
    }
    // Without room, each of these would hold a process until it is cut off.
    const readers = []
    for (let count = 0; count < LocalLimits.appReplicas; count += 1) readers.push(await open(hasty, version, "/pieces"))
    expect(await text(hasty, version)).toBe("served")
    for (const { body } of readers) expect((await bodyText(body)).length).toBe(bytes)
  })

  it("bytes behind the end of an answer, which is told of at once", async () => {
    const folder = freshFolder()
    const path = join(folder, "app.sock")
    const server = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nabc"))
    await new Promise<void>((resolve) => server.listen(path, resolve))
    const told = await new Promise<string>((resolve) =>
      new AppConnection(path).ask("GET / HTTP/1.1\r\n\r\n", null, false, {
        head: () => undefined,
        data: () => undefined,
        end: () => undefined,
        fed: () => resolve("whole"),
        broken: () => resolve("broken"),
        drained: () => undefined
      })
    )
    expect(told).toBe("broken")
    server.close()
    rmSync(folder, { recursive: true })
  })
})

describe("a request that takes its time", () => {
  it("is not sent twice when it may have been acted on", async () => {
    const version = await app(world, "p@once")
    expect(await text(world, version)).toBe("served")
    await expect(text(world, version, "/abort", posted(1))).rejects.toThrow()
    expect(await text(world, version, "/times")).toBe("1")
  })

  it("is refused when its app was stopped meanwhile, and starts nothing", async () => {
    const version = await app(world, "p@stopped")
    expect(await text(world, version)).toBe("served")
    const { asked, go } = upload()
    const answer = text(world, version, "/", asked)
    await world.runPromise(Effect.flatMap(AppRuntime, (runtime) => runtime.stop(version.id)))
    go()
    await expect(answer).rejects.toMatchObject({ _tag: "AppRuntimeUnavailable", reason: "the app was stopped" })
    expect(started.filter((id) => id === version.id)).toHaveLength(1)
  })

  it("keeps its app from being forgotten, so that the process it starts is everyone's", async () => {
    const version = await app(world, "p@remembered")
    const { asked, go } = upload()
    const answer = text(world, version, "/", asked)
    // Beyond this number, what has no process is forgotten.
    for (let other = 0; other <= LocalLimits.appVersionsKnown; other += 1) {
      const unusable = { ...version, id: `p@${other}`, bundleDigest: String(other).padStart(64, "a") }
      await expect(open(world, unusable, "/")).rejects.toThrow()
    }
    go()
    expect(await answer).toBe("got 100")
    expect(await text(world, version)).toBe("served")
    expect(started.filter((id) => id === version.id)).toHaveLength(1)
  })
})
