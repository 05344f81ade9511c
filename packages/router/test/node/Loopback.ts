/** A real server with the front before a small world, and clients that do what real ones do. */
import { createServer, request as httpRequest, type IncomingMessage, type RequestOptions, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import * as NodeFront from "../../src/node/NodeFront.ts"
import type { RouterOptions } from "../../src/Router.ts"
import { appsDomain, makeWorld, type SiteOptions } from "../World.ts"

export const startFront = async (site: SiteOptions = {}, options: Partial<RouterOptions> = {}) => {
  const world = await makeWorld(site, options)
  const front = await world.runtime.runPromise(NodeFront.make)
  const server = createServer(NodeFront.serverOptions)
  NodeFront.attach(server, front)
  const port = await listen(server)
  return { ...world, server, port, ...clients(port), close: () => closeServer(server) }
}

export const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))

export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

const host = `shop.${appsDomain}`

const clients = (port: number) => ({
  /** The request, for a test that writes or destroys it, and the response when it comes. */
  open: (options: RequestOptions = {}) => {
    const request = httpRequest({ port, host: "127.0.0.1", ...options, headers: { host, ...options.headers } })
    const response = new Promise<IncomingMessage>((resolve, reject) =>
      request.on("response", resolve).on("error", reject)
    )
    response.catch(() => undefined)
    return { request, response }
  },
  /** Sends raw bytes and answers all that comes back until the server closes or `until` is seen. */
  raw: (bytes: string, until?: RegExp): Promise<string> =>
    new Promise((resolve) => {
      const socket: Socket = connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"))
      let received = ""
      socket.on("data", (data) => {
        received += data.toString("latin1")
        if (until?.test(received) === true) socket.destroy()
      })
      socket.on("error", () => undefined)
      socket.on("close", () => resolve(received))
    })
})

export const wholeOf = async (message: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
