import { Unauthenticated } from "@pawl/core/access/Tokens"
import { Effect, Redacted } from "effect"
import { SignJWT } from "jose"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ProviderUnavailable } from "../../../src/http/IdentityProvider.ts"
import * as OidcProvider from "../../../src/identity/OidcProvider.ts"
import { Issuer } from "./Issuer.ts"

describe("A provider's token", () => {
  const issuer = new Issuer()
  let verify: ReturnType<typeof OidcProvider.make>["verify"]
  const fresh = () =>
    OidcProvider.make({ issuer: issuer.url, audience: "pawl", client: null }, "http://localhost").verify
  beforeAll(async () => {
    await issuer.start()
    verify = fresh()
  })
  afterAll(() => issuer.stop())

  const judged = (token: string, by = verify) => Effect.runPromise(Effect.flip(by(Redacted.make(token))))
  const accepted = (token: string, by = verify) => Effect.runPromise(by(Redacted.make(token)))
  const seconds = () => Math.floor(Date.now() / 1000)

  it.each(["RS256", "ES256"] as const)("counts when it is signed by %s, for us, now", async (alg) => {
    const exp = seconds() + 60
    const token = await issuer.token({ exp, name: "Jane", email: "jane@id.example" }, issuer.key(alg))
    expect(await accepted(token)).toEqual({
      issuer: issuer.url,
      subject: "248289761001",
      names: ["Jane", "jane@id.example"],
      endsAt: new Date(exp * 1000).toISOString()
    })
  })

  it("counts for one of several that it names as its audience", async () => {
    expect(await accepted(await issuer.token({ aud: ["other", "pawl"] }))).toMatchObject({ subject: "248289761001" })
  })

  it.each([
    ["has expired", "expired", () => ({ exp: seconds() - 60 })],
    ["does not count yet", "unverified", () => ({ nbf: seconds() + 600 })],
    ["is for somebody else", "unverified", () => ({ aud: "other" })],
    ["is for nobody", "unverified", () => ({ aud: undefined })],
    ["is of another issuer", "unverified", () => ({ iss: "https://id.example" })],
    ["says no end", "unverified", () => ({ exp: undefined })],
    ["says no subject", "unverified", () => ({ sub: undefined })]
  ] as const)("that %s does not count", async (_, reason, claims) => {
    expect(await judged(await issuer.token(claims()))).toEqual(new Unauthenticated({ reason }))
  })

  it("that is signed by nobody, by a secret, or by another algorithm does not count", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const claims = { iss: issuer.url, aud: "pawl", sub: "s", exp: seconds() + 60 }
    const bySecret = await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", kid: issuer.key().kid })
      .sign(Buffer.from(JSON.stringify(issuer.key().jwk)))
    for (const token of [
      `${part({ alg: "none" })}.${part(claims)}.`,
      `${part({ alg: "none" })}.${part(claims)}.AA`,
      `${part({ alg: "RS256", kid: issuer.key().kid })}.${part(claims)}.AA`,
      bySecret,
      "a.b.c"
    ])
      expect(await judged(token)).toEqual(new Unauthenticated({ reason: "unverified" }))
  })

  it("whose words were changed after it was signed does not count", async () => {
    const [head, , signature] = (await issuer.token()).split(".")
    const other = (await issuer.token({ sub: "somebody-else" })).split(".")[1]
    expect(await judged(`${head}.${other}.${signature}`)).toEqual(new Unauthenticated({ reason: "unverified" }))
  })

  it("that another key signed does not count, whatever key it names", async () => {
    const other = await new Issuer().start()
    const theirs = { ...other.key(), kid: issuer.key().kid }
    other.stop()
    expect(await judged(await issuer.token({}, theirs))).toEqual(new Unauthenticated({ reason: "unverified" }))
    const unknown = { ...other.key(), kid: "unknown" }
    expect(await judged(await issuer.token({}, unknown))).toEqual(new Unauthenticated({ reason: "unverified" }))
  })

  it("is judged by keys that were fetched once, and again when the provider signs with a new one", async () => {
    const by = fresh()
    const before = issuer.fetches
    for (let n = 0; n < 5; n++) await accepted(await issuer.token(), by)
    expect(issuer.fetches - before).toBe(1)
    const old = await issuer.token()
    await issuer.rotate()
    await accepted(await issuer.token(), by)
    expect(issuer.fetches - before).toBe(2)
    // The key that is published no more signed it.
    expect(await judged(old, by)).toEqual(new Unauthenticated({ reason: "unverified" }))
  })

  it("is nobody's fault while the provider cannot be asked, and counts again when it can", async () => {
    const by = fresh()
    issuer.isAway = true
    expect(await judged(await issuer.token(), by)).toBeInstanceOf(ProviderUnavailable)
    issuer.isAway = false
    expect(await accepted(await issuer.token(), by)).toMatchObject({ subject: "248289761001" })
  })
})
