import { RouterLimits } from "@pawl/router/RouterLimits"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { Agent } from "node:http"
import { Readable } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import { type Body, readBody } from "../../src/Body.ts"
import { bytesOf, ok } from "../World.ts"
import { startFront, wholeOf } from "./Loopback.ts"

const MiB = 1024 * 1024
/** What sockets and streams of one connection may hold on loopback, both ends together. */
const inFlightBytes = 16 * MiB

/** A promise that something else settles. */
const gate = <A>() => {
  let resolve: (value: A) => void = () => undefined
  const promise = new Promise<A>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

const opened: Array<() => Promise<void>> = []
const start: typeof startFront = async (...args) => {
  const front = await startFront(...args)
  opened.push(front.close)
  return front
}
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

const get = async (front: Awaited<ReturnType<typeof start>>, path = "/", options = {}) => {
  const { request, response } = front.open({ path, ...options })
  request.end()
  return response
}

describe("NodeFront", () => {
  it("answers apps, files and pages over one connection that stays open", async () => {
    const front = await start({ files: { "a.txt": "file" } })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    for (const [path, body] of [
      ["/", "app"],
      ["/a.txt", "file"],
      ["/", "app"]
    ] as const) {
      const response = await get(front, path, { agent })
      ports.add(response.socket.localPort)
      expect([response.statusCode, await wholeOf(response)]).toEqual([200, body])
    }
    const page = await get(front, "/__service/x", { agent })
    ports.add(page.socket.localPort)
    expect([page.statusCode, await wholeOf(page)]).toEqual([404, expect.stringContaining("<!doctype html>")])
    expect(ports.size).toBe(1)
    agent.destroy()
  })

  it.each([0, 256, RouterLimits.routerOneWriteBytes, RouterLimits.routerOneWriteBytes + 1])(
    "sends a file of %i bytes as it is, the first time and the second",
    async (length) => {
      const bytes = Uint8Array.from({ length }, (_, at) => at % 256)
      const front = await start({ files: { "a.bin": bytes } })
      for (const _ of [1, 2]) {
        const response = await get(front, "/a.bin")
        const pieces: Array<Uint8Array> = []
        for await (const piece of response) pieces.push(piece)
        expect(response.headers["content-length"]).toBe(String(length))
        expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
      }
    }
  )

  it("keeps several Set-Cookie headers apart", async () => {
    const front = await start()
    front.controls.app = () =>
      Effect.succeed(
        ok("x", [
          ["set-cookie", "a=1, b"],
          ["set-cookie", "c=2"],
          ["x-one", "1"],
          ["x-one", "2"]
        ])
      )
    const response = await get(front)
    expect(response.headers["set-cookie"]).toEqual(["rba_a=1, b", "rba_c=2"])
    expect(response.headers["x-one"]).toBe("1, 2")
    response.resume()
  })

  it("gives HEAD the headers of GET and no body, and the connection goes on", async () => {
    const front = await start({ files: { "a.txt": "file" } })
    front.controls.app = () => Effect.succeed(ok("app", [["content-length", "3"]]))
    const received = await front.raw(
      "HEAD / HTTP/1.1\r\nHost: shop.apps.localhost\r\n\r\nHEAD /a.txt HTTP/1.1\r\nHost: shop.apps.localhost\r\n\r\nGET /a.txt HTTP/1.1\r\nHost: shop.apps.localhost\r\nConnection: close\r\n\r\n"
    )
    const responses = received.split(/(?=HTTP\/1\.1 )/)
    expect(responses.map((response) => response.split("\r\n\r\n")[1])).toEqual(["", "", "file"])
    expect(responses.map((response) => /content-length: (\d+)/.exec(response)?.[1])).toEqual(["3", "4", "4"])
  })

  it("takes who visits and which host was asked from the connection", async () => {
    const front = await start()
    await wholeOf(await get(front, "/a?b=c#d", { headers: { "X-Forwarded-For": "1.1.1.1", "X-Twice": ["1", "2"] } }))
    const { headers, url } = front.controls.seen[0]!.request
    expect(url).toBe("http://shop.apps.localhost/a?b=c")
    expect(headers).toContainEqual(["x-forwarded-for", "127.0.0.1"])
    expect(headers.filter(([name]) => name === "x-twice")).toEqual([
      ["x-twice", "1"],
      ["x-twice", "2"]
    ])
  })

  it("answers what cannot be sent as it is with 502", async () => {
    const front = await start()
    front.controls.app = () => Effect.succeed({ status: 200, headers: [["location", "/ü"]], body: bytesOf("x") })
    expect((await get(front)).headers.location).toBe("/ü")
    front.controls.app = () => Effect.succeed({ status: 200, headers: [["x-bad", "a\r\nb: c"]], body: bytesOf("x") })
    const response = await get(front)
    expect([response.statusCode, response.headers["x-bad"]]).toEqual([200, undefined])
  })
})

describe("streams", () => {
  it("carries 50 MB to the visitor at the visitor's pace, whole", async () => {
    const front = await start()
    const chunk = Buffer.alloc(64 * 1024, "pawl")
    let produced = 0
    async function* body() {
      while (produced < 50 * MiB) {
        produced += chunk.length
        yield chunk
      }
    }
    for (const make of [body, () => Readable.from(body())]) {
      produced = 0
      front.controls.app = () => Effect.succeed({ status: 200, headers: [], body: make() })
      let received = 0
      let most = 0
      const response = await get(front)
      for await (const part of response) {
        received += part.length
        most = Math.max(most, produced - received)
        await turn()
      }
      expect(received).toBe(50 * MiB)
      expect(most).toBeLessThan(inFlightBytes)
    }
  })

  it("carries 50 MB to the app at the app's pace, whole", async () => {
    const front = await start()
    const hash = createHash("sha256")
    let received = 0
    let most = 0
    let sent = 0
    front.controls.app = (_version, request) =>
      Effect.promise(async () => {
        for await (const part of request.body!) {
          hash.update(part)
          received += part.length
          most = Math.max(most, sent - received)
          await turn()
        }
        return ok(String(received))
      })
    const expected = createHash("sha256")
    const { request, response } = front.open({ method: "PUT" })
    const chunk = Buffer.alloc(64 * 1024)
    for (let i = 0; i < (50 * MiB) / chunk.length; i++) {
      chunk.writeUInt32LE(i, 0)
      expected.update(chunk)
      sent += chunk.length
      if (!request.write(Buffer.from(chunk))) await once(request, "drain")
    }
    request.end()
    expect(await wholeOf(await response)).toBe(String(50 * MiB))
    expect(hash.digest("hex")).toBe(expected.digest("hex"))
    expect(most).toBeLessThan(inFlightBytes)
  })

  it("carries both ways at once: an echo begins before the upload ends", async () => {
    const front = await start()
    front.controls.app = (_version, request) => Effect.succeed({ status: 200, headers: [], body: request.body })
    const { request, response } = front.open({ method: "POST" })
    request.write("first")
    const answered = (await response)[Symbol.asyncIterator]()
    expect(String((await answered.next()).value)).toBe("first")
    request.end("second")
    expect(String((await answered.next()).value)).toBe("second")
    expect((await answered.next()).done).toBe(true)
  })

  it("cuts the connection when a body breaks off, so that nobody takes a part for the whole", async () => {
    const front = await start()
    async function* broken() {
      yield utf8("part")
      throw new Error("app died")
    }
    for (const make of [broken, () => Readable.from(broken())]) {
      front.controls.app = () => Effect.succeed({ status: 200, headers: [], body: make() })
      await expect(get(front).then(wholeOf)).rejects.toThrow(/aborted|socket hang up/)
    }
  })

  it("answers while the body is still unread, and the connection goes on", async () => {
    const front = await start()
    const received = await front.raw(
      `POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nContent-Length: 200000\r\n\r\n${"x".repeat(200_000)}GET /__service/ HTTP/1.1\r\nHost: shop.apps.localhost\r\nConnection: close\r\n\r\n`
    )
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404"])
  })

  it("answers when the app stopped reading a long body early, and the connection goes on", async () => {
    const front = await start()
    // Left in the middle, and left without a word, as by a call that waits for its turn.
    const leaves = [
      async (body: Body) => void (await readBody(body, 3)),
      async (body: Body) => void (await body[Symbol.asyncIterator]().next())
    ]
    for (const leave of leaves) {
      front.controls.app = (_version, { body }) => Effect.promise(async () => leave(body!).then(() => ok("left")))
      const received = await front.raw(
        `POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nContent-Length: ${4 * MiB}\r\n\r\n${"x".repeat(4 * MiB)}GET /__service/ HTTP/1.1\r\nHost: shop.apps.localhost\r\nConnection: close\r\n\r\n`
      )
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404"])
    }
  })

  it("does not cut the answer of an app that stops reading early", async () => {
    const front = await start()
    front.controls.app = (_version, request) =>
      Effect.promise(async () => ok(String((await readBody(request.body, 3)).length)))
    const { request, response } = front.open({ method: "POST" })
    request.end(Buffer.alloc(300_000))
    expect(await wholeOf(await response)).toBe("3")
  })
})

describe("a visitor who leaves", () => {
  it("stops the app's work", async () => {
    const front = await start()
    const stopped = gate<string>()
    front.controls.app = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped.resolve("stopped")))
    const { request } = front.open()
    request.end()
    request.on("error", () => undefined)
    while (front.controls.seen.length === 0) await turn()
    request.destroy()
    expect(await stopped.promise).toBe("stopped")
  })

  it("stops a body on its way, be it iterated or streamed", async () => {
    const front = await start()
    for (const make of [
      (body: AsyncIterable<Uint8Array>) => body,
      (body: AsyncIterable<Uint8Array>) => Readable.from(body)
    ]) {
      const stopped = gate<string>()
      async function* endless() {
        try {
          for (;;) {
            yield Buffer.alloc(1024)
            await turn()
          }
        } finally {
          stopped.resolve("stopped")
        }
      }
      front.controls.app = () => Effect.succeed({ status: 200, headers: [], body: make(endless()) })
      const response = await get(front)
      response.on("error", () => undefined)
      response.destroy()
      expect(await stopped.promise).toBe("stopped")
    }
  })

  it("stops a body that waits for more", async () => {
    const front = await start()
    const stopped = gate<string>()
    const body = new Readable({
      read: () => undefined,
      destroy: (_error, done) => (stopped.resolve("stopped"), done(null))
    })
    body.push("first")
    front.controls.app = () => Effect.succeed({ status: 200, headers: [], body })
    const response = await get(front)
    response.on("error", () => undefined)
    await once(response, "data")
    response.destroy()
    expect(await stopped.promise).toBe("stopped")
  })

  it("breaks off the upload in the app", async () => {
    const front = await start()
    const broken = gate<unknown>()
    front.controls.app = (_version, request) =>
      Effect.promise(async () => {
        broken.resolve(
          await readBody(request.body, 1e9).then(
            () => "whole",
            (error: unknown) => error
          )
        )
        return ok()
      })
    const { request } = front.open({ method: "POST", headers: { "content-length": 1000 } })
    request.on("error", () => undefined)
    request.write("part")
    while (front.controls.seen.length === 0) await turn()
    request.destroy()
    expect(await broken.promise).toMatchObject({ code: "ECONNRESET" })
  })
})

describe("Expect: 100-continue", () => {
  const head = "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"
  it("is answered when the app reads the body", async () => {
    const front = await start()
    front.controls.app = (_version, request) =>
      Effect.promise(async () => ok(new TextDecoder().decode(await readBody(request.body, 100))))
    const { request, response } = front.open({
      method: "POST",
      headers: { expect: "100-continue", "content-length": 4 }
    })
    request.flushHeaders()
    await once(request, "continue")
    request.end("body")
    expect(await wholeOf(await response)).toBe("body")
    expect(front.controls.seen[0]!.request.headers.some(([name]) => name === "expect")).toBe(false)
  })
  it("is answered with the final status alone when the app does not want the body, and the connection ends", async () => {
    const received = await (await start()).raw(head)
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(received).toMatch(/connection: close/i)
    expect(received).not.toContain("100 Continue")
  })
})
