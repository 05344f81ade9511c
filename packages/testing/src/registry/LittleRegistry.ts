/**
 * A little npm registry over real HTTP on loopback, with the packages that a test gives it. What it answers can be taken
 * over, request by request, by a test that wants it to lie, hang or break off.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import { integrityOf } from "./Archives.ts"

/** One version that the registry has. */
export interface PublishedPackage {
  readonly name: string
  readonly version: string
  readonly archive: Uint8Array
  /** What its packument says beside name and version: `dependencies`, `bin`, `deprecated`, … */
  readonly manifest?: Readonly<Record<string, unknown>>
  /** Default 2024-01-01. */
  readonly publishedAt?: string
  /** Where the packument says that its archive is. Default: where npm looks. */
  readonly tarball?: string
}

/** What was asked. */
export interface RegistryRequest {
  readonly method: string
  /** With the query, as it came. */
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  /** Unpacked. */
  readonly body: string
}

/** Answers a request in the registry's place; `false` leaves it to the registry. */
export type Misbehaviour = (request: RegistryRequest, response: ServerResponse) => boolean

/** A registry that runs. */
export interface LittleRegistry {
  /** `http://127.0.0.1:<port>/`. */
  readonly url: string
  /** Every request so far, first to last. */
  readonly asked: () => ReadonlyArray<RegistryRequest>
  readonly publish: (...packages: ReadonlyArray<PublishedPackage>) => void
  /** What it tells of advisories, by name of the package, as npm has them; null: it has no such answer. */
  readonly advise: (advisories: Readonly<Record<string, ReadonlyArray<unknown>>> | null) => void
  /** From now on; `null` for a registry that behaves. */
  readonly misbehave: (how: Misbehaviour | null) => void
  /** Ends it, and every request that waits. */
  readonly close: () => Promise<void>
}

const fileOf = ({ name, version }: PublishedPackage): string =>
  `${name}/-/${name.slice(name.indexOf("/") + 1)}-${version}.tgz`

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part as Buffer)
  const body = Buffer.concat(parts)
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString("utf8")
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

const packumentOf = (url: string, versions: ReadonlyArray<PublishedPackage>, isFull: boolean) => {
  const [{ name }] = versions as [PublishedPackage]
  const dates = versions.map(({ publishedAt = "2024-01-01T00:00:00.000Z", version }) => [version, publishedAt])
  return {
    name,
    "dist-tags": { latest: versions.at(-1)?.version },
    versions: Object.fromEntries(
      versions.map((each) => [
        each.version,
        {
          name,
          version: each.version,
          ...each.manifest,
          dist: { tarball: each.tarball ?? `${url}${fileOf(each)}`, integrity: integrityOf(each.archive) }
        }
      ])
    ),
    ...(isFull ? { time: Object.fromEntries(dates) } : {})
  }
}

/** Begins to listen on loopback. */
export const open = async (...packages: ReadonlyArray<PublishedPackage>): Promise<LittleRegistry> => {
  const published = new Map<string, PublishedPackage>()
  const asked: Array<RegistryRequest> = []
  let advisories: Readonly<Record<string, ReadonlyArray<unknown>>> | null = null
  let misbehaviour: Misbehaviour | null = null
  let url = ""
  const publish: LittleRegistry["publish"] = (...more) => {
    for (const each of more) published.set(fileOf(each), each)
  }
  publish(...packages)

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = incoming.url ?? "/"
    const request = { method: incoming.method ?? "", path, headers: incoming.headers, body: await bodyOf(incoming) }
    asked.push(request)
    if (misbehaviour?.(request, response) === true) return
    if (path === "/-/npm/v1/security/advisories/bulk") {
      if (advisories === null || request.method !== "POST") return json(response, 404, { error: "not found" })
      const names = new Set(Object.keys(JSON.parse(request.body) as object))
      return json(response, 200, Object.fromEntries(Object.entries(advisories).filter(([name]) => names.has(name))))
    }
    const wanted = decodeURIComponent(path.slice(1))
    const one = published.get(wanted)
    if (one !== undefined) {
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": one.archive.length })
      return void response.end(one.archive)
    }
    const versions = [...published.values()].filter(({ name }) => name === wanted)
    if (versions.length === 0) return json(response, 404, { error: "not found" })
    const isFull = !String(incoming.headers.accept).includes("application/vnd.npm.install-v1+json")
    json(response, 200, packumentOf(url, versions, isFull))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    asked: () => asked,
    publish,
    advise: (next) => {
      advisories = next
    },
    misbehave: (next) => {
      misbehaviour = next
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
  }
}
