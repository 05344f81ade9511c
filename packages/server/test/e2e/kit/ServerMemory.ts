/** What a running server holds in memory, after it was made to let go of what it does not need. */
import { readFileSync } from "node:fs"
import type { ServerProcess } from "./ServerProcess.ts"
import { until } from "./Flow.ts"

/** Give it to a server that will be looked into: its inspector takes a free port. */
export const inspectable = { NODE_OPTIONS: "--inspect-port=0" }

interface Reply {
  readonly id?: number
}

/** One command to the server's inspector, answered. */
const command = (socket: WebSocket, id: number, method: string): Promise<void> =>
  new Promise((resolve) => {
    const heard = (event: MessageEvent) => {
      if ((JSON.parse(String(event.data)) as Reply).id !== id) return
      socket.removeEventListener("message", heard)
      resolve()
    }
    socket.addEventListener("message", heard)
    socket.send(JSON.stringify({ id, method }))
  })

/** Collects the garbage of the server's process, twice for what is let go of only then, and answers what stays resident, in bytes. */
export const settledBytes = async (server: Pick<ServerProcess, "child" | "log">): Promise<number> => {
  if (!server.log().includes("Debugger listening on ")) server.child.kill("SIGUSR1")
  // The whole line: the log comes in pieces.
  const address = await until(
    () => Promise.resolve(/Debugger listening on (ws:\S+)\n/.exec(server.log())?.[1]),
    (found) => found !== undefined
  )
  const socket = new WebSocket(address!)
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }))
  for (let time = 1; time <= 2; time++) await command(socket, time, "HeapProfiler.collectGarbage")
  socket.close()
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8")
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
