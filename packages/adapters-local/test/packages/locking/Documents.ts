/** A registry on loopback that has documents of packages and no archives: enough for locks. */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"

/** A version's package.json; what is not given is made up. */
export type Version = Readonly<Record<string, unknown>>
/** Versions by name and number. */
export type Documents = Readonly<Record<string, Readonly<Record<string, Version>>>>

export const integrityFor = (name: string, version: string): string =>
  `sha512-${createHash("sha512").update(`${name}@${version}`).digest("base64")}`

const documentOf = (host: string, name: string, versions: Documents[string]) => {
  const numbers = Object.keys(versions)
  return {
    name,
    "dist-tags": { latest: numbers.at(-1) },
    versions: Object.fromEntries(
      numbers.map((version) => [
        version,
        {
          name,
          version,
          ...versions[version],
          dist: { tarball: `http://${host}/${name}/-/x-${version}.tgz`, integrity: integrityFor(name, version) }
        }
      ])
    )
  }
}

export interface Registry {
  readonly url: string
  /** The names that were asked for. */
  readonly asked: ReadonlyArray<string>
}

/** Serves documents, or what `instead` does with a question; true says that it was answered. */
export const registryOf = (
  documents: Documents,
  instead: (name: string, response: ServerResponse, request: IncomingMessage) => boolean = () => false
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const asked: Array<string> = []
        const server = createServer((request, response) => {
          const name = decodeURIComponent((request.url ?? "").slice(1))
          asked.push(name)
          if (instead(name, response, request)) return
          const versions = Object.hasOwn(documents, name) ? documents[name] : undefined
          response.statusCode = versions === undefined ? 404 : 200
          response.end(
            JSON.stringify(versions === undefined ? {} : documentOf(request.headers.host ?? "", name, versions))
          )
        })
        await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        return { server, asked, url: `http://127.0.0.1:${port}/` }
      }),
      ({ server }) =>
        Effect.promise(
          () =>
            new Promise<void>((closed) => {
              server.closeAllConnections()
              server.close(() => closed())
            })
        )
    ),
    ({ asked, url }): Registry => ({ asked, url })
  )
