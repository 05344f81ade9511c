import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { readBody } from "../../src/Body.ts"
import { ok } from "../World.ts"
import { startFront } from "./Loopback.ts"

const opened: Array<() => Promise<void>> = []
const start: typeof startFront = async (...args) => {
  const front = await startFront(...args)
  opened.push(front.close)
  return front
}
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

describe("what could be read in two ways", () => {
  const rest = "GET /smuggled HTTP/1.1\r\nHost: shop.apps.localhost\r\n\r\n"
  it.each([
    [
      "both lengths",
      "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ],
    [
      "both lengths, the other way round",
      "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
    ],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde"
    ],
    [
      "two equal lengths",
      "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde"
    ],
    ["a list of lengths", "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nContent-Length: 5, 5\r\n\r\nabcde"],
    ["a signed length", "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nContent-Length: +5\r\n\r\nabcde"],
    [
      "a length with a blank before the colon",
      "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nContent-Length : 5\r\n\r\nabcde"
    ],
    ["an unknown coding", "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nTransfer-Encoding: xchunked\r\n\r\n"],
    [
      "chunked that is not last",
      "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"
    ],
    [
      "two codings",
      "POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"
    ],
    [
      "a coding in HTTP/1.0",
      "POST / HTTP/1.0\r\nHost: shop.apps.localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ],
    ["a folded header", "GET / HTTP/1.1\r\nHost: shop.apps.localhost\r\nX-A: 1\r\n 2\r\n\r\n"],
    ["a bare line feed", "GET / HTTP/1.1\nHost: shop.apps.localhost\n\n"],
    ["a bare carriage return", "GET / HTTP/1.1\r\nHost: shop.apps.localhost\r\nX-A: 1\rX-B: 2\r\n\r\n"],
    ["a NUL in a header", "GET / HTTP/1.1\r\nHost: shop.apps.localhost\r\nX-A: \u0000\r\n\r\n"],
    ["two hosts", "GET / HTTP/1.1\r\nHost: shop.apps.localhost\r\nHost: evil.example\r\n\r\n"],
    ["two equal hosts", "GET / HTTP/1.1\r\nHost: shop.apps.localhost\r\nhost: shop.apps.localhost\r\n\r\n"],
    ["no host", "GET / HTTP/1.1\r\n\r\n"],
    ["no host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n"],
    ["an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"],
    ["a target of another host", "GET http://evil.example/ HTTP/1.1\r\nHost: shop.apps.localhost\r\n\r\n"],
    ["a target that is no path", "OPTIONS * HTTP/1.1\r\nHost: shop.apps.localhost\r\n\r\n"],
    ["a blank in the target", "GET /a b HTTP/1.1\r\nHost: shop.apps.localhost\r\n\r\n"],
    ["TRACE", "TRACE / HTTP/1.1\r\nHost: shop.apps.localhost\r\n\r\n"],
    ["an unknown protocol version", "GET / HTTP/3.7\r\nHost: shop.apps.localhost\r\n\r\n"],
    [
      "headers without end",
      `GET / HTTP/1.1\r\nHost: shop.apps.localhost\r\n${`X-A: ${"1".repeat(100)}\r\n`.repeat(400)}\r\n`
    ]
  ])("is refused and cut off: %s", async (_what, bytes) => {
    const front = await start()
    const received = await front.raw(bytes + rest)
    expect(received).toMatch(/^(HTTP\/1\.1 (400|405|431|501|505) |$)/)
    expect(received.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(1)
    expect(front.controls.seen).toEqual([])
  })

  it("a chunk of a bad size never becomes a request", async () => {
    const front = await start()
    front.controls.app = (_version, request) =>
      Effect.promise(() =>
        readBody(request.body, 1e6).then(
          () => ok(),
          () => ok("broken")
        )
      )
    await front.raw(
      `POST / HTTP/1.1\r\nHost: shop.apps.localhost\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nabcde\r\n0\r\n\r\n${rest}`
    )
    expect(front.controls.seen.every(({ request }) => !request.url.includes("smuggled"))).toBe(true)
  })

  it("an absolute target of the same host is taken, CONNECT is not", async () => {
    const front = await start()
    expect(
      await front.raw(
        "GET http://SHOP.apps.localhost/x HTTP/1.1\r\nHost: shop.apps.localhost\r\nConnection: close\r\n\r\n"
      )
    ).toMatch(/^HTTP\/1\.1 200/)
    expect(front.controls.seen[0]!.request.url).toBe("http://shop.apps.localhost/x")
    expect(await front.raw("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 405 [^]*"code":"method_not_allowed"/
    )
  })
})

describe("upgrades", () => {
  it("are refused with 501, but an offer of HTTP/2 is passed over", async () => {
    const front = await start()
    const upgrade = (protocol: string) =>
      front.raw(
        `GET / HTTP/1.1\r\nHost: shop.apps.localhost\r\nConnection: Upgrade, close\r\nUpgrade: ${protocol}\r\n\r\n`
      )
    expect(await upgrade("websocket")).toMatch(/^HTTP\/1\.1 501 /)
    expect(await upgrade("h2c, websocket")).toMatch(/^HTTP\/1\.1 501 /)
    expect(front.controls.seen).toEqual([])
    expect(await upgrade("h2c")).toMatch(/^HTTP\/1\.1 200 /)
    expect(front.controls.seen[0]!.request.headers.map(([name]) => name)).not.toContain("upgrade")
  })
})
