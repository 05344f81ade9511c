/** The same app behind a real Node server: what only sockets can show. */
import { createServer, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ServerLimits } from "@pawl/server/ServerLimits"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { decodeEvents } from "./EventReader.ts"
import { answerOf, type Api, newCandidate, newProject, ownerToken, startApi } from "./TestApi.ts"

describe("Behind a Node server", () => {
  let api: Api
  let server: Server
  let origin: string
  const authorization = `Bearer ${ownerToken}`

  beforeAll(async () => {
    api = await startApi()
    const handler = await api.run(NodeHttpServer.makeHandler(api.app))
    server = createServer((request, response) => handler(request, response))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await api.close()
  })

  it("a caller hears of a body that is too large, said beforehand or not", async () => {
    const body = new Uint8Array(12 * ServerLimits.bodyBytes).fill(32)
    const said = await answerOf(
      await fetch(`${origin}/v1/tokens`, { method: "POST", headers: { authorization }, body })
    )
    expect([said.status, said.body.code]).toEqual([413, "body_too_large"])
    const blocks = Array.from({ length: 30 }, () => new Uint8Array(64 * 1024).fill(32))
    const unsaid = await answerOf(
      await fetch(`${origin}/v1/tokens`, {
        method: "POST",
        headers: { authorization },
        body: ReadableStream.from(blocks),
        duplex: "half"
      })
    )
    expect([unsaid.status, unsaid.body.code]).toEqual([413, "body_too_large"])
    expect((await fetch(`${origin}/health`)).status).toBe(200)
  })

  it("a body that is left out is no body", async () => {
    const project = await newProject(api, "socketed")
    const opened = await answerOf(
      await fetch(`${origin}/v1/projects/${project.id}/changes`, {
        method: "POST",
        headers: { authorization },
        body: JSON.stringify({ clientRequestId: "r", goal: "g", budget_usd: 1 })
      })
    )
    expect(opened.status).toBe(201)
    const { change } = opened.body
    const cancelled = await answerOf(
      await fetch(`${origin}/v1/changes/${change.id}/cancel`, {
        method: "POST",
        headers: { authorization }
      })
    )
    expect(cancelled.body.change.status).toBe("cancelled")
  })

  it("an event stream opens at once and delivers what happens after", async () => {
    const project = await newProject(api, "streamed")
    const leave = new AbortController()
    const response = await fetch(`${origin}/v1/projects/${project.id}/events`, {
      headers: { authorization, accept: "text/event-stream" },
      signal: leave.signal
    })
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    const events = decodeEvents(response)
    await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    expect((await events.next()).id).toBe("1")
    leave.abort()
  })

  it("a request that HTTP itself refuses leaves the server as it was", async () => {
    const { port } = server.address() as AddressInfo
    for (const raw of [
      "GET / HTTP/9.9\r\n\r\n",
      "GET /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
      "\u0000\u0001\r\n\r\n",
      "POST /v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ]) {
      const answer = await new Promise<string>((resolve) => {
        let text = ""
        const socket = connect(port, "127.0.0.1", () => socket.end(raw))
        socket.on("data", (data) => (text += data.toString("latin1")))
        socket.on("close", () => resolve(text))
        socket.on("error", () => {})
      })
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/)
    }
    expect((await fetch(`${origin}/health`)).status).toBe(200)
  })
})
