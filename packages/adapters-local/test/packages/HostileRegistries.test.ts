import * as Registry from "@pawl/testing/registry/LittleRegistry"
import { packageEntries, tgzOf } from "@pawl/testing/registry/Archives"
import { redirected, registryAddress, wrongPackage } from "@pawl/adapters-local/packages/RegistryAddress"
import * as HttpRegistryClient from "@pawl/adapters-local/packages/HttpRegistryClient"
import { registryTimes } from "@pawl/adapters-local/packages/RegistryQuestion"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hostileRegistries } from "./HostileRegistries.ts"

const evil = { name: "evil", version: "1.0.0", archive: tgzOf(packageEntries("evil", "1.0.0")) }

let registry: Registry.LittleRegistry
beforeAll(async () => {
  registry = await Registry.open(evil)
})
afterAll(() => registry.close())

const archive = (times = registryTimes) =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = Result.getOrThrow(registryAddress(registry.url))
      const client = yield* HttpRegistryClient.make({ registry: url, backoffMs: 1, times })
      return yield* client.archive(evil)
    })
  )

describe("The client of", () => {
  // Those that are refused for good are tried with the whole store, in HostilePackages.
  const passing = hostileRegistries.filter(({ code }) => code === null)
  it.each(passing)("a registry $title tells so, and goes on", async ({ misbehaves, says, waits }) => {
    registry.misbehave(misbehaves)
    const failed = await Effect.runPromise(Effect.flip(archive({ ...registryTimes, ...waits })))
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

  it("a registry is followed within itself, and to no other host, public or not", () => {
    const own = new URL("https://registry.example.com/npm/")
    const led = (location: string) =>
      Result.match(redirected(own, own, location), { onSuccess: ({ href }) => href, onFailure: (words) => words })
    expect(led("/other/x.tgz#y")).toBe("https://registry.example.com/other/x.tgz")
    for (const location of [
      "https://files.example.org/x.tgz",
      "http://registry.example.com/x.tgz",
      "https://registry.example.com:8443/x.tgz",
      "https://192.168.1.1/x.tgz"
    ])
      expect(led(location)).toBe("to another host, and only itself is asked")
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
