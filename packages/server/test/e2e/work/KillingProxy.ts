/** Stands between `pawl work` and its server, and ends the command with SIGKILL at one place of what they say. */
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

/** A request, and whether the command dies before the server has it or after the server has answered. */
export interface Place {
  readonly says: string
  readonly method: string
  readonly path: RegExp
  readonly phase: "before" | "after"
}

export interface KillingProxy {
  readonly origin: string
  /** Whether the place was reached. */
  readonly reached: () => boolean
  readonly close: () => Promise<void>
}

/** Listens in front of a server. `kill` is called at the place, once; nothing of the answer is passed on. */
export const openProxy = async (origin: string, place: Place, kill: () => void): Promise<KillingProxy> => {
  let reached = false
  const server = createServer((req, res) => {
    const hit = !reached && req.method === place.method && place.path.test(req.url ?? "")
    const die = () => {
      reached = true
      kill()
      res.destroy()
    }
    if (hit && place.phase === "before") return die()
    const passed = request(`${origin}${req.url ?? "/"}`, { method: req.method, headers: req.headers }, (answer) => {
      if (hit) {
        // The server has done it; nobody is told.
        answer.resume().once("end", die)
        return
      }
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    passed.on("error", () => res.destroy())
    res.on("error", () => undefined)
    req.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    reached: () => reached,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
