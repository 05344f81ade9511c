import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { FuzzClient, parse } from "./FuzzClient.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { appHost, smugglingCases } from "./SmugglingCases.ts"

/** Notes each request under its case, and answers what it was asked. Other processes of it share the notes. */
const echo = `export default {
  async fetch(request, env) {
    const [, number, name] = new URL(request.url).pathname.split("/")
    if (number === "seen") {
      const { keys } = await env.DATA.list({ prefix: name + ":" })
      return Response.json(keys.map((key) => key.name.split(" ").slice(1).join(" ")))
    }
    const told =
      name === "internal"
        ? Array.from(request.headers).filter(([key]) => key !== "connection").map(([key, value]) => (key.endsWith("host") ? key : key + "=" + value)).sort().join()
        : request.method === "POST" ? await request.text() : (request.headers.get("cookie") ?? "")
    await env.DATA.put(number.slice(1) + ":" + crypto.randomUUID() + " " + [request.method, name, told].join(" ").trim(), "")
    const own = { connection: "upgrade", upgrade: "websocket", "keep-alive": "timeout=9999", trailer: "x", "x-pawl-outcome": "x" }
    return new Response("asked " + name, { headers: name === "framing" ? own : {} })
  }
}
`

/** Sends bytes and answers all that comes back until the server closes. */
const exchange = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"))
    let received = ""
    socket.on("data", (data) => (received += data.toString("latin1")))
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(received))
  })

/** The answers one after the other. The bodies of answers to HEAD are not there. */
const answersOf = (received: string, methods: ReadonlyArray<string>) => {
  const answers = []
  for (let rest = received, at = 0; rest !== ""; at++) {
    const parsed = parse(rest, methods[at] ?? "GET", true)
    if (parsed === null) throw new Error(`this is no answer: ${rest.slice(0, 300)}`)
    answers.push(parsed.answer)
    rest = rest.slice(parsed.size)
  }
  return answers
}

describe("A request that could be read in two ways", () => {
  const folder = temporaryFolder()
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
    const project = await Flow.createProject(server.api, "echo", Flow.source("one", { "src/index.js": echo }))
    await Flow.liveApp(server.api, project.id, 0)
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const seenBy = async (number: number): Promise<ReadonlyArray<string>> =>
    JSON.parse(
      (await server.api.page(`http://${appHost}/seen/${String(number).padStart(2, "0")}`)).text
    ) as ReadonlyArray<string>

  it.each(smugglingCases.map((each, number) => ({ ...each, number })))(
    "has one end: $name",
    async ({ bytes, number, seen, statuses }) => {
      const next = `GET /c@@/next HTTP/1.1\r\nHost: ${appHost}\r\nConnection: close\r\n\r\n`
      const sent = (bytes + next).replaceAll("@@", String(number).padStart(2, "0"))
      const answers = answersOf(await exchange(server.port, sent), [sent.slice(0, sent.indexOf(" "))])
      expect(answers.map((answer) => answer.status)).toEqual(statuses)
      expect([...(await seenBy(number))].sort()).toEqual([...seen].sort())
      for (const answer of answers) if (answer.status >= 400) expect(answer.body).toMatch(/\S/)
      expect(answers.at(-1)!.headers.get("connection")).toBe("close")
    }
  )

  it("is tried in more than forty ways", () => expect(smugglingCases.length).toBeGreaterThan(40))

  it("gets its answers in the order of its requests, each its own", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `n${at}`)
    const sent = names.map(
      (name) => `GET /row/${name} HTTP/1.1\r\nHost: ${appHost}\r\n${name === "n11" ? "Connection: close\r\n" : ""}\r\n`
    )
    const answers = answersOf(await exchange(server.port, sent.join("")), [])
    expect(answers.map((answer) => answer.body)).toEqual(names.map((name) => `asked ${name}`))
  })

  it("goes on as HTTP/1.1 after an offer of HTTP/2", async () => {
    const client = new FuzzClient(server.port)
    const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
    const first = await client.send(`GET /h/first HTTP/1.1\r\nHost: ${appHost}\r\n${offer}\r\n`, "GET")
    const second = await client.send(`GET /h/second HTTP/1.1\r\nHost: ${appHost}\r\n\r\n`, "GET")
    client.close()
    expect([first?.body, first?.closes, second?.body]).toEqual(["asked first", false, "asked second"])
  })

  it("takes nothing of an app's own framing for the connection's", async () => {
    const [answer] = answersOf(
      await exchange(server.port, `GET /x/framing HTTP/1.1\r\nHost: ${appHost}\r\nConnection: close\r\n\r\n`),
      []
    )
    expect(answer!.status).toBe(200)
    expect(["upgrade", "trailer", "x-pawl-outcome"].filter((name) => answer!.headers.has(name))).toEqual([])
    expect(answer!.headers.get("keep-alive")).not.toBe("timeout=9999")
  })

  it("is asked to go on with its body when the app reads it, and not before", async () => {
    const head = `POST /e/first HTTP/1.1\r\nHost: ${appHost}\r\nContent-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`
    const received = await new Promise<string>((resolve) => {
      const socket = connect(server.port, "127.0.0.1", () => socket.write(head))
      let all = ""
      socket.on("data", (data) => {
        all += data.toString("latin1")
        if (all === "HTTP/1.1 100 Continue\r\n\r\n") socket.write("body")
      })
      socket.on("close", () => resolve(all))
    })
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  })
})

describe("An upgrade", () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const upgrade = async (host: string, path: string) => {
    const bytes = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    return answersOf(await exchange(server.port, bytes), [])[0]!
  }

  it("to WebSocket is refused with 501 and the reason, by the API and by every app host", async () => {
    const api = await upgrade("localhost", "/v1/me")
    expect(api.status).toBe(501)
    expect(JSON.parse(api.body)).toMatchObject({
      status: 501,
      code: "upgrade_not_served",
      detail: expect.stringContaining("WebSockets")
    })
    const app = await upgrade(appHost, "/")
    expect(app.status).toBe(501)
    expect(app.body).toContain("one request at a time")
  })
})
