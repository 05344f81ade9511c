import { mkdirSync, writeFileSync } from "node:fs"
import { slice } from "@pawl/testing/Depth"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { type UserCommand, userCommand } from "../kit/UserCommand.ts"
import * as Flow from "../kit/Flow.ts"

const home = temporaryFolder()
const data = temporaryFolder()
const elsewhere = temporaryFolder()
let server: ServerProcess
let operator: UserCommand
let project: string

beforeAll(async () => {
  server = await startServer({ data: data.path })
  operator = userCommand(home.path)
  project = (await Flow.createProject(server.api, "shop")).id
})
afterAll(async () => {
  await server.stop()
  for (const each of [home, data, elsewhere]) each.remove()
})

const escape = "\u001b"

/** The document that a command prints with `--json`, beside the exit code; without it the code is the same. */
const document = async (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) => {
  const environment = { PAWL_DATA: data.path, PAWL_URL: server.origin, PAWL_TOKEN: token, FORCE_COLOR: "1", ...more }
  const { code, stderr, stdout } = await operator.run([...args, "--json"], { environment })
  expect({ args, lines: stdout.trimEnd().split("\n").length, stdout, stderr }).toMatchObject({ lines: 1 })
  expect(stdout.includes(escape)).toBe(false)
  return { code, stderr, json: JSON.parse(stdout) }
}

describe("With --json operators' commands print one document", () => {
  it("of what they found: the machine, the database, users, tokens, keys, an audit, a backup", async () => {
    expect(await document(["doctor"])).toMatchObject({
      json: { findings: expect.arrayContaining([expect.objectContaining({ part: "git", state: "ok" })]) }
    })
    expect(await document(["migrate", "--check"])).toMatchObject({
      code: 0,
      json: { shape: { done: [], waiting: [] }, rights: null, next: [] }
    })
    expect(await document(["users", "list"])).toMatchObject({
      json: { items: [{ name: "Owner", organizations: [{ role: "owner" }] }] }
    })
    const tokens = await document(["tokens", "list"])
    expect(tokens.json.items[0]).toMatchObject({ id: expect.stringMatching(/^tok_/), revokedAt: null })
    expect(tokens.json.items[0]).not.toHaveProperty("hash")
    const keys = await document(["key", "show"])
    expect(keys.json).toMatchObject({ follows: null, unsigned: expect.any(Array) })
    expect(keys.json.keys.map(({ use }: { readonly use: string }) => use)).toContain("statement")
    expect(await document(["audit", project])).toMatchObject({
      code: 0,
      json: { audit: { projectId: project, generations: 1, findings: [] }, next: [] }
    })
    const place = join(elsewhere.path, "backup")
    const backup = await document(["backup", place])
    expect(backup.json).toMatchObject({ counts: { rows: expect.any(Number) }, keys: [] })
    expect(backup.json.digest).toMatch(/^[0-9a-f]{64}$/)
  })

  it("of what was done: a token that is made once, and one that is revoked", async () => {
    const made = await document(["tokens", "new"], { PAWL_DATA: data.path })
    expect(made).toMatchObject({ code: 0, json: { token: expect.stringMatching(/^pawl_/), next: [] } })
    const revoked = await document(["tokens", "revoke", made.json.id])
    expect(revoked.json.items).toMatchObject([{ id: made.json.id, revokedAt: expect.any(String) }])
    expect(JSON.stringify(revoked.json)).not.toContain(made.json.token)
  })

  it("of what they tell on the way too: an import, and one that goes on with a Project that never came to live", async () => {
    const folder = join(elsewhere.path, "site")
    mkdirSync(join(folder, "public"), { recursive: true })
    writeFileSync(join(folder, "wrangler.json"), '{"assets":{"directory":"public"}}')
    writeFileSync(join(folder, "public", "index.html"), "<h1>Here</h1>")
    const live = { app: { status: "live" }, next: [] }
    await server.api.post("/v1/projects", { slug: "begun" })
    for (const [slug, words] of [
      ["begun", "going on with it"],
      ["fresh", "2 file(s)"]
    ] as const) {
      const { code, json, stderr } = await document(["import", folder, "--slug", slug])
      expect({ code, json }).toMatchObject({ code: 0, json: live })
      expect(stderr).toContain(words)
    }
  })

  it("of a failure too: its code and words, which standard error has as well, and the same exit code", async () => {
    const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, code: string, exit: number]> = [
      [["audit", "proj_none"], "unknown_project", 2],
      [["users", "disable", "usr_none"], "unknown_user", 2],
      [["tokens", "revoke"], "invalid_field", 2],
      [["tokens", "revoke", "tok_none"], "unknown_token", 2],
      [["why", "cand_none", "--token", "pawl_nobody"], "unauthenticated", 2],
      [["key", "reset", "--recovery", "/nowhere/key"], "cannot_ask", 2],
      [["restore", elsewhere.path], "cannot_ask", 2],
      [["backup", data.path], "cannot_ask", 2],
      [["migrate", "--grant-router", "pawl_router"], "cannot_ask", 2],
      [["verify", join(elsewhere.path, "nothing")], "cannot_ask", 2],
      [["users", "own"], "usage", 2],
      [["audit", project, "--nope"], "usage", 2],
      [["migrate", "--config", "/nowhere.json"], "cannot_ask", 2]
    ]
    for (const [args, code, exit] of slice(cases, { quick: 4 })) {
      const failed = await document(args)
      expect({ args, ...failed }).toMatchObject({ code: exit, json: { code, next: expect.any(Array) } })
      expect(failed.json.detail.length).toBeGreaterThan(10)
      expect(failed.stderr).not.toBe("")
    }
    const away = await document(["audit", project], { PAWL_URL: "http://127.0.0.1:1" })
    expect(away).toMatchObject({ code: 2, json: { code: "cannot_ask" } })
  })
})
