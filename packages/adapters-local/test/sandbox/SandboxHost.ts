/** The host's side of the contract: listeners that must stay unvisited, a secret that must stay one. */
import { randomUUID } from "node:crypto"
import { createSocket } from "node:dgram"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SandboxHost } from "@pawl/testing/contracts/sandbox/SandboxJobs"

const commandLines = (): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
      } catch {
        return ""
      }
    })

export const processesWith = (text: string): number => commandLines().filter((line) => line.includes(text)).length

export const makeHost = async (): Promise<SandboxHost> => {
  const secret = `secret-${randomUUID()}`
  process.env["PAWL_CANARY"] = secret
  const folder = mkdtempSync(join(tmpdir(), "pawl-tests-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const secretFile = join(folder, "secret")
  writeFileSync(secretFile, secret, { mode: 0o644 })
  let visits = 0
  const listen = (where: Parameters<Server["listen"]>[0]) =>
    new Promise<Server>((resolve) => {
      const server = createServer(() => visits++)
      server.listen(where, () => resolve(server)).unref()
    })
  const unixSocket = join(folder, "socket")
  const abstractSocket = `pawl-tests-${randomUUID()}`
  const tcp = await listen({ host: "127.0.0.1", port: 0 })
  await listen({ path: unixSocket })
  await listen({ path: `\0${abstractSocket}` })
  chmodSync(unixSocket, 0o777)
  const udp = createSocket("udp4").on("message", () => visits++)
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve))
  udp.unref()
  const tcpPort = (tcp.address() as AddressInfo).port
  return {
    tcpPort,
    udpPort: udp.address().port,
    unixSocket,
    abstractSocket,
    secretFile,
    secret,
    visits: () => visits,
    runs: (text) => processesWith(text) > 0,
    residentBytes: () => process.memoryUsage().rss
  }
}
