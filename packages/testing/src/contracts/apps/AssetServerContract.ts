/** What every AssetServer promises: an app's own files, whole, by GET and HEAD alone, and never anyone else's. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import type { AppResponse, AppVersion, BundleUnusable } from "@pawl/core/app/AppRuntime"
import { AssetServer } from "@pawl/core/app/AssetServer"

/** A server, and versions to ask it for. */
export interface AssetSite {
  readonly layer: Layer.Layer<AssetServer, unknown>
  /** The version that has the files. */
  readonly version: AppVersion
  /** A version whose bundle is not there. */
  readonly missing: AppVersion
}

/** How an adapter's test makes sites for this contract. */
export interface AssetServerFixture {
  /** A site of these files, by path without a leading slash; all else by default: no redirects needed, no 404 page. */
  readonly site: (files: Readonly<Record<string, Uint8Array>>) => Promise<AssetSite>
}

const bytesOf = async (response: AppResponse): Promise<ReadonlyArray<number>> => {
  const bytes: Array<number> = []
  for await (const piece of response.body ?? []) for (const byte of piece) bytes.push(byte)
  return bytes
}
const header = (response: AppResponse, name: string) => response.headers.find(([each]) => each === name)?.[1]

const files = {
  "a.txt": new TextEncoder().encode("0123456789"),
  "deep/er/ü b.bin": Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31) % 256),
  "empty.txt": new Uint8Array()
}

/** Declares the suite. Each of its tests makes a site of its own. */
export const assetServerContract = (name: string, fixture: AssetServerFixture): void => {
  type Fetch = (path: string, method?: string, other?: "missing") => Effect.Effect<AppResponse, BundleUnusable>
  const run = async (use: (fetch: Fetch) => Effect.Effect<void, BundleUnusable>): Promise<void> => {
    const site = await fixture.site(files)
    await Effect.flatMap(AssetServer, (server) =>
      use((path, method = "GET", other) =>
        server.fetch(other === undefined ? site.version : site.missing, {
          method,
          url: `https://assets.local${path}`,
          headers: [],
          body: null
        })
      )
    ).pipe(Effect.provide(site.layer), Effect.runPromise)
  }

  describe(`${name}: AssetServer`, () => {
    it("answers the very bytes of a file, whatever the query, as often as it is asked", () =>
      run((fetch) =>
        Effect.gen(function* () {
          for (const [path, body] of Object.entries(files))
            for (const query of ["", "?v=1"]) {
              const response = yield* fetch(`/${encodeURI(path)}${query}`)
              expect([response.status, header(response, "content-length")]).toEqual([200, String(body.length)])
              expect(yield* Effect.promise(() => bytesOf(response))).toEqual([...body])
            }
        })
      ))

    it("answers HEAD without a body, and refuses what would change a file", () =>
      run((fetch) =>
        Effect.gen(function* () {
          const head = yield* fetch("/a.txt", "HEAD")
          expect([head.status, head.body, header(head, "content-length")]).toEqual([200, null, "10"])
          for (const method of ["POST", "PUT", "DELETE"]) {
            const refused = yield* fetch("/a.txt", method)
            expect([refused.status, header(refused, "allow")]).toEqual([405, "GET, HEAD"])
          }
        })
      ))

    it("answers a bare 404 for what is not there, and for every way out of the assets", () =>
      run((fetch) =>
        Effect.gen(function* () {
          for (const path of ["/b.txt", "/A.TXT", "/deep", "/../bundle.json", "/%2e%2e/bundle.json", "/__proto__"]) {
            const response = yield* fetch(path)
            expect([path, response.status, yield* Effect.promise(() => bytesOf(response))]).toEqual([path, 404, []])
          }
        })
      ))

    it("says BundleUnusable of a version whose bundle is not there, and serves the others", () =>
      run((fetch) =>
        Effect.gen(function* () {
          expect(yield* Effect.flip(fetch("/a.txt", "GET", "missing"))).toMatchObject({
            _tag: "BundleUnusable",
            version: "missing"
          })
          expect((yield* fetch("/a.txt")).status).toBe(200)
        }).pipe(Effect.orDie)
      ))
  })
}
