import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { depth } from "@pawl/testing/Depth"
import { answerOf, newPasskey, type Passkey } from "@pawl/testing/tools/SoftwareAuthenticator"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { codesIn, nothing, verdictOf, verifier } from "../kit/Verifying.ts"

/** It starts two more servers, and commands beside them. */
const deeply = depth === "quick" ? [] : [depth]
const tiers = ["low", "medium", "high", "unknown"]

describe("pawl verify, of histories as they become", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  const { judged, verify } = verifier(folder.path)
  let server: ServerProcess
  let id: string
  let first: string
  let owner: Passkey
  let generation = 0

  const key = async (...args: ReadonlyArray<string>) => (await pawl(["key", ...args, "--data", data], {})).output
  /** The key that signs now. */
  const newestKey = async () => {
    const { keys } = await server.api.get<{ keys: ReadonlyArray<{ keyid: string; use: string }> }>("/v1/keys")
    return keys.findLast(({ use }) => use === "statement")?.keyid ?? ""
  }
  /** A generation that a passkey has approved. */
  const promoted = async (text: string) => {
    const { api } = server
    const change = await Flow.openChange(api, id, text)
    await Flow.edit(api, change, { "public/hello.txt": `${text}\n` })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    const { challenge } = await api.get<{ challenge: string }>(
      `/v1/candidates/${candidate.id}/approval-challenge?decision=granted`
    )
    const passkey = await Effect.runPromise(answerOf(owner, challenge, `http://localhost:${server.port}`))
    await api.post(`/v1/changes/${change.id}/approve`, { candidateId: candidate.id, decision: "granted", passkey })
    await Flow.promote(api, candidate.id)
    generation++
    await Flow.liveApp(api, id, generation)
  }
  /** Everything signed, and the log with it. */
  const settled = (keys: string) =>
    Flow.until(
      () => verify(data, keys),
      ({ code, output }) => code === 0 && output.includes(`S0–S${generation} `)
    )

  beforeAll(async () => {
    server = await startServer({ data })
    const { api } = server
    id = (await Flow.createProject(api, "long")).id
    await Flow.liveApp(api, id, 0)
    first = /SHA256:[A-Za-z0-9+/]{43}/.exec(await key("show"))?.[0] ?? ""
    owner = await Effect.runPromise(newPasskey("localhost"))
    const { credential, publicKey, rpId } = owner
    await api.post("/v1/approvers", { credential, publicKey, rpId })
    await api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: tiers, approvalsSigned: tiers })
    await promoted("one")
  }, 300_000)
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("finds nothing where passkeys approved, and says who did", async () => {
    await settled(first)
    const verdict = await judged(data, first)
    expect(verdict.first.output).toContain("1 passkeys")
    expect(verdictOf(verdict)).toEqual(nothing)
    expect((await verify(data, first, "--generation", "1")).output).toMatch(/approved by usr_/)
  })

  it("follows a key that was rotated, from the first one on", async () => {
    expect(await key("rotate")).toContain("signs from now on")
    await promoted("two")
    await settled(first)
    expect(verdictOf(await judged(data, first))).toEqual(nothing)
    expect(codesIn(await verify(data, await newestKey()))).toContain("key_not_trusted")
  })

  it.each(deeply)(
    "says what a backup has lost that was put back, and takes it for no attack after pawl key epoch: %s",
    async () => {
      await server.stop()
      cpSync(join(data, "pawl.db"), join(folder.path, "pawl.db"))
      cpSync(join(data, "repositories"), join(folder.path, "repositories"), { recursive: true })
      server = await startServer({ data })
      const before = generation
      await promoted("lost")
      await settled(first)
      // What somebody else holds of it covers all that will be lost.
      const headers = { authorization: `Bearer ${token}` }
      const checkpoint = async () => (await fetch(`${server.origin}/v1/projects/${id}/checkpoint`, { headers })).text()
      const statements = Number(/(\d+) statements/.exec((await verify(data, first)).output)?.[1])
      const seen = join(folder.path, "seen")
      writeFileSync(seen, await Flow.until(checkpoint, (note) => Number(note.split("\n")[1]) === statements))
      await server.stop()
      cpSync(join(folder.path, "pawl.db"), join(data, "pawl.db"))
      cpSync(join(folder.path, "repositories"), join(data, "repositories"), { recursive: true })
      generation = before
      const put = await judged(data, first, "--seen", seen)
      expect(verdictOf(put)).toMatchObject({ codes: [1, 1, 1], agree: true })
      expect(verdictOf(put).found).toEqual(expect.arrayContaining(["log_behind", "statements_missing"]))
      expect(await key("epoch")).toMatch(/goes on in epoch 2: \d+ entries are lost/)
      server = await startServer({ data })
      await promoted("again")
      await settled(first)
      const after = await judged(data, first)
      expect(verdictOf(after)).toEqual({ codes: [0, 0, 0], found: ["epoch_begun"], agree: true })
      expect(after.first.output).toMatch(/epoch 2: entries \d+ to \d+ of before are lost/)
      const witness = await judged(data, first, "--seen", seen)
      expect(verdictOf(witness)).toEqual({ codes: [1, 1, 1], found: ["epoch_begun", "history_lost"], agree: true })
      expect((await verify(data, first, "--seen", seen, "--accept-restore")).code).toBe(0)
    }
  )

  it.each(deeply)("sees the break where a key was lost, and goes on for who was told the new one: %s", async () => {
    await server.stop()
    expect(await key("reset")).toContain("whoever verifies must be told to trust it")
    server = await startServer({ data })
    const next = await newestKey()
    await promoted("three")
    await settled(`${first} ${next}`)
    const verdict = await judged(data, `${first} ${next}`)
    expect(verdictOf(verdict)).toMatchObject({ codes: [0, 0, 0], agree: true })
    expect(codesIn(await verify(data, first))).toContain("key_unknown")
  })
})
