import { lookup as lookUp } from "node:dns/promises"
import { type LookupAddress } from "node:dns"
import { createServer, get } from "node:http"
import type { AddressInfo } from "node:net"
import fc from "fast-check"
import ipaddr from "ipaddr.js"
import { describe, expect, it } from "vitest"
import { notPublicCode, publicLookup } from "@pawl/adapters-local/webhooks/PublicLookup"
import { isPublicAddress } from "@pawl/core/primitives/OutboundAddress"

/** What a library says of an address; IPv4 in IPv6 is judged apart, by the addresses of the rule's own tests. */
const rangeOf = (text: string): string => ipaddr.parse(text).range()

describe("The rule of public addresses", () => {
  it("lets no IPv4 address pass that a library knows a special use of, and all others", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect([address, isPublicAddress(address)]).toEqual([address, rangeOf(address) === "unicast"])
      }),
      { numRuns: 5000 }
    )
    // Every network of 16 bits, at both its ends.
    for (let network = 0; network < 65_536; network++)
      for (const end of ["0.1", "255.254"]) {
        const address = `${network >> 8}.${network & 255}.${end}`
        if (rangeOf(address) !== "unicast" && isPublicAddress(address)) expect.fail(`${address} is ${rangeOf(address)}`)
      }
  })

  it("lets no IPv6 address pass that a library knows a special use of, however it is written", () => {
    const word = fc.oneof(fc.constantFrom(0, 0x2001, 0x2002, 0x2620, 0x4f, 0xdb8, 0xffff), fc.nat(0xffff))
    fc.assert(
      fc.property(fc.array(word, { minLength: 8, maxLength: 8 }), fc.boolean(), (words, short) => {
        const long = words.map((each) => each.toString(16)).join(":")
        const address = short ? ipaddr.parse(long).toString() : long
        if (isPublicAddress(address)) expect(["unicast", "ipv4Mapped", "rfc6052", "6to4"]).toContain(rangeOf(address))
        expect(isPublicAddress(address)).toBe(isPublicAddress(long))
      }),
      { numRuns: 5000 }
    )
  })
})

describe("A look-up for public addresses", () => {
  const open = { address: "8.8.8.8", family: 4 }
  const closed = { address: "127.0.0.1", family: 4 }
  const asked = (found: ReadonlyArray<LookupAddress>, all: boolean) =>
    new Promise((resolve) =>
      publicLookup((_host, done) => done(null, found))("name.example", { all }, (error, address) =>
        resolve(error?.code ?? address)
      )
    )

  it("answers when every address is public, and fails when one is not or there is none", async () => {
    expect(await asked([open], true)).toEqual([open])
    expect(await asked([open], false)).toBe("8.8.8.8")
    for (const found of [[open, closed], [closed], []])
      for (const all of [true, false]) expect(await asked(found, all)).toBe(notPublicCode)
  })

  it("keeps Node's own client from a name of this machine", async () => {
    const server = createServer((_request, response) => response.end("here"))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    expect((await lookUp("localhost")).address).toMatch(/^(127\.|::1)/)
    const outcome = await new Promise((resolve) =>
      get({ host: "localhost", port, lookup: publicLookup() }, () => resolve("connected")).on("error", (error) =>
        resolve("code" in error ? error.code : error)
      )
    )
    expect(outcome).toBe(notPublicCode)
    await new Promise((resolve) => server.close(resolve))
  })
})
