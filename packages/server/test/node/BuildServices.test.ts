import { createServer } from "node:http"
import type { AddressInfo, LookupFunction } from "node:net"
import { publicLookup } from "@pawl/adapters-local/webhooks/PublicLookup"
import * as BuildService from "@pawl/core/release/BuildService"
import { TargetProbeClient } from "@pawl/core/release/TargetProbeClient"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import * as BuildServices from "@pawl/server/node/BuildServices"
import * as Options from "@pawl/server/node/Options"

const token = "cf-token-of-the-test"
const target = { workerName: "shop", workerTag: "tag" }
const both = { buildsApiToken: token, buildsAccountId: "abc123" }
const read = (given: Readonly<Record<string, string>>) => Effect.runPromise(Effect.result(Options.read(given)))

describe("The build service of a server", () => {
  it("is there when both its token and its account are named, and the token is never shown", async () => {
    const options = await read(both)
    expect(options).toMatchObject({
      success: { buildService: { accountId: "abc123", apiUrl: "https://api.cloudflare.com/client/v4" } }
    })
    expect(JSON.stringify(options)).not.toContain(token)
    const elsewhere = await read({ ...both, buildsApiUrl: "http://127.0.0.1:9/v4/" })
    expect(elsewhere).toMatchObject({ success: { buildService: { apiUrl: "http://127.0.0.1:9/v4" } } })
  })

  it("is refused in half, and with what cannot be an account or a URL, without naming the token", async () => {
    const refused = [
      { buildsApiToken: token },
      { buildsAccountId: "abc123" },
      { ...both, buildsAccountId: "../x" },
      { ...both, buildsApiUrl: "ftp://a.b" },
      { ...both, buildsApiUrl: "nowhere" }
    ]
    for (const given of refused) {
      const options = await read(given)
      expect(options).toMatchObject({ _tag: "Failure", failure: { _tag: "InvalidOptions" } })
      expect(JSON.stringify(options)).toMatch(/builds(ApiToken|AccountId|ApiUrl)/)
      expect(JSON.stringify(options)).not.toContain(token)
    }
  })

  it("says that there is none when it is not set up", async () => {
    expect(await read({})).toMatchObject({ success: { buildService: null } })
    const asked = Effect.flatMap(BuildService.BuildService, (service) => Effect.flip(service.builds(target, "c"))).pipe(
      Effect.provide(BuildServices.layer(null))
    )
    expect(await Effect.runPromise(asked)).toMatchObject({ _tag: "BuildServiceMissing" })
  })

  it("is asked beside probes that go to no name of a private address", async () => {
    let asked = 0
    const server = createServer((_request, response) => response.end(`${++asked}`))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://target.example:${(server.address() as AddressInfo).port}`
    const here = publicLookup((_host, done) => done(null, [{ address: "127.0.0.1", family: 4 }]))
    const open: LookupFunction = (_host, options, done) =>
      options.all === true ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4)
    const probed = (lookup: LookupFunction) =>
      Effect.flatMap(TargetProbeClient, (client) => client.get({ url, path: "/", timeoutMs: 10_000 })).pipe(
        Effect.result,
        Effect.provide(BuildServices.layer(null, lookup)),
        Effect.runPromise
      )
    expect(await probed(here)).toMatchObject({ failure: { _tag: "ProbeUnanswered" } })
    expect(asked).toBe(0)
    // The same with a look-up that judges nothing: it is the look-up that keeps the probe away.
    expect(await probed(open)).toMatchObject({ success: { status: 200 } })
    await new Promise((resolve) => server.close(resolve))
  })

  it("is Cloudflare's when an account is given", async () => {
    const account = { accountId: "abc123", token: Redacted.make(token), apiUrl: "http://127.0.0.1:1" }
    const asked = Effect.flatMap(BuildService.BuildService, (service) => Effect.flip(service.builds(target, "c"))).pipe(
      Effect.provide(BuildServices.layer(account))
    )
    expect(await Effect.runPromise(asked)).toMatchObject({
      _tag: "BuildServiceUnavailable",
      reason: "it cannot be reached"
    })
  })
})
