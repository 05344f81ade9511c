/**
 * The only registry that pnpm sees: on loopback, at a path that nobody can guess, for the time of one lock. It gives
 * documents of packages and no archives, and it is what pnpm is told to reach every other host by: it leads nowhere.
 */
import { randomBytes } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import { foreignSource } from "@pawl/core/packages/PackageNames"
import { type Fields, isFields, own } from "./PackageFields.ts"
import type { Packument } from "./Packuments.ts"

/** What stands for a package that no registry has: it is asked for by this name, and there is no such package. */
export const foreignPackage = "@pawl.invalid/foreign"

/** A registry for one lock. */
export interface PnpmRegistry {
  /** With the path, ending in a slash. */
  readonly url: string
  /** Of the server alone, for whatever is no registry. */
  readonly deadEnd: string
  readonly close: () => void
}

const unscoped = (name: string): string => name.slice(name.indexOf("/") + 1)

const onlyRegistry = (ranges: unknown): Fields =>
  Object.fromEntries(
    Object.entries(isFields(ranges) ? ranges : {}).map(([name, range]) => [
      name,
      foreignSource(String(range)) === null ? range : `npm:${foreignPackage}@1.0.0`
    ])
  )

/** A version as pnpm is told of it: its archive is where every registry has it, and it needs packages of registries. */
const told = (url: string, name: string, version: string, fields: Fields): Fields => {
  const dist = own(fields, "dist")
  const sums = isFields(dist) ? dist : {}
  const kinds = ["dependencies", "optionalDependencies"].filter((kind) => Object.hasOwn(fields, kind))
  return {
    ...fields,
    ...Object.fromEntries(kinds.map((kind) => [kind, onlyRegistry(own(fields, kind))])),
    dist: { ...sums, tarball: `${url}${name}/-/${unscoped(name)}-${version}.tgz` }
  }
}

const documentOf = (url: string, { name, versions, ...document }: Packument): string =>
  JSON.stringify({
    name,
    ...document,
    versions: Object.fromEntries(
      Object.entries(versions).map(([version, fields]) => [version, told(url, name, version, fields)])
    )
  })

const end = (response: ServerResponse, status: number, body = "{}"): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(body)
}

/** Opens a registry that asks `find` for a package's document; what fails there is no package of it. */
export const openPnpmRegistry = async (find: (name: string) => Promise<Packument>): Promise<PnpmRegistry> => {
  const path = `/${randomBytes(16).toString("hex")}/`
  let url = ""
  const server = createServer((request, response) => {
    const asked = request.url ?? ""
    if (request.method !== "GET" || !asked.startsWith(path)) return end(response, 403)
    const name = decodeURIComponent(asked.slice(path.length))
    if (name === foreignPackage) return end(response, 404)
    find(name).then(
      (document) => end(response, 200, documentOf(url, document)),
      (error: unknown) => end(response, error instanceof Error && "code" in error && error.code === "E404" ? 404 : 503)
    )
  })
  server.on("connect", (_, socket) => socket.destroy())
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  const deadEnd = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
  url = `${deadEnd.slice(0, -1)}${path}`
  return { url, deadEnd, close: () => void server.close() }
}
