/** HAProxy before several servers, as docs/operating/upgrade.md sets it up. */
import { spawn, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { documents } from "../../docs/Documents.ts"
import * as Flow from "./Flow.ts"

/** Why there is none here; null where there is. */
export const whyNoBalancer = (): string | null =>
  spawnSync("haproxy", ["-v"]).error === undefined ? null : "no haproxy here: apt-get install haproxy"

export const freePort = (): Promise<number> =>
  new Promise((found) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => found(port))
    })
  })

/** What the page shows, with other addresses, and with a place where the balancer tells what it sees. */
const configured = (port: number, stats: number, servers: ReadonlyArray<number>): string => {
  const shown = documents
    .find(({ path }) => path === "docs/operating/upgrade.md")
    ?.blocks.find(({ text }) => text.includes("backend pawl"))?.text
  if (shown === undefined) throw new Error("the page shows no load balancer")
  const lines = servers.map((each, at) => `  server s${at} 127.0.0.1:${each}`)
  const own = shown
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace("inter 1s", "inter 100ms")
    .replace(/\n( {2}server .*\n?)+$/, `\n${lines.join("\n")}\n`)
  return `${own}\nfrontend stats\n  bind 127.0.0.1:${stats}\n  stats enable\n  stats uri /\n`
}

export interface LoadBalancer {
  readonly port: number
  /** Resolves when the balancer sees a server up, or down. */
  readonly sees: (server: number, state: "UP" | "DOWN") => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts it before servers at these ports of loopback. */
export const startBalancer = async (folder: string, servers: ReadonlyArray<number>): Promise<LoadBalancer> => {
  const [port, stats] = [await freePort(), await freePort()]
  const file = join(folder, "haproxy.cfg")
  writeFileSync(file, configured(port, stats, servers))
  const checked = spawnSync("haproxy", ["-c", "-f", file], { encoding: "utf8" })
  if (checked.status !== 0) throw new Error(checked.stderr)
  const child = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" })
  const ended = new Promise<void>((end) => child.once("close", () => end()))
  const stateOf = async (server: number): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${stats}/;csv`).catch(() => null)
    const line = (await answer?.text())?.split("\n").find((each) => each.startsWith(`pawl,s${server},`))
    return line?.split(",")[17] ?? ""
  }
  const sees = async (server: number, state: "UP" | "DOWN") => {
    await Flow.until(
      () => stateOf(server),
      (now) => now.startsWith(state)
    )
  }
  for (const [server] of servers.entries()) await sees(server, "UP")
  return {
    port,
    sees,
    stop: async () => {
      child.kill("SIGKILL")
      await ended
    }
  }
}
