import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { keyPairOf } from "@pawl/adapters-local/signing/KeyFiles"
import { depth, slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { pawlKilledAt } from "../kit/Killed.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

/** It starts more servers, and many commands. */
const deeply = depth === "quick" ? [] : [depth]

const keyidIn = (text: string): string => /SHA256:[A-Za-z0-9+/]{43}/.exec(text)?.[0] ?? ""

/** Each file that a rotation changes and each commit: before it, the command dies. The log of the instance is one more to fence. */
const places = (["signing-key", "log-key"] as const).flatMap((name) =>
  Array.from({ length: name === "log-key" ? 7 : 6 }, (_, at) => ({ name, place: at + 1 }))
)

describe("pawl key beside a server and without one", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  const cut = join(folder.path, "cut")
  let server: ServerProcess
  let id: string
  let first: string
  let states = 0

  const key = (...args: ReadonlyArray<string>) => pawl(["key", ...args], { PAWL_DATA: data })
  /** Each look is of somebody who has seen nothing before. */
  const verified = (keys: string, what = data, ...more: ReadonlyArray<string>) =>
    pawl(["verify", what, "--key", keys, ...more], { XDG_STATE_HOME: join(folder.path, `state-${states++}`) })
  const good = (keys = first) =>
    Flow.until(
      () => verified(keys),
      ({ code }) => code === 0
    )
  const checkpoint = async () => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${server.origin}/v1/projects/${id}/checkpoint`, { headers })).text()
  }
  const policy = (tier: string) => server.api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: [tier] })
  const ownKey = (name: "signing-key" | "log-key", at = data) =>
    keyPairOf(readFileSync(join(at, name), "utf8"))?.shown.keyid ?? "no key"

  beforeAll(async () => {
    server = await startServer({ data })
    id = (await Flow.createProject(server.api, "keyed")).id
    await Flow.liveApp(server.api, id, 0)
    first = keyidIn((await key("show")).output)
    await good()
    await server.stop()
    cpSync(data, cut, { recursive: true })
    server = await startServer({ data })
  }, 300_000)
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("is told by the doctor of the data folder that is named, and of none elsewhere", async () => {
    expect((await pawl(["doctor", "--data", data], {})).output).toContain(`${first}; provenance`)
    const elsewhere = await pawl(["doctor", "--data", join(folder.path, "elsewhere")], {})
    expect(elsewhere.output).not.toContain("SHA256:")
  })

  it("puts another key in the place of the one that signs while a server runs, and who trusts the first follows", async () => {
    const { code, output } = await key("rotate")
    expect([code, output]).toEqual([0, expect.stringMatching(/^SHA256:\S{43} {2}signs from now on\n$/)])
    expect(ownKey("signing-key")).toBe(keyidIn(output))
    expect(existsSync(join(data, "rotation"))).toBe(false)
    await policy("high")
    await good()
    const shown = (await key("show")).output
    expect(shown).toMatch(new RegExp(`${first.replaceAll(/[+/]/g, ".")}  statement  ecdsa-p256-sha256  retired by`))
    expect(shown).toMatch(new RegExp(`${keyidIn(output).replaceAll(/[+/]/g, ".")}  statement .* current`))
  })

  it("puts another key in the place of the log's, and both old and new checkpoints are good", async () => {
    const before = await checkpoint()
    const old = ownKey("log-key")
    const { code, output } = await key("rotate", "--log")
    expect([code, output]).toEqual([0, expect.stringMatching(/^SHA256:\S{43} {2}makes checkpoints from now on\n$/)])
    expect([ownKey("log-key") === old, ownKey("log-key")]).toEqual([false, keyidIn(output)])
    const held = join(folder.path, "held")
    writeFileSync(held, before)
    await policy("medium")
    const size = (note: string) => Number(note.split("\n")[1])
    await Flow.until(checkpoint, (note) => size(note) > size(before))
    const seen = await Flow.until(
      () => verified(first, data, "--seen", held),
      ({ code: ended }) => ended === 0
    )
    expect(seen.output).toContain("4 keys")
    const served = await verified(first, server.origin, "--project", id, "--token", token)
    expect(served).toMatchObject({ code: 0, output: expect.stringContaining("4 keys") })
  })

  it.each([
    [["rotate", "--next", "signer"], "--next: name the command by its absolute path"],
    [["rotate", "--next", "/nowhere/signer"], "The signer is away"],
    [["revoke", "--since", "/nowhere"], "--since: /nowhere cannot be read"],
    [["reset", "--recovery", "/nowhere"], "--recovery: /nowhere cannot be read"]
  ])("says what is wrong, and changes nothing: %j", async (args, words) => {
    const before = [ownKey("signing-key"), ownKey("log-key")]
    const { code, output } = await key(...args)
    expect([code, output]).toEqual([2, expect.stringContaining(words)])
    expect([ownKey("signing-key"), ownKey("log-key")]).toEqual(before)
  })

  it.each(deeply)("says so where there is nothing to do, or the signer is a command: %s", async () => {
    expect(await key("epoch")).toMatchObject({ code: 0, output: expect.stringContaining("no log is ahead") })
    const empty = join(folder.path, "none")
    writeFileSync(empty, "no checkpoint\n")
    expect(await key("revoke", "--since", empty)).toMatchObject({
      code: 2,
      output: expect.stringContaining("--since: the file holds no checkpoint")
    })
    const command = { PAWL_DATA: data, PAWL_SIGNER: "command:/bin/false" }
    for (const [args, words] of [
      [["reset"], "set PAWL_SIGNER=file"],
      [["rotate"], "The signer is away"]
    ] as const)
      expect(await pawl(["key", ...args], command)).toMatchObject({ code: 2, output: expect.stringContaining(words) })
    const nowhere = await pawl(["key", "show"], { PAWL_DATA: join(folder.path, "nowhere") })
    expect(nowhere).toMatchObject({ code: 2, output: expect.stringContaining("name the data folder with --data") })
  })

  it.each(deeply)(
    "revokes a stolen key by a checkpoint that somebody held: what came later is signed anew: %s",
    async () => {
      const held = join(folder.path, "since")
      writeFileSync(held, await checkpoint())
      await policy("low")
      await good()
      const { code, output } = await key("revoke", "--since", held)
      expect([code, output]).toEqual([0, expect.stringContaining(`${id}  `)])
      expect((await key("show")).output).toContain("revoked by entry")
      await good()
      writeFileSync(held, await checkpoint())
      const revoked = await key("revoke", "--log", "--since", held)
      expect(revoked).toMatchObject({ code: 0, output: expect.stringContaining("did not hand over") })
      await policy("high")
      await good()
    }
  )

  it.each(deeply)("follows a recovery key, and after a break whoever was told of the new one: %s", async () => {
    const made = await key("recovery")
    expect(made.code).toBe(0)
    const paper = join(folder.path, "paper")
    writeFileSync(paper, made.output.slice(made.output.indexOf("-----BEGIN")))
    await good()
    await server.stop()
    // No server runs: the commands write, and the next server signs.
    expect(await key("reset", "--recovery", join(data, "log-key"))).toMatchObject({
      code: 2,
      output: expect.stringContaining("this key was never introduced")
    })
    const reset = await key("reset", "--recovery", paper)
    expect([reset.code, ownKey("signing-key")]).toEqual([0, keyidIn(reset.output)])
    server = await startServer({ data })
    await policy("medium")
    await good()
    const broken = await key("reset")
    expect(broken).toMatchObject({ code: 0, output: expect.stringContaining("must be told to trust it") })
    await policy("low")
    const both = join(folder.path, "both")
    writeFileSync(both, `${first}\n${keyidIn(broken.output)}\n`)
    await good(both)
    expect(await verified(first)).toMatchObject({ code: 1, output: expect.stringContaining("key_unknown") })
  })

  it.each(slice(places, { quick: 1 }))(
    "killed at a place of a rotation, leaves what verifies, and is done when it is asked for again: $name $place",
    async ({ name, place }) => {
      const copy = join(folder.path, `cut-${name}-${place}`)
      cpSync(cut, copy, { recursive: true })
      const own = { PAWL_DATA: copy }
      const args = ["key", "rotate", ...(name === "log-key" ? ["--log"] : [])]
      expect((await pawlKilledAt(place, folder.path, args, own)).code).toBeNull()
      expect(await verified(first, copy)).toMatchObject({ code: 0, output: expect.stringMatching(/ [23] keys/) })
      expect(ownKey(name, copy)).not.toBe("no key")
      const again = await pawl(args, own)
      expect([again.code, again.output]).toEqual([0, expect.stringContaining(ownKey(name, copy))])
      const shown = (await pawl(["key", "show"], own)).output
      expect(shown.match(/ current /g)).toHaveLength(2)
      expect(shown).toContain(`${ownKey(name, copy)}  `)
      expect(existsSync(join(copy, "rotation"))).toBe(false)
    }
  )

  it.each(deeply)("finishes at its next start a rotation that was cut short, and signs: %s", async () => {
    for (const place of [3, 5]) {
      const copy = join(folder.path, `started-${place}`)
      cpSync(cut, copy, { recursive: true })
      expect((await pawlKilledAt(place, folder.path, ["key", "rotate"], { PAWL_DATA: copy })).code).toBeNull()
      const shown = await pawl(["key", "show"], { PAWL_DATA: copy })
      expect(shown.output).toContain("is to follow: the rotation was cut short")
      const started = await startServer({ data: copy })
      await started.api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: ["high"] })
      await Flow.until(
        () => verified(first, copy),
        ({ code }) => code === 0
      )
      await started.stop()
      expect((await pawl(["key", "show"], { PAWL_DATA: copy })).output).toMatch(/retired by entry 2/)
    }
  })
})
