import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { verifies } from "@pawl/core/provenance/PublicKeys"
import { base64Bytes } from "@pawl/core/primitives/StrictBase64"
import { preAuthentication } from "@pawl/core/provenance/Envelope"
import { newPasskey } from "@pawl/testing/tools/SoftwareAuthenticator"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

let api: Api
let id: string

beforeAll(async () => {
  api = await startApi()
  id = (await newProject(api, "stated")).id
  const { candidateId } = await newCandidate(api, id, "one", { "src/index.js": "export default {}" })
  await api.call("POST", `/v1/candidates/${candidateId}/promote`)
  await api.settle()
})
afterAll(() => api.close())

const payloadOf = (envelope: { readonly payload: string }) =>
  JSON.parse(Buffer.from(envelope.payload, "base64").toString())

describe("Statements over HTTP", () => {
  it("are envelopes of each generation's promotion that the public key verifies", async () => {
    const keys = await api.call("GET", "/v1/keys", { token: null })
    const current = keys.body.keys.find((each: { use: string }) => each.use === "statement")
    for (const n of [0, 1]) {
      const answer = await api.call("GET", `/v1/projects/${id}/versions/${n}/statement`)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/vnd.dsse.envelope+json"])
      expect(payloadOf(answer.body).predicate).toMatchObject({ generation: n, project: id })
      const [{ keyid, sig }] = answer.body.signatures
      expect(keyid).toBe(current.keyid)
      const message = preAuthentication(Uint8Array.from(Buffer.from(answer.body.payload, "base64")))
      expect(await Effect.runPromise(verifies(current, message, base64Bytes(sig)!))).toBe(true)
    }
    for (const n of ["2", "x", "00"])
      expectProblem(await api.call("GET", `/v1/projects/${id}/versions/${n}/statement`), 404, "unknown_version")
  })

  it("are a whole chain, line by line, from any entry on", async () => {
    const all = await api.call("GET", `/v1/projects/${id}/statements`)
    expect(all.headers.get("content-type")).toBe("application/vnd.in-toto.bundle")
    const entries = all.text
      .trimEnd()
      .split("\n")
      .map((line) => payloadOf(JSON.parse(line)).predicate.entry)
    expect(entries.length).toBeGreaterThan(2)
    expect(entries).toEqual(entries.map((_, at) => at))
    const last = entries.length - 1
    const rest = await api.call("GET", `/v1/projects/${id}/statements?after=${last - 1}`)
    expect(payloadOf(JSON.parse(rest.text)).predicate.entry).toBe(last)
    expect((await api.call("GET", `/v1/projects/${id}/statements?after=${last}`)).text).toBe("")
    expect((await api.call("GET", `/v1/projects/${id}/statements?after=x`)).status).toBe(400)
  })

  it("have a checkpoint, a signed note, once something is signed", async () => {
    const note = await api.call("GET", `/v1/projects/${id}/checkpoint`)
    expect(note.status).toBe(200)
    expect(note.text).toMatch(
      new RegExp(`^localhost/log/${id}\\n[1-9]\\d*\\n[A-Za-z0-9+/=]{44}\\n\\n— localhost/log/${id} \\S+\\n$`)
    )
    const { body } = await api.call("POST", "/v1/projects", { body: { slug: "bare" } })
    expectProblem(await api.call("GET", `/v1/projects/${body.project.id}/checkpoint`), 404, "no_checkpoint")
  })

  it("come with the history of keys, for which nobody needs a token", async () => {
    const { body, status } = await api.call("GET", "/v1/keys", { token: null })
    expect(status).toBe(200)
    expect(body.keys.map((each: { use: string; state: string }) => [each.use, each.state])).toEqual([
      ["statement", "current"],
      ["log", "current"]
    ])
    expect(body.history.map((each: { payload: string }) => payloadOf(each).predicate.keyid)).toEqual(
      body.keys.map((each: { keyid: string }) => each.keyid)
    )
    expect(JSON.stringify(body)).not.toContain("PRIVATE")
  })

  it("tell who approves to those alone who may read, in a history whose links are whole", async () => {
    const passkey = await Effect.runPromise(newPasskey("localhost"))
    const { credential, publicKey, rpId } = passkey
    expect((await api.call("POST", "/v1/approvers", { body: { credential, publicKey, rpId } })).status).toBe(201)
    await api.settle()
    const asked = async (token?: string | null) => {
      const { body, status, text } = await api.call("GET", "/v1/keys", token === undefined ? {} : { token })
      expect(status).toBe(200)
      const kinds = body.history.map((each: { payload: string }) => payloadOf(each).predicateType.split(":")[3])
      const payloads = body.history.map((each: { payload: string }) => Buffer.from(each.payload, "base64").toString())
      return { kinds, text: text + payloads.join("") }
    }
    const narrow = await api.call("POST", "/v1/tokens", { body: { name: "narrow", scopes: ["write"] } })
    for (const stranger of [null, "pawl_nobody", narrow.body.token as string]) {
      const { kinds, text } = await asked(stranger)
      expect(kinds).toEqual(["key", "key"])
      expect(text).not.toMatch(/usr_/)
      expect(text).not.toContain(credential)
    }
    const { kinds, text } = await asked()
    expect(kinds).toEqual(["key", "key", "approver"])
    expect(text).toContain(credential)
  })
})
