/** A server that answers the stream of changes of state itself, in front of the real one: all else goes through as it is. */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** Where people go. */
export interface NewsProxy {
  readonly origin: string
  readonly close: () => Promise<void>
}

/** Starts it before the server on a port. `answer` says whether it answered a request, before the server is asked. */
export const newsProxy = async (
  port: number,
  answer: (req: IncomingMessage, res: ServerResponse) => boolean
): Promise<NewsProxy> => {
  const pass = (req: IncomingMessage, res: ServerResponse) => {
    const { headers, method, url: path } = req
    const on = request({ host: "127.0.0.1", port, method, path, headers }, (from) => {
      res.writeHead(from.statusCode ?? 502, from.headers)
      from.pipe(res)
    })
    on.once("error", () => res.destroy())
    res.once("close", () => on.destroy())
    req.pipe(on)
  }
  const server = createServer((req, res) => {
    if (!answer(req, res)) pass(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
