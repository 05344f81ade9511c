import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { decodeEvents } from "../../http/groups/EventReader.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

interface Line {
  readonly sequence: number
  readonly channel: string
  readonly version: string
  readonly level: string
  readonly source: string
  readonly text: string
}

describe("The logs of an app on a running server", () => {
  const folder = temporaryFolder()
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const shop = {
    "src/index.js": `export default {
  async fetch(request) {
    const url = new URL(request.url)
    console.log("asked for", url.pathname)
    if (url.pathname === "/checkout") {
      const cart = undefined
      return new Response(cart.total)
    }
    return new Response("ok")
  }
}\n`
  }

  it("show why it threw, with the request and the place in the source, as a page and as a stream", async () => {
    const { api } = server
    const project = await Flow.createProject(api, "throwing", Flow.source("", shop))
    const { url } = await Flow.liveApp(api, project.id, 0)
    const path = `/v1/projects/${project.id}/app/logs`
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}?after=0`, {
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" }
    })
    const stream = decodeEvents(answer)
    expect((await api.page(`${url}checkout?card=4111`)).status).toBe(502)
    let thrown: Line
    do thrown = (await stream.next()).data as Line
    while (thrown.source !== "exception")
    await stream.close()
    expect(thrown).toMatchObject({ channel: "production", level: "error" })
    expect(thrown.version).toMatch(new RegExp(`^${project.id}@[0-9a-f]{40}`))
    expect(thrown.text).toMatch(
      /^GET \/checkout: TypeError: Cannot read properties of undefined \(reading 'total'\)\n {4}at Object\.fetch \(src\/index\.js:7:32\)$/
    )
    const { items } = await api.get<{ items: ReadonlyArray<Line> }>(path)
    expect(items.find((line) => line.sequence === thrown.sequence)).toEqual(thrown)
    expect(items.map((line) => line.text)).toContain("asked for /checkout")
    expect(JSON.stringify(items)).not.toContain("4111")
    // What an app prints is nothing of the server's own log.
    expect(server.log() + server.output.join("\n")).not.toContain("asked for")
  })
})
