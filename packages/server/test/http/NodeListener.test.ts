/** The same app behind a real Node server: what only sockets can show. */
import { spawn } from "node:child_process"
import { createServer, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as ApiListener from "@pawl/server/node/listen/ApiListener"
import * as Readers from "@pawl/server/node/Readers"
import { ServerLimits } from "@pawl/server/ServerLimits"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { decodeEvents } from "./groups/EventReader.ts"
import { answerOf, type Api, newCandidate, newProject, ownerToken, startApi } from "./TestApi.ts"

describe("Behind a Node server", () => {
  let api: Api
  let server: Server
  let origin: string
  const authorization = `Bearer ${ownerToken}`

  beforeAll(async () => {
    api = await startApi()
    const handler = await api.run(
      Effect.flatMap(Readers.make, (readers) => ApiListener.serving(api.app, readers, false))
    )
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

  const block = Buffer.alloc(1024 * 1024, 32)
  /** Sends `blocks` MiB, all of it before it listens, and answers what it hears until the connection closes. */
  const shout = (headers: string, blocks: number, chunked: boolean) =>
    new Promise<{ readonly heard: string; readonly sent: number }>((resolve) => {
      let [heard, sent] = ["", 0]
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
      socket.pause()
      const frame = chunked ? Buffer.concat([Buffer.from("100000\r\n"), block, Buffer.from("\r\n")]) : block
      const send = (): void => {
        for (; sent < blocks; sent++) if (!socket.write(frame)) return void (sent++, socket.once("drain", send))
        if (chunked) socket.write("0\r\n\r\n")
        socket.resume()
      }
      socket.write(
        `POST /v1/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n${headers}\r\n\r\n`
      )
      send()
      socket.on("data", (data) => (heard += data.toString("latin1")))
      socket.on("close", () => resolve({ heard, sent }))
      socket.on("error", () => socket.destroy())
    })

  it.each([
    ["without a length", "Transfer-Encoding: chunked\r\nConnection: close", true],
    ["with its length", `Content-Length: ${50 * block.length}\r\nConnection: close`, false],
    ["as a form", `Content-Type: multipart/form-data\r\nTransfer-Encoding: chunked\r\nConnection: close`, true]
  ])("a caller who sends 50 MiB before it listens hears the refusal: %s", async (_, headers, chunked) => {
    const { heard, sent } = await shout(headers, 50, chunked)
    expect(sent).toBe(50)
    expect(heard).toMatch(/^HTTP\/1\.1 41[35] /)
    expect(heard).toMatch(/"code":"(body_too_large|unsupported_media_type)"/)
    expect((await fetch(`${origin}/health`)).status).toBe(200)
  })

  it("one whom nobody knows hears that too, and the connection goes on", async () => {
    const upload = () => ReadableStream.from(Array.from({ length: 50 }, () => block))
    for (const headers of [{}, { authorization }]) {
      const answer = await fetch(`${origin}/v1/tokens`, { method: "POST", headers, body: upload(), duplex: "half" })
      expect(answer.status).toBe("authorization" in headers ? 413 : 401)
      await answer.text()
    }
  })

  it("curl hears it", async () => {
    const heard = await new Promise<string>((resolve) => {
      const args = [
        "-sS",
        "-X",
        "POST",
        "-H",
        `Authorization: ${authorization}`,
        "-H",
        "Expect:",
        "-T",
        "-",
        "-w",
        " %{http_code}"
      ]
      const child = spawn("curl", [...args, `${origin}/v1/tokens`], { stdio: ["pipe", "pipe", "pipe"] })
      let text = ""
      for (const output of [child.stdout, child.stderr]) output.on("data", (data) => (text += String(data)))
      child.stdin.on("error", () => undefined)
      child.once("close", () => resolve(text))
      child.stdin.end(Buffer.alloc(50 * block.length, 32))
    })
    expect(heard).toMatch(/"code":"body_too_large".* 413$/s)
  })

  it("one who never stops is not heard out for ever", async () => {
    const { sent } = await shout(`Content-Length: ${1024 * block.length}`, 1024, false)
    expect(sent).toBeLessThan(512)
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
