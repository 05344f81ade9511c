import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { depth } from "@pawl/testing/Depth"
import { makeKey } from "@pawl/adapters-local/signing/KeyFiles"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { gitClient, gitUrl } from "../kit/GitClient.ts"
import { visit } from "../kit/Visit.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

/** An operator's signer: openssl's work by node, and away while there is a file that says so. */
const program = (folder: string) => `#!${process.execPath}
const { createPrivateKey, createPublicKey, sign } = require("node:crypto")
const { existsSync, readFileSync } = require("node:fs")
if (existsSync(${JSON.stringify(join(folder, "away"))})) process.exit(1)
const [what, use] = process.argv.slice(2)
const key = createPrivateKey(readFileSync(${JSON.stringify(join(folder, "signing-key"))}))
if (what === "public" && use === "statement")
  process.stdout.write(createPublicKey(key).export({ type: "spki", format: "pem" }))
if (what === "sign") console.log(sign("sha256", readFileSync(0), key).toString("base64"))
`

/** It starts two more servers, and commands beside them. */
const deeply = depth === "quick" ? [] : [depth]

describe("A server whose statements a command signs", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  const path = join(folder.path, "signer")
  const environment = { PAWL_SIGNER: `command:${path}`, PAWL_PROVENANCE: "warn", PAWL_PROVENANCE_PUBLIC: "full" }
  const client = gitClient(join(folder.path, "people"))
  let server: ServerProcess
  let id: string

  const key = async (...args: ReadonlyArray<string>) =>
    (await pawl(["key", ...args], { PAWL_DATA: data, ...environment })).output
  const statement = (n: number) =>
    fetch(`${server.origin}/v1/projects/${id}/versions/${n}/statement`, {
      headers: { authorization: `Bearer ${token}` }
    })
  const checkpoint = async () => {
    const answer = await fetch(`${server.origin}/v1/projects/${id}/checkpoint`, {
      headers: { authorization: `Bearer ${token}` }
    })
    return answer.text()
  }
  const fetched = () =>
    client.run("clone", ["fetch", "-q", "origin", "refs/pawl/statements:refs/pawl/statements"]).then(({ code }) => code)

  beforeAll(async () => {
    makeKey(folder.path, "statement", "ecdsa-p256-sha256")
    writeFileSync(path, program(folder.path))
    chmodSync(path, 0o700)
    server = await startServer({ data, environment })
    id = (await Flow.createProject(server.api, "signed")).id
    await Flow.liveApp(server.api, id, 0)
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("promotes and releases while the signer is away, and has all signed once it is back", async () => {
    await Flow.until(
      () => statement(0),
      ({ status }) => status === 200
    )
    writeFileSync(join(folder.path, "away"), "")
    const change = await Flow.openChange(server.api, id, "one")
    await Flow.edit(server.api, change, { "public/hello.txt": "again\n" })
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    expect(await Flow.promote(server.api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 1 })
    await Flow.liveApp(server.api, id, 1)
    const unsigned = await statement(1)
    expect([unsigned.status, await unsigned.json()]).toMatchObject([409, { code: "statement_unsigned" }])
    const shown = await key("show")
    expect(shown).toMatch(new RegExp(`^${id}  not signed: \\d+ statements? since \\S+$`, "m"))
    expect(shown).toContain("The signer is away: the command of PAWL_SIGNER ended with 1")
    rmSync(join(folder.path, "away"))
    const signed = await Flow.until(
      () => statement(1),
      ({ status }) => status === 200
    )
    await Flow.until(
      () => key("show"),
      (text) => !text.includes("not signed")
    )
    expect((await signed.json()) as object).toMatchObject({
      signatures: [{ keyid: expect.stringContaining("SHA256:") }]
    })
  })

  it("publishes what is signed in a ref that git fetches, the keys beside it", async () => {
    expect((await client.clone(gitUrl(server.origin, id, token), "clone")).code).toBe(0)
    await Flow.until(fetched, (code) => code === 0)
    const files = await client.git("clone", "ls-tree", "-r", "--name-only", "refs/pawl/statements")
    expect(files.split("\n")).toEqual(
      expect.arrayContaining(["checkpoint", "keys.intoto.jsonl", "statements/00000/00000000.json"])
    )
    const note = await client.git("clone", "show", "refs/pawl/statements:checkpoint")
    expect(note).toContain(`localhost/log/${id}\n`)
    expect(await server.api.get("/v1/keys")).toMatchObject({ keys: [{ use: "statement" }, { use: "log" }] })
  })

  it("tells each checkpoint as an event, with the note that is answered for it and the one over the keys", async () => {
    interface Told {
      readonly type: string
      readonly subject: string
      readonly data: { readonly origin: string; readonly size: number; readonly root: string } & Record<string, unknown>
    }
    const told = async () => {
      const { items } = await server.api.get<{ items: ReadonlyArray<Told> }>(`/v1/projects/${id}/events?limit=100`)
      return items.filter(({ type }) => type === "checkpoint.published")
    }
    // What was signed last gets its checkpoint some 10 s later. The first of all may come before that of the keys.
    const [newest, note] = await Flow.until(
      async () => [(await told()).at(-1), await checkpoint()] as const,
      ([event, text]) => event !== undefined && event.data.size > 1 && event.data["checkpoint"] === text
    )
    const [origin, size, root] = note.split("\n")
    const keys = expect.stringMatching(/^localhost\/log\/instance\n/)
    expect(newest).toMatchObject({ subject: id, data: { origin, size: Number(size), root, keys } })
    const sizes = (await told()).map(({ data }) => data.size)
    expect(sizes).toEqual([...new Set(sizes)].sort((one, other) => one - other))
  })

  it("tells on the app's host what it serves, and names people to a member's token alone", async () => {
    const told = async (headers: Readonly<Record<string, string>> = {}) => {
      const { header, text } = await visit(server, "signed", "/__service/provenance.json", { headers })
      expect(header("cache-control")).toBe("no-store")
      // A checkpoint may be made meanwhile.
      const { checkpoint: _checkpoint, proof: _proof, ...rest } = JSON.parse(text) as Record<string, unknown>
      return rest
    }
    const said = await told()
    expect(said).toMatchObject({ project: id, generation: 1, mode: "warn", verdict: "verified" })
    expect(JSON.stringify(said)).not.toMatch(/usr_|"promotion"/)
    expect(await told({ authorization: "Bearer pawl_unknown" })).toEqual(said)
    const promotion = (await (await statement(1)).json()) as object
    expect(await told({ authorization: `Bearer ${token}` })).toMatchObject({ ...said, promotion })
  })

  it.each(deeply)(
    "releases nothing that is not signed where that is enforced, says that the signer is away, and goes on: %s",
    async () => {
      await server.stop()
      server = await startServer({ data, environment: { ...environment, PAWL_PROVENANCE: "enforce" } })
      const ready = async () => {
        const answer = await fetch(`${server.origin}/health/ready`)
        return `${answer.status} ${await answer.text()}`
      }
      await Flow.until(ready, (text) => text.startsWith("200"))
      writeFileSync(join(folder.path, "away"), "")
      const before = (await Flow.liveApp(server.api, id, 1)).generation
      const change = await Flow.openChange(server.api, id, "two")
      await Flow.edit(server.api, change, { "public/hello.txt": "enforced\n" })
      const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
      expect(await Flow.promote(server.api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 2 })
      expect(await Flow.until(ready, (text) => text.startsWith("503"))).toContain("signer")
      expect((await Flow.liveApp(server.api, id, 1)).generation).toBe(before)
      rmSync(join(folder.path, "away"))
      await Flow.liveApp(server.api, id, 2)
      await Flow.until(ready, (text) => text.startsWith("200"))
      await server.stop()
      server = await startServer({ data, environment })
    }
  )

  it.each(deeply)(
    "signs nothing of a database that was put back, until a new epoch says what is lost: %s",
    async () => {
      await server.stop()
      cpSync(join(data, "pawl.db"), join(folder.path, "pawl.db"))
      server = await startServer({ data, environment })
      const policy = (tier: string) => server.api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: [tier] })
      const size = async () => Number((await checkpoint()).split("\n")[1])
      const before = await size()
      await policy("high")
      await Flow.until(size, (now) => now > before)
      await server.stop()
      cpSync(join(folder.path, "pawl.db"), join(data, "pawl.db"))
      server = await startServer({ data, environment })
      await policy("medium")
      await Flow.until(
        () => key("show"),
        (text) => text.includes(`${id}  not signed: log_behind`)
      )
      expect(await key("epoch")).toMatch(/goes on in epoch 2: \d+ entries are lost/)
      await Flow.until(checkpoint, (note) => note.startsWith(`localhost/log/${id}/2\n`))
      expect(readFileSync(join(data, "heads", `${id}-2.json`), "utf8")).toContain(`/log/${id}/2`)
    }
  )
})
