/** What a stop does to those who are being answered. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const connected = async (port: number): Promise<Socket | null> => {
  const socket = connect(port, "127.0.0.1")
  return once(socket, "connect").then(
    () => socket,
    () => null
  )
}

/** Collects what comes, until it holds a text. */
const hears = async (socket: Socket, text: string): Promise<string> => {
  let heard = ""
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    heard += String(piece)
    if (heard.includes(text)) return heard
  }
  return heard
}

describe("A server that is told to stop", () => {
  it("does what it was asked before, with all that this needs, and takes nothing new", async () => {
    const folder = temporaryFolder()
    try {
      const server = await startServer({ data: folder.path })
      const socket = (await connected(server.port))!
      const body = JSON.stringify({ slug: "last-order", files: { "public/index.html": "<h1>here</h1>" } })
      socket.write(
        `POST /v1/projects HTTP/1.1\r\nHost: localhost:${server.port}\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`
      )
      expect(await hears(socket, "\r\n\r\n")).toContain("100 Continue")
      const ended = server.stop()
      for (let next = await connected(server.port); next !== null; next = await connected(server.port)) next.destroy()
      socket.write(body)
      expect(await hears(socket, "last-order")).toContain("HTTP/1.1 201")
      socket.destroy()
      expect(await ended).toBe(0)
      const again = await startServer({ data: folder.path })
      expect((await again.api.get<{ items: ReadonlyArray<{ slug: string }> }>("/v1/projects")).items).toMatchObject([
        { slug: "last-order" }
      ])
      expect(await again.stop()).toBe(0)
    } finally {
      folder.remove()
    }
  })

  it("leaves at once when it is told a second time", async () => {
    const folder = temporaryFolder()
    try {
      const server = await startServer({ data: folder.path })
      const socket = (await connected(server.port))!
      socket.write(
        `POST /v1/projects HTTP/1.1\r\nHost: localhost:${server.port}\r\nAuthorization: Bearer ${token}\r\n` +
          "Content-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n"
      )
      expect(await hears(socket, "\r\n\r\n")).toContain("100 Continue")
      const ended = server.stop()
      for (let next = await connected(server.port); next !== null; next = await connected(server.port)) next.destroy()
      socket.on("error", () => undefined)
      const closed = once(socket, "close")
      // It would wait for the rest of the request for as long as it lets requests end, and then end with 0.
      expect(await server.stop()).toBe(143)
      expect(await ended).toBe(143)
      await closed
    } finally {
      folder.remove()
    }
  })

  it("goes on for its drain delay, takes what is new, and is not ready meanwhile", async () => {
    const folder = temporaryFolder()
    try {
      const server = await startServer({ data: folder.path, environment: { PAWL_DRAIN_DELAY: "60000" } })
      const ended = server.stop()
      const ready = () => fetch(`${server.origin}/health/ready`)
      for (let answer = await ready(); answer.status !== 503; answer = await ready()) await answer.body?.cancel()
      expect(await (await ready()).json()).toEqual({ status: "stopping", missing: ["stopping"] })
      const socket = (await connected(server.port))!
      socket.write(`GET /v1/me HTTP/1.1\r\nHost: localhost:${server.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      const answer = await hears(socket, "\r\n\r\n")
      expect(answer).toContain("HTTP/1.1 200")
      expect(answer.toLowerCase()).toContain("connection: close")
      await server.api.post("/v1/projects", { slug: "late-order", files: { "public/index.html": "<h1>here</h1>" } })
      // Who asks a second time is not made to wait.
      expect(await server.stop()).toBe(143)
      expect(await ended).toBe(143)
    } finally {
      folder.remove()
    }
  })

  it("stops by itself when its drain delay is over", async () => {
    const folder = temporaryFolder()
    try {
      const server = await startServer({ data: folder.path, environment: { PAWL_DRAIN_DELAY: "300" } })
      expect(await server.stop()).toBe(0)
    } finally {
      folder.remove()
    }
  })
})
