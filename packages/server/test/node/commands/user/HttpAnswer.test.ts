import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { askHttp, type HttpQuestion } from "../../../../src/node/commands/user/HttpAnswer.ts"

const get: HttpQuestion = { method: "GET", headers: { authorization: "Bearer pawl_secret" }, body: undefined }

describe("A question over HTTP", () => {
  let server: Server
  let origin: string
  let answer: (req: IncomingMessage, res: ServerResponse) => void
  const asked: Array<IncomingMessage> = []

  beforeEach(async () => {
    asked.length = 0
    server = createServer((req, res) => {
      asked.push(req)
      answer(req, res)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  )

  it("is not sent on: whoever is named beside the server sees no token", async () => {
    answer = (_req, res) => res.writeHead(307, { location: `${origin}/elsewhere` }).end()
    const { ok, status } = await askHttp(`${origin}/v1/me`, get)
    expect([status, ok, asked.map(({ url }) => url)]).toEqual([307, false, ["/v1/me"]])
  })

  it("brings a body whole and says how long it is, and the answer's letters come whole in whatever pieces", async () => {
    const words = "ein Brief aus Zürich, 12 € 🎉"
    let body = ""
    answer = (req, res) => {
      req.setEncoding("utf8").on("data", (text: string) => (body += text))
      req.once("end", () => {
        for (const byte of Buffer.from(words)) res.write(Buffer.from([byte]))
        res.end()
      })
    }
    const answered = await askHttp(`${origin}/v1/echo`, { method: "POST", headers: {}, body: words })
    expect([await answered.text(), body]).toEqual([words, words])
    expect(asked[0]?.headers["content-length"]).toBe(String(Buffer.byteLength(words)))
  })

  it("is over for the server when the reader reads no further", async () => {
    const over = new Promise<void>((resolve) => {
      answer = (_req, res) => {
        res.once("close", resolve)
        res.write("data: 1\n\n")
      }
    })
    const { body } = await askHttp(`${origin}/v1/stream`, get)
    for await (const piece of body) {
      expect(Buffer.from(piece).toString()).toBe("data: 1\n\n")
      break
    }
    await over
  })

  it("fails in the machine's words where nobody listens, and while the answer is read where the server dies", async () => {
    answer = (_req, res) => {
      res.write("half", () => res.destroy())
    }
    const half = await askHttp(`${origin}/v1/half`, get)
    await expect(half.text()).rejects.toThrow("aborted")
    await expect(askHttp("http://127.0.0.1:1/v1/me", get)).rejects.toThrow("connect ECONNREFUSED 127.0.0.1:1")
  })
})
