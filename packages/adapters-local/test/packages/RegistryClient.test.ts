import * as Registry from "@pawl/testing/registry/LittleRegistry"
import { packageEntries, tgzOf } from "@pawl/testing/registry/Archives"
import { registryAddress } from "@pawl/adapters-local/packages/RegistryAddress"
import * as HttpRegistryClient from "@pawl/adapters-local/packages/HttpRegistryClient"
import type { RegistryClient } from "@pawl/adapters-local/packages/RegistryClient"
import * as RegistryFacts from "@pawl/adapters-local/packages/RegistryFacts"
import { Effect, Exit, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const packed = (name: string, version: string) => ({ name, version, archive: tgzOf(packageEntries(name, version)) })

let registry: Registry.LittleRegistry
beforeAll(async () => {
  registry = await Registry.open(packed("a", "1.0.0"), packed("@scope/b", "2.0.0-rc.1"), {
    ...packed("old", "1.0.0"),
    tarball: "https://registry.npmjs.org/elsewhere/old.tgz",
    manifest: { deprecated: "use\nnew", scripts: { postinstall: "node x.js" } },
    publishedAt: "2020-02-02T00:00:00.000Z"
  })
})
afterAll(() => registry.close())

const asking = <A, E>(use: (client: RegistryClient) => Effect.Effect<A, E>, times = {}) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const url = Result.getOrThrow(registryAddress(registry.url))
        return yield* use(yield* HttpRegistryClient.make({ registry: url, backoffMs: 1, ...times }))
      })
    )
  )

describe("A registry", () => {
  it("is asked for an archive where npm asks, with no credentials", async () => {
    const before = registry.asked().length
    for (const { archive, ...wanted } of [packed("a", "1.0.0"), packed("@scope/b", "2.0.0-rc.1")])
      expect(await asking((client) => client.archive(wanted))).toEqual(archive)
    const asked = registry.asked().slice(before)
    expect(asked.map(({ path }) => path)).toEqual(["/a/-/a-1.0.0.tgz", "/@scope/b/-/b-2.0.0-rc.1.tgz"])
    expect(asked.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /auth|cookie|npm/.test(name))).toEqual(
      []
    )
  })

  it("may keep an archive elsewhere on itself, and is asked there even when it names another host", async () => {
    const { archive } = packed("old", "1.0.0")
    registry.misbehave(({ path }, response) => {
      const isUsual = path === "/old/-/old-1.0.0.tgz"
      const isSaid = path === "/elsewhere/old.tgz"
      if (isUsual) response.writeHead(404).end()
      if (isSaid) response.writeHead(200).end(archive)
      return isUsual || isSaid
    })
    expect(await asking((client) => client.archive({ name: "old", version: "1.0.0" }))).toEqual(archive)
    registry.misbehave(null)
  })

  it("tells when versions came, which are deprecated and ask for scripts, and what is known against them", async () => {
    registry.advise({
      old: [
        { id: 7, title: "Old\nhole", severity: "high", url: "https://example.com/7", vulnerable_versions: "<2" },
        { id: 8, title: "Other", severity: "low", url: "javascript:alert(1)", vulnerable_versions: ">=3" }
      ]
    })
    const facts = (client: RegistryClient) =>
      Effect.gen(function* () {
        const ask = yield* RegistryFacts.make(client)
        const wanted = [
          { name: "old", version: "1.0.0" },
          { name: "unknown", version: "1.0.0" },
          { name: "a", version: "9.9.9" }
        ]
        const first = yield* ask(wanted)
        const count = registry.asked().length
        expect(yield* ask(wanted)).toEqual(first)
        expect(registry.asked().length).toBe(count)
        return first
      })
    expect(await asking(facts)).toEqual([
      {
        name: "old",
        version: "1.0.0",
        publishedAtMs: Date.parse("2020-02-02"),
        deprecated: "use new",
        installScript: true,
        advisories: [{ id: "7", title: "Old hole", severity: "high", url: "https://example.com/7" }]
      },
      { name: "unknown", version: "1.0.0", publishedAtMs: null, deprecated: null, installScript: null, advisories: [] },
      { name: "a", version: "9.9.9", publishedAtMs: null, deprecated: null, installScript: null, advisories: [] }
    ])
    registry.advise(null)
    const [old] = await asking((client) =>
      Effect.flatMap(RegistryFacts.make(client), (ask) => ask([{ name: "old", version: "1.0.0" }]))
    )
    expect(old?.advisories).toBeNull()
  })

  it("that fails to tell of advisories leaves them unknown, which is not none, and is asked again", async () => {
    const old = { name: "old", version: "1.0.0" }
    const answers = [503, 503, 503, 200].values()
    registry.advise({})
    registry.misbehave((request, response) => {
      if (!request.path.includes("advisories")) return false
      const status = answers.next().value
      if (status === undefined) return false
      response.writeHead(status).end("no JSON")
      return true
    })
    const said = await asking((client) =>
      Effect.flatMap(RegistryFacts.make(client), (ask) => Effect.all([ask([old]), ask([old]), ask([old]), ask([old])]))
    )
    registry.misbehave(null)
    expect(said.flat().map(({ advisories }) => advisories)).toEqual([null, null, [], []])
  })

  it("that cannot tell what it knows is asked later again, and what it says too much of has no facts", async () => {
    const old = { name: "old", version: "1.0.0" }
    const facts = () => asking((client) => Effect.flatMap(RegistryFacts.make(client), (ask) => Effect.exit(ask([old]))))
    const told = async (status: number, body: string | Buffer, headers = {}) => {
      registry.misbehave((_, response) => {
        response.writeHead(status, headers).end(body)
        return true
      })
      return await facts()
    }
    const unknown = { ...old, publishedAtMs: null, deprecated: null, installScript: null, advisories: null }
    for (const body of ["<!doctype html>", "[]", '{"time":', `{"x":${"[".repeat(100_000)}`])
      expect(Exit.isFailure(await told(200, body))).toBe(true)
    expect(Exit.isFailure(await told(503, ""))).toBe(true)
    for (const status of [404, 410]) expect(await told(status, "")).toEqual(Exit.succeed([unknown]))
    expect(await told(200, '{"time":{"1.0.0":7},"versions":[]}')).toEqual(
      Exit.succeed([{ ...unknown, advisories: [] }])
    )
    const flood = { "content-length": "999999999999" }
    expect(await told(200, "{}", flood)).toEqual(Exit.succeed([unknown]))
    registry.misbehave(null)
  })

  it("has an address without a user, a query or another scheme", () => {
    expect(Result.getOrThrow(registryAddress("https://registry.example/npm")).href).toBe(
      "https://registry.example/npm/"
    )
    for (const wrong of ["", "file:///npm", "https://me:secret@registry.example/", "https://registry.example/?a=b"]) {
      const read = registryAddress(wrong)
      expect(Result.isFailure(read) && !read.failure.includes("secret")).toBe(true)
    }
  })
})
