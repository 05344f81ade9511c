import { setTimeout as pause } from "node:timers/promises"
import { inspect } from "node:util"
import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { AnswerBody } from "../../../src/runtime/wire/AnswerBody.ts"
import { install, openWorld } from "../RuntimeWorld.ts"

const world = openWorld({ bounds: { stallMs: 300, responseBytes: 1 << 20 } })
const patient = openWorld()
afterAll(() => Promise.all([world.dispose(), patient.dispose()]))

const source = `const big = new Uint8Array(16 << 20).fill(97)
const chunk = new Uint8Array(65536).fill(97)
const endless = () => new ReadableStream({ async pull(c) { await scheduler.wait(0); c.enqueue(chunk) } })
export default { async fetch(request) {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === "/long") return new Response(new Uint8Array(Number(searchParams.get("bytes"))).fill(97))
  if (pathname === "/big") return new Response(big)
  if (pathname === "/endless") return new Response(endless())
  if (pathname === "/declared") {
    const { readable, writable } = new FixedLengthStream(2 << 20)
    endless().pipeTo(writable).catch(() => undefined)
    return new Response(readable)
  }
  if (request.method === "POST") return new Response("got " + (await request.arrayBuffer()).byteLength)
  return new Response("served")
} }`

const app = (of: typeof world, name: string) => of.runPromise(install({ main: source }, name))
const open = (of: typeof world, version: AppVersion, path: string, options: Parameters<typeof ask>[1] = {}) =>
  of.runPromise(
    Effect.flatMap(AppRuntime, (runtime) => runtime.fetch(version, ask(`http://a.apps.localhost${path}`, options)))
  )
const text = async (of: typeof world, version: AppVersion, path = "/", options: Parameters<typeof ask>[1] = {}) =>
  bodyText((await open(of, version, path, options)).body)

/** Sends a first part, and no more until it is told to. */
const holding = (parts: ReadonlyArray<Uint8Array>) => {
  let go: () => void = () => undefined
  const told = new Promise<void>((resolve) => (go = resolve))
  const body = (async function* () {
    const [first = new Uint8Array(), ...rest] = parts
    yield first
    await told
    yield* rest
  })()
  return { body, go }
}

describe("a slow visitor", () => {
  it("does not hold a process by reading nothing: the answer waits whole, and arrives whole when it is read", async () => {
    const version = await app(patient, "p@readers")
    const bytes = 4 << 20
    const readers = []
    for (let count = 0; count < 2 * LocalLimits.appReplicas; count += 1)
      readers.push(await open(patient, version, `/long?bytes=${bytes}`))
    expect(await text(patient, version)).toBe("served")
    for (const { body } of readers) expect((await bodyText(body)).length).toBe(bytes)
  })

  it("is cut off in an answer that goes beyond what is kept of it, and the app serves on", async () => {
    const endless = openWorld({ bounds: { stallMs: 300 } })
    const version = await app(endless, "p@endless")
    const readers = []
    for (let count = 0; count < LocalLimits.appReplicas; count += 1)
      readers.push(await open(endless, version, "/endless"))
    expect(await text(endless, version)).toBe("served")
    for (const { body } of readers) await expect(bodyText(body)).rejects.toThrow()
    await endless.dispose()
  })

  it("does not hold a process by sending slowly what it said it would send", async () => {
    const version = await app(patient, "p@senders")
    expect(await text(patient, version)).toBe("served")
    const senders = Array.from({ length: 2 * LocalLimits.appReplicas }, () =>
      holding([new Uint8Array(1), new Uint8Array(99)])
    )
    const answers = senders.map(({ body }) =>
      text(patient, version, "/", { method: "POST", headers: [["content-length", "100"]], body })
    )
    expect(await text(patient, version)).toBe("served")
    for (const { go } of senders) go()
    expect(await Promise.all(answers)).toEqual(senders.map(() => "got 100"))
  })

  it("is turned away when a body too long to be held stops coming, and the app serves on", async () => {
    const version = await app(world, "p@stalled")
    const stalled = Array.from({ length: LocalLimits.appReplicas }, () => holding([new Uint8Array(1)]))
    const answers = stalled.map(({ body }) =>
      text(world, version, "/", { method: "POST", headers: [["content-length", String(32 << 20)]], body }).catch(
        (error: unknown) => inspect(error)
      )
    )
    for (const answer of await Promise.all(answers)) expect(answer).toContain("came too slowly")
    expect(await text(world, version)).toBe("served")
    for (const { go } of stalled) go()
  })
})

describe("visitors who are slow on purpose, and come again and again", () => {
  const again = openWorld()
  afterAll(() => again.dispose())

  it("do not keep others from an app with bodies that trickle, whether their length is known or not", async () => {
    const version = await app(again, "p@trickle")
    expect(await text(again, version)).toBe("served")
    let going = true
    const trickle = async function* () {
      while (going) {
        yield new Uint8Array(2000)
        await pause(20)
      }
    }
    const attack = async (headers: ReadonlyArray<readonly [string, string]>) => {
      while (going) await text(again, version, "/", { method: "POST", headers, body: trickle() }).catch(() => "")
    }
    const attackers = [
      ...Array.from({ length: LocalLimits.appReplicas }, () => attack([])),
      ...Array.from({ length: LocalLimits.appReplicas }, () => attack([["content-length", String(5 << 20)]])),
      ...Array.from({ length: LocalLimits.appReplicas }, () => attack([["content-length", String(50 << 20)]]))
    ]
    for (let visits = 0; visits < 8; visits += 1) {
      expect(await text(again, version)).toBe("served")
      await pause(250)
    }
    going = false
    await Promise.all(attackers)
  })

  it("do not keep others from an app with long answers that they do not read", async () => {
    const version = await app(again, "p@unread")
    expect(await text(again, version)).toBe("served")
    let going = true
    const attack = async () => {
      while (going) {
        const opened = await open(again, version, "/big").catch(() => null)
        await pause(100)
        if (!going && opened?.body instanceof AnswerBody) opened.body.destroy()
      }
    }
    // One more than there are processes: more would measure how fast the machine copies 8 MiB.
    const attackers = Array.from({ length: LocalLimits.appReplicas + 1 }, attack)
    for (let visits = 0; visits < 8; visits += 1) {
      expect(await text(again, version)).toBe("served")
      await pause(250)
    }
    going = false
    await Promise.all(attackers)
  })
})

describe("an answer that is too long", () => {
  it("is refused when it says so, and cut off when it does not", async () => {
    const version = await app(world, "p@too-long")
    await expect(open(world, version, "/declared")).rejects.toMatchObject({
      _tag: "AppOverLimit",
      limit: "response"
    })
    await expect(text(world, version, "/endless")).rejects.toThrow()
    expect(await text(world, version)).toBe("served")
  })
})
