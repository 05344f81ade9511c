import { describe, expect, it } from "vitest"
import { mainPaths } from "../kit/MainPaths.ts"
import { startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const started = async () => {
  const folder = temporaryFolder()
  const server = await startServer({ data: folder.path })
  const stop = async () => {
    await server.stop()
    folder.remove()
  }
  return { api: server.api, origin: server.origin, token, stop }
}

mainPaths("a running server", started)

describe("A server that did something", () => {
  it("stops with 0", async () => {
    const folder = temporaryFolder()
    const server = await startServer({ data: folder.path })
    expect((await server.api.get<{ status: string }>("/health")).status).toBe("ok")
    expect(await server.stop()).toBe(0)
    folder.remove()
  })
})
