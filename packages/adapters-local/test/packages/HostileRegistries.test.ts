import * as Registry from "@pawl/testing/registry/LittleRegistry"
import { packageEntries, tgzOf } from "@pawl/testing/registry/Archives"
import { redirected, registryAddress, wrongPackage } from "@pawl/adapters-local/packages/RegistryAddress"
import * as RegistryClient from "@pawl/adapters-local/packages/RegistryClient"
import { registryTimes } from "@pawl/adapters-local/packages/RegistryRequest"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hostileRegistries } from "./HostileRegistries.ts"

const evil = { name: "evil", version: "1.0.0", archive: tgzOf(packageEntries("evil", "1.0.0")) }
const impatient = { connectMs: 5_000, firstByteMs: 100, pauseMs: 100, wholeMs: 300 }

let registry: Registry.LittleRegistry
beforeAll(async () => {
  registry = await Registry.open(evil)
})
afterAll(() => registry.close())

const archive = (times = registryTimes) =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = Result.getOrThrow(registryAddress(registry.url))
      const client = yield* RegistryClient.make({ registry: url, backoffMs: 1, times })
      return yield* client.archive(evil)
    })
  )

describe("The client of", () => {
  // Those that are refused for good are tried with the whole store, in HostilePackages.
  const passing = hostileRegistries.filter(({ code }) => code === null)
  it.each(passing)("a registry $title tells so, and goes on", async ({ misbehaves, says, waits }) => {
    registry.misbehave(misbehaves)
    const failed = await Effect.runPromise(Effect.flip(archive(waits === true ? impatient : registryTimes)))
    registry.misbehave(null)
    expect(failed._tag).toBe("PackagesUnavailable")
    expect(failed.message).toMatch(says)
    expect(failed.message).toContain("evil")
    expect(Buffer.from(await Effect.runPromise(archive()))).toEqual(evil.archive)
  })

  it("a registry asks again after what passes, and only then", async () => {
    const triesOf = async (status: number): Promise<number> => {
      const before = registry.asked().length
      registry.misbehave((_, response) => {
        response.writeHead(status).end()
        return true
      })
      await Effect.runPromise(Effect.flip(archive()))
      return registry.asked().length - before
    }
    expect([await triesOf(503), await triesOf(429), await triesOf(403), await triesOf(304)]).toEqual([3, 3, 1, 1])
    let left = 2
    registry.misbehave((_, response) => {
      if (left-- <= 0) return false
      response.destroy()
      return true
    })
    expect(Buffer.from(await Effect.runPromise(archive()))).toEqual(evil.archive)
    registry.misbehave(null)
  })

  it("a registry sends what it is to the registry alone: an address of this machine elsewhere is never visited", async () => {
    const other = await Registry.open()
    registry.misbehave((_, response) => {
      response.writeHead(307, { location: `${other.url}secret` }).end()
      return true
    })
    await Effect.runPromise(Effect.flip(archive()))
    registry.misbehave(null)
    expect(other.asked()).toEqual([])
    await other.close()
  })

  it("a registry connects to no name that stands for this machine, whatever it stood for before", async () => {
    const url = Result.getOrThrow(registryAddress(registry.url))
    const { port } = url
    registry.misbehave((_, response) => {
      response.writeHead(302, { location: `http://files.example.com:${port}/x.tgz` }).end()
      return true
    })
    const looked: Array<string> = []
    const before = registry.asked().length
    const failed = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const client = yield* RegistryClient.make({
            registry: url,
            resolve: (host, done) => {
              looked.push(host)
              done(null, [
                { address: "93.184.215.14", family: 4 },
                { address: "127.0.0.1", family: 4 }
              ])
            }
          })
          return yield* Effect.flip(client.archive(evil))
        })
      )
    )
    registry.misbehave(null)
    expect(failed.message).toMatch(/leads to an address that is not public/)
    expect([looked, registry.asked().length - before]).toEqual([["files.example.com"], 1])
  })

  it("a registry follows it to public places, and never from https to http", () => {
    const own = new URL("https://registry.example.com/npm/")
    const led = (location: string, from = own) =>
      Result.match(redirected(own, from, location), { onSuccess: ({ href }) => href, onFailure: (words) => words })
    expect(led("https://files.example.org/x.tgz#y")).toBe("https://files.example.org/x.tgz")
    expect(led("/other/x.tgz")).toBe("https://registry.example.com/other/x.tgz")
    expect(led("http://files.example.org/x.tgz")).toBe("from https to http")
    expect(led("http://registry.example.com/x.tgz")).toBe("from https to http")
    expect(led("https://192.168.1.1/x.tgz", new URL("https://files.example.org/"))).toBe(
      "to an address that is not public"
    )
  })

  it("a registry asks for nothing whose name leads out of its own address", async () => {
    const before = registry.asked().length
    const names = [
      "../x",
      "a/../b",
      "@a/../b",
      "..",
      ".x",
      "/etc",
      "a b",
      "a%2fb",
      "a?b",
      "a#b",
      "@a/b/c",
      "node_modules",
      ""
    ]
    for (const name of names) expect(wrongPackage({ name, version: "1.0.0" })).toBe("is no name of a package")
    for (const version of ["latest", "^1.0.0", "1.0.0/../x", " 1.0.0", "v1.0.0", ""])
      expect(wrongPackage({ name: "a", version })).toBe("has no exact version")
    for (const name of ["JSONStream", "@types/node", "lodash.merge", "a~b"])
      expect(wrongPackage({ name, version: "1.0.0-rc.1" })).toBe(null)
    expect(registry.asked().length).toBe(before)
  })
})
