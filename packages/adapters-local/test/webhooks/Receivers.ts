/** Receivers of webhooks on loopback that note what they were sent. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import { createServer as createSecureServer, type ServerOptions } from "node:https"
import type { AddressInfo } from "node:net"

export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly port: number
}

export interface Receiver {
  readonly port: number
  readonly arrived: ReadonlyArray<Arrived>
  readonly close: () => Promise<void>
}

/** Null never answers. */
export type Answering = (arrived: Arrived, count: number) => number | null

export const openReceiver = async (
  answering: Answering,
  options: {
    readonly host?: string
    readonly port?: number
    readonly tls?: ServerOptions
    readonly answerBytes?: number
  } = {}
): Promise<Receiver> => {
  const arrived: Array<Arrived> = []
  const server: Server = (options.tls === undefined ? createServer() : createSecureServer(options.tls)) as Server
  server.on("request", (request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (text: string) => (body += text))
    request.on("end", () => {
      const one: Arrived = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body,
        port: request.socket.localPort ?? 0
      }
      arrived.push(one)
      const status = answering(one, arrived.length)
      if (status === null) return
      response.writeHead(status, { location: "/other" })
      response.on("error", () => {})
      response.end("x".repeat(options.answerBytes ?? 2))
    })
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    arrived,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
