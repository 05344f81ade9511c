/** A collector of OTLP over HTTP on loopback: it decodes what it is sent, as JSON. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"

interface Keyed {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string; readonly boolValue?: boolean }
}

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<Keyed>
  readonly status: { readonly code: number }
}

interface Export {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Keyed> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<CollectedSpan> }>
  }>
}

export const attributesOf = (all: ReadonlyArray<Keyed>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    all.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)] as const)
  )

export interface Collector {
  readonly endpoint: string
  readonly spans: Array<CollectedSpan>
  /** Everything that came, as text. */
  readonly bodies: Array<string>
  readonly headers: Array<IncomingHttpHeaders>
  readonly paths: Array<string>
  readonly resources: Array<Readonly<Record<string, unknown>>>
  /** What it answers from now on. Default: 200. */
  status: number
  /** Resolves at the next request that has come whole. */
  readonly next: () => Promise<void>
  readonly close: () => Promise<void>
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

export const startCollector = async (port = 0): Promise<Collector> => {
  let waiting: Array<() => void> = []
  const server = createServer((req, res) => {
    const chunks: Array<Buffer> = []
    req.on("data", (chunk: Buffer) => void chunks.push(chunk))
    req.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      collector.paths.push(`${req.method} ${req.url}`)
      collector.headers.push(req.headers)
      if (collector.status === 200) {
        collector.bodies.push(body)
        for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
          collector.resources.push(attributesOf(resource.attributes))
          collector.spans.push(...scopeSpans.flatMap(({ spans }) => spans))
        }
      }
      res.writeHead(collector.status, { "content-type": "application/json" })
      res.end("{}")
      for (const ring of waiting) ring()
      waiting = []
    })
  })
  const taken = await listen(server, port)
  const collector: Collector = {
    endpoint: `http://127.0.0.1:${taken}`,
    spans: [],
    bodies: [],
    headers: [],
    paths: [],
    resources: [],
    status: 200,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
  return collector
}
