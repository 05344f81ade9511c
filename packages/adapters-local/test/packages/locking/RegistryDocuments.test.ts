import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { integrityFor, registryOf } from "./Documents.ts"
import { documents, lock, needs, packagesOf, problemsOf, within } from "./LockKit.ts"

describe("A registry", () => {
  const broken = (given: Parameters<typeof registryOf>[1]) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(registryOf(documents, given), ({ url }) =>
          Effect.flip(lock(url, { manifest: needs({ a: "1" }) }))
        )
      )
    )

  it.each([500, 503, 429])("that answers %i makes locks wait", async (status) => {
    const error = await broken((_, response) => {
      response.statusCode = status
      response.end()
      return true
    })
    expect(error).toMatchObject({ _tag: "PackagesUnavailable" })
  })

  it("that fails for what could be done without makes locks wait all the same", () =>
    within(
      ({ url }) =>
        Effect.map(Effect.flip(lock(url, { manifest: needs({ optional: "1" }) })), (error) => {
          expect(error).toMatchObject({ _tag: "PackagesUnavailable" })
        }),
      documents,
      (name, response) => {
        if (name !== "linux") return false
        response.statusCode = 502
        response.end()
        return true
      }
    ))

  it("that says no JSON, or tells of another package, makes locks wait", async () => {
    for (const body of ["<html>", '{"name":"b","versions":{}}'])
      expect(
        await broken((_, response) => {
          response.end(body)
          return true
        })
      ).toMatchObject({ _tag: "PackagesUnavailable" })
  })

  it("that sends to another host is refused, and nobody goes there", () =>
    within((other) =>
      Effect.gen(function* () {
        const first = yield* registryOf(documents, (name, response) => {
          response.writeHead(302, { location: `${other.url}${name}` })
          response.end()
          return true
        })
        expect(yield* problemsOf(first.url, { manifest: needs({ a: "1" }) })).toEqual([
          expect.stringMatching(/^registry_redirects/)
        ])
        expect(other.asked).toEqual([])
      }).pipe(Effect.scoped)
    ))

  it("that announces gigabytes is refused, and the package is named", async () => {
    const error = await broken((_, response) => {
      response.writeHead(200, { "content-length": String(5 * 1024 ** 3) })
      response.write("{")
      return true
    })
    expect(error.message).toMatch(/a is longer than/)
  })

  it("that lies about packages gives nothing but packages of a registry", () =>
    within(
      ({ url }) =>
        Effect.map(lock(url, { manifest: needs({ liar: "1" }) }), (made) => {
          expect(packagesOf(made)["node_modules/liar"]).toEqual({
            version: "1.0.0",
            resolved: "https://registry.npmjs.org/liar/-/liar-1.0.0.tgz",
            integrity: integrityFor("liar", "1.0.0")
          })
        }),
      {
        liar: {
          "1.0.0": {
            name: "../../liar",
            _hasShrinkwrap: true,
            dependencies: { "../up": "1" },
            os: [{}],
            bin: [1],
            license: {}
          },
          "../../9": {}
        }
      }
    ))
})
