/** A visitor of a live app. */
import { request } from "node:http"

export interface Visited {
  readonly status: number
  readonly type: string
  readonly header: (name: string) => string | undefined
  readonly text: string
}

export interface Visit {
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks the app of a slug. Node does not resolve `x.localhost`: it connects to the listener and names the host. */
export const visit = (
  server: { readonly port: number },
  slug: string,
  path: string,
  { body, headers, method }: Visit = {}
): Promise<Visited> =>
  new Promise((resolve, reject) => {
    const host = `${slug}.apps.localhost:${server.port}`
    const sent = request(
      { host: "127.0.0.1", port: server.port, path, method: method ?? "GET", headers: { host, ...headers } },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
        response.once("error", reject).once("end", () => {
          const header = (name: string) => response.headers[name]?.toString()
          resolve({ status: response.statusCode ?? 0, type: header("content-type") ?? "", header, text })
        })
      }
    )
    sent.once("error", reject).end(body)
  })
