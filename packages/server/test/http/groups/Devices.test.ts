import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newUser, startApi } from "../TestApi.ts"

describe("A device that asks to be let in", () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.close())

  const offer = async (body: object = {}) => (await api.call("POST", "/v1/device", { token: null, body })).body
  const fetchToken = (deviceCode: string) => api.call("POST", "/v1/device/token", { token: null, body: { deviceCode } })
  const confirm = (userCode: string, ask: { readonly allow?: boolean; readonly token?: string } = {}) =>
    api.call("POST", "/v1/device/confirm", {
      ...(ask.token === undefined ? {} : { token: ask.token }),
      body: { userCode, ...(ask.allow === undefined ? {} : { allow: ask.allow }) }
    })

  it("is given a code for itself and one for a person, and where the person goes", async () => {
    const answer = await api.call("POST", "/v1/device", { token: null, body: { name: "a laptop" } })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        deviceCode: expect.stringMatching(/^[\w-]{43}$/),
        userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verificationUri: "http://pawl.test/device",
        verificationUriComplete: `http://pawl.test/device?code=${answer.body.userCode}`,
        expiresIn: 600,
        interval: 5
      }
    })
  })

  it("waits until somebody answers, and then fetches a token of theirs, once", async () => {
    const asked = await offer({ name: "a laptop" })
    const waiting = await fetchToken(asked.deviceCode)
    expectProblem(waiting, 400, "authorization_pending", { retryAfterSeconds: 5 })
    expect(waiting.headers.get("retry-after")).toBe("5")
    const person = await newUser(api, "Person")
    const said = await confirm(asked.userCode.toLowerCase().replace("-", " "), { token: person.token })
    expect(said).toMatchObject({ status: 200, body: { name: "a laptop", allowed: true } })
    const { body, status } = await fetchToken(asked.deviceCode)
    expect(status).toBe(200)
    expect((await api.call("GET", "/v1/me", { token: body.token })).body).toMatchObject({
      user: { id: person.id },
      token: { id: body.id, name: "a laptop" }
    })
    expectProblem(await fetchToken(asked.deviceCode), 400, "code_refused", { reason: "unknown" })
  })

  it("gets one token, however often it asks at the same time", async () => {
    const asked = await offer()
    await confirm(asked.userCode)
    const all = await Promise.all(Array.from({ length: 8 }, () => fetchToken(asked.deviceCode)))
    expect(all.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 400, 400, 400, 400, 400, 400, 400
    ])
  })

  it("gets nothing when the person says no, and is told so", async () => {
    const asked = await offer()
    expect((await confirm(asked.userCode, { allow: false })).body).toMatchObject({ allowed: false })
    expectProblem(await fetchToken(asked.deviceCode), 400, "access_denied")
    expectProblem(await confirm(asked.userCode), 400, "code_refused", { reason: "used" })
  })

  it("gets a token that can do no more, and lives no longer, than what the person asked with", async () => {
    const end = "2999-01-01T00:00:00.000Z"
    const made = await api.call("POST", "/v1/tokens", {
      body: { name: "narrow", scopes: ["read", "admin"], expiresAt: end }
    })
    const asked = await offer()
    await confirm(asked.userCode, { token: made.body.token })
    const { body } = await fetchToken(asked.deviceCode)
    expect((await api.call("GET", "/v1/me", { token: body.token })).body.token).toMatchObject({
      scopes: ["read", "admin"],
      expiresAt: end
    })
  })

  it("is not let in by a code that nobody was shown, nor by the person's code alone", async () => {
    expectProblem(await confirm("BBBB-BBBB"), 400, "code_refused", { reason: "unknown" })
    const asked = await offer()
    await confirm(asked.userCode)
    expectProblem(await fetchToken(asked.userCode), 400, "code_refused", { reason: "unknown" })
  })

  it("has a name that a token can have", async () => {
    expectProblem(
      await api.call("POST", "/v1/device", { token: null, body: { name: "x".repeat(101) } }),
      400,
      "invalid_field",
      { field: "name" }
    )
  })
})
