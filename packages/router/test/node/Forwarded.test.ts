import { createServer, request as ask } from "node:http"
import { afterEach, describe, expect, it } from "vitest"
import { closeServer, listen, startFront, wholeOf } from "./Loopback.ts"

const opened: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

/** A front, and before it a proxy that speaks for the visitor as proxies do: it adds to what it was told. */
const behindProxy = async (trustProxy: boolean) => {
  const front = await startFront({}, { trustProxy })
  const proxy = createServer((req, res) => {
    const told = req.headers["x-forwarded-for"]
    const headers = {
      host: "inner.apps.localhost",
      "x-forwarded-for": [told, "192.0.2.7"].filter((each) => each !== undefined).join(", "),
      "x-forwarded-host": [req.headers["x-forwarded-host"], "shop.apps.localhost"].filter(Boolean).join(", "),
      "x-forwarded-proto": "https"
    }
    const passed = ask({ port: front.port, host: "127.0.0.1", path: req.url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502)
      answer.pipe(res)
    })
    passed.end()
  })
  const port = await listen(proxy)
  opened.push(() => closeServer(proxy), front.close)
  const visit = (headers: Record<string, string>) =>
    new Promise<string>((resolve) => {
      ask({ port, host: "127.0.0.1", headers }, (answer) => resolve(wholeOf(answer))).end()
    })
  return { visit, seen: front.controls.seen }
}

describe("who visits, behind a proxy", () => {
  it("is what the trusted proxy says last, whatever the visitor says before it", async () => {
    const { seen, visit } = await behindProxy(true)
    await visit({
      "x-forwarded-for": "6.6.6.6",
      "x-forwarded-host": "victim.apps.localhost",
      "x-forwarded-proto": "http"
    })
    const { headers, url } = seen[0]!.request
    expect(url).toBe("https://shop.apps.localhost/")
    expect(headers).toEqual([
      ["host", "shop.apps.localhost"],
      ["cf-connecting-ip", "192.0.2.7"],
      ["x-forwarded-for", "6.6.6.6, 192.0.2.7, 127.0.0.1"],
      ["x-forwarded-host", "shop.apps.localhost"],
      ["x-forwarded-proto", "https"]
    ])
  })

  it("is the connection and its Host when no proxy is trusted: nobody can name another app or address", async () => {
    const { seen, visit } = await behindProxy(false)
    expect(await visit({ "x-forwarded-for": "6.6.6.6" })).toContain("There is no app here")
    expect(seen).toEqual([])
  })
})
