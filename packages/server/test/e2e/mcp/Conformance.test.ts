import { spawn } from "node:child_process"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const expected = fileURLToPath(new URL("./conformance.yaml", import.meta.url))
const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")).replace(
  /package\.json$/,
  "dist/index.js"
)

/** The suite knows no tokens: what it sends gets one on its way. */
const withToken = (port: number) =>
  createServer((req, res) => {
    const headers = { ...req.headers, authorization: `Bearer ${token}` }
    const onward = request({ host: "127.0.0.1", port, path: req.url, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(res)
    })
    onward.once("error", () => res.destroy())
    req.pipe(onward)
  })

const run = async (url: string, folder: string): Promise<{ readonly code: number | null; readonly said: string }> => {
  const args = [suite, "server", "--url", url, "--expected-failures", expected]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text))
  return { code: await new Promise<number | null>((end) => child.once("close", end)), said }
}

describe("The protocol's own suite", () => {
  it("finds what Pawl offers as it should be, and fails on nothing but what is listed as not offered", async () => {
    const folder = temporaryFolder()
    const server = await startServer({ data: folder.path })
    const proxy = withToken(server.port)
    await new Promise<void>((ready) => proxy.listen(0, "127.0.0.1", ready))
    const { code, said } = await run(`http://localhost:${(proxy.address() as AddressInfo).port}/mcp`, folder.path)
    expect(said).toMatch(/✓ server-initialize: 1 passed/)
    expect(said).toMatch(/✓ tools-list: 1 passed/)
    expect(said).toMatch(/✓ dns-rebinding-protection: 2 passed/)
    expect({ code, failures: said.match(/Unexpected failures \(not in baseline\)[^]*/)?.[0] }).toEqual({ code: 0 })
    proxy.close()
    proxy.closeAllConnections()
    await server.stop()
    folder.remove()
  })
})
