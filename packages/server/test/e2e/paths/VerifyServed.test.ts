import { execFileSync } from "node:child_process"
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canonicalJson, sha256AtOnce } from "@pawl/core/primitives/Digest"
import { slice } from "@pawl/testing/Depth"
import { forge, type Forged, statementAbout, stolenKeys } from "../hostile/Loot.ts"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { gitClient, gitUrl } from "../kit/GitClient.ts"
import { hostBefore } from "../kit/HostBefore.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { codesIn, nothing, rewrite, verdictOf, verifier } from "../kit/Verifying.ts"

const statementPath = "/__service/provenance.json"
const said = (change: (fields: Record<string, unknown>) => unknown) => (path: string, body: Buffer) =>
  path === statementPath ? JSON.stringify(change(JSON.parse(body.toString()))) : body

describe("pawl verify, of a server that runs", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  const client = gitClient(join(folder.path, "people"))
  const { copyOf, fresh, judged, verify } = verifier(folder.path)
  let server: ServerProcess
  let id: string
  let key: string

  const app = () => `http://shop.apps.localhost:${server.port}`
  const served = (...more: ReadonlyArray<string>) =>
    verify(server.origin, key, "--project", id, "--token", token, ...more)
  const hosted = async (alter: Parameters<typeof hostBefore>[2]) => {
    const host = await hostBefore(server.port, "shop", alter)
    const ended = await verify(data, key, "--live", host.url)
    await host.close()
    return ended
  }
  const last = (database: DatabaseSync): string =>
    String(
      database
        .prepare("SELECT id FROM pawl_statement WHERE id > ? AND id < ? ORDER BY id DESC")
        .get(`${id}/`, `${id}0`)?.["id"]
    )

  beforeAll(async () => {
    server = await startServer({ data })
    const { api } = server
    id = (await Flow.createProject(api, "shop", Flow.source("zero", { "public/page.html": "<p>a page</p>\n" }))).id
    await Flow.liveApp(api, id, 0)
    const change = await Flow.openChange(api, id, "one")
    await Flow.edit(api, change, { "src/index.js": Flow.source("one")["src/index.js"]!, "public/hello.txt": "again\n" })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    await Flow.promote(api, candidate.id)
    await Flow.liveApp(api, id, 1)
    key = /SHA256:[A-Za-z0-9+/]{43}/.exec((await pawl(["key", "show", "--data", data], {})).output)?.[0] ?? ""
    const cloned = await client.clone(gitUrl(server.origin, id, token), "clone")
    if (cloned.code !== 0) throw new Error(`it cannot be cloned: ${JSON.stringify(cloned)}`)
    // The log's ref is written at most every 10 s.
    const counts = async () => {
      await client.run("clone", ["fetch", "-q", "origin", "+refs/pawl/*:refs/pawl/*"])
      const all = await Promise.all([verify(data, key), verify(client.path("clone"), key)])
      return all.map(
        ({ code, output }) => `${code} ${/\d+ statements/.exec(output)?.[0]} ${/checkpoint \d+/.exec(output)?.[0]}`
      )
    }
    await Flow.until(counts, ([one, other]) => one === other && one?.startsWith("0 ") === true)
  }, 300_000)
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("finds nothing in its folder while it runs, nor in what its host serves, and a pack of that says the same", async () => {
    const verdict = await judged(data, key, "--live", app())
    expect(verdict.first.output).toMatch(/^ok {3}proj_\S+ {2}S0–S1 /)
    expect(verdict.first.output).not.toContain("not looked at")
    expect(verdictOf(verdict)).toEqual(nothing)
  })

  it("finds nothing at its address: statements, log and what its host serves", async () => {
    const verdict = await judged(server.origin, key, "--project", id, "--token", token)
    expect(verdict.first.output).toContain("not looked at, for it is not here: records, objects, the repository")
    expect(verdictOf(verdict)).toEqual(nothing)
  })

  it("takes the one Project that a token sees, and says what to give where that is not clear", async () => {
    expect((await verify(server.origin, key, "--token", token)).output).toMatch(/^ok {3}proj_\S+ {2}S0–S1 /)
    const items = ["proj_one", "proj_other"].map((each) => ({ id: each, slug: each.slice(5) }))
    const several = await hostBefore(server.port, "shop", () => JSON.stringify({ items, nextCursor: null }))
    const asked = await verify(several.url, key)
    await several.close()
    expect(asked).toMatchObject({ code: 2, output: expect.stringContaining("proj_one (one), proj_other (other)") })
  })

  it("says what to give where the server wants to know who asks", async () => {
    const none = await verify(server.origin, key, "--project", id)
    expect(none).toMatchObject({ code: 2, output: expect.stringContaining("answers 401: give --token, or PAWL_TOKEN") })
    expect(none.output).not.toContain("{")
    const wrong = await verify(server.origin, key, "--project", id, "--token", "pawl_none")
    expect(wrong).toMatchObject({ code: 2, output: expect.stringContaining("it does not take this --token") })
  })

  it("finds nothing in a clone, in a mirror, and in what the host serves beside a clone", async () => {
    expect(verdictOf(await judged(client.path("clone"), key))).toEqual(nothing)
    expect((await client.clone(gitUrl(server.origin, id, token), "mirror.git", "--mirror")).code).toBe(0)
    const verdict = await judged(client.path("mirror.git"), key, "--live", app())
    expect(verdict.first.output).toContain("files as a host serves them")
    expect(verdictOf(verdict)).toEqual(nothing)
  })

  it("names a clone whose main was moved", async () => {
    await client.git("clone", "update-ref", "refs/keep", "refs/remotes/origin/main")
    await client.git("clone", "update-ref", "refs/remotes/origin/main", "refs/remotes/origin/main~1")
    const verdict = await judged(client.path("clone"), key)
    await client.git("clone", "update-ref", "refs/remotes/origin/main", "refs/keep")
    expect(verdictOf(verdict)).toEqual({ codes: [1, 1, 1], found: ["main_mismatch"], agree: true })
  })

  it.each<[what: string, name: string, alter: (path: string) => void]>([
    ["HEAD", "HEAD", (path) => rmSync(path)],
    ["refs that are packed", "packed-refs", (path) => rmSync(path, { force: true })],
    ["a ref", "refs/remotes/origin/main", (path) => rmSync(path, { force: true })],
    ["settings", "config", (path) => rmSync(path)]
  ])("waits for no pipe in the place of a file of a clone: %s", async (_, name, alter) => {
    const clone = fresh("clone")
    cpSync(client.path("clone"), clone, { recursive: true })
    const path = join(clone, ".git", name)
    alter(path)
    execFileSync("mkfifo", [path])
    expect(await verify(clone, key)).toMatchObject({
      code: 2,
      output: expect.stringContaining(`no files, and git would wait for them: ${name}`)
    })
  })

  it("waits for no pipe of elsewhere that a clone names", async () => {
    const pipe = fresh("pipe")
    execFileSync("mkfifo", [pipe])
    const borrowed = fresh("borrowed")
    mkdirSync(join(borrowed, "pack"), { recursive: true })
    execFileSync("mkfifo", [join(borrowed, "pack", "pack-1.idx")])
    const named = {
      config: `[include]\n\tpath = ${pipe}\n`,
      "objects/info/alternates": `${borrowed}\n`
    }
    for (const [name, text] of Object.entries(named)) {
      const clone = fresh("clone")
      cpSync(client.path("clone"), clone, { recursive: true })
      mkdirSync(join(clone, ".git/objects/info"), { recursive: true })
      appendFileSync(join(clone, ".git", name), text)
      expect(await verify(clone, key)).toMatchObject({ code: 2, output: expect.stringContaining("git would wait") })
    }
  })

  it("names a statement of a clone that says something else", async () => {
    const { git, run } = client
    const path = "statements/00000/00000001.json"
    const before = await git("clone", "rev-parse", "refs/pawl/statements")
    const envelope = JSON.parse(await git("clone", "cat-file", "blob", `refs/pawl/statements:${path}`))
    const payload = Buffer.from(envelope.payload, "base64").toString().replace('"trigger":"', '"trigger":"x')
    const line = JSON.stringify({ ...envelope, payload: Buffer.from(payload).toString("base64") })
    const blob = (await run("clone", ["hash-object", "-w", "--stdin"], `${line}\n`)).stdout
    await git("clone", "read-tree", "refs/pawl/statements")
    await run("clone", ["update-index", "--cacheinfo", `100644,${blob},${path}`])
    const tree = await git("clone", "write-tree")
    const commit = await git("clone", "commit-tree", "-m", "changed", tree)
    await git("clone", "update-ref", "refs/pawl/statements", commit)
    await git("clone", "read-tree", "HEAD")
    const verdict = await judged(client.path("clone"), key)
    await git("clone", "update-ref", "refs/pawl/statements", before)
    expect(verdictOf(verdict)).toEqual({
      codes: [1, 1, 1],
      found: ["chain_broken", "checkpoint_mismatch", "signature_invalid"],
      agree: true
    })
  })

  const lies: ReadonlyArray<[what: string, code: string, alter: Parameters<typeof hostBefore>[2]]> = [
    ["another file", "live_asset_mismatch", (path, body) => (path === "/hello.txt" ? "hello, thief\n" : body)],
    ["another page", "live_asset_mismatch", (path, body) => (path === "/page" ? "<p>a thief</p>\n" : body)],
    [
      "a bundle that nobody stated",
      "live_unstated",
      said((fields) => ({ ...fields, bundle: { sha256: "e".repeat(64) } }))
    ],
    ["another incarnation", "release_other_place", said((fields) => ({ ...fields, incarnation: 7 }))],
    [
      "a statement with another signature",
      "live_statement_mismatch",
      said((fields) => ({
        ...fields,
        statement: { ...Object(fields["statement"]), signatures: [{ keyid: key, sig: "AAAA" }] }
      }))
    ]
  ]
  it.each(slice(lies, { quick: 2 }))("names a host that serves %s: %s", async (_, code, alter) => {
    const ended = await hosted(alter)
    expect(codesIn(ended)).toEqual([code])
    expect(ended.code).toBe(1)
  })

  it("names a host that serves the bundle of before", async () => {
    const older = copyOf(data, (database) => {
      const version = JSON.parse(
        String(database.prepare("SELECT data FROM pawl_pointer WHERE id = ?").get(`${id}/preview:v0000000`)?.["data"])
      )
      rewrite(database, "pawl_pointer", `${id}/production`, (row) => ({
        ...row,
        generation: 0,
        commit: version.commit,
        bundle_key: version.bundle_key,
        bundle_digest: version.bundle_digest
      }))
    })
    const put = await startServer({ data: older })
    const ended = await verify(data, key, "--live", `http://shop.apps.localhost:${put.port}`)
    await put.stop("SIGKILL")
    expect(ended.output).toMatch(/FAIL live {2}live_mismatch/)
    expect(ended.code).toBe(1)
  })

  it("cannot verify what does not answer: exit 2", async () => {
    const away = "http://127.0.0.1:9"
    for (const ended of [
      await verify(away, key, "--project", id),
      await verify(data, key, "--live", away),
      await verify(server.origin, key, "--project", id, "--token", "pawl_nobody"),
      await served("--live", server.origin)
    ])
      expect(ended).toMatchObject({
        code: 2,
        output: expect.stringMatching(/^pawl: pack_unreadable: .*cannot be read: /)
      })
  })

  const misasked: ReadonlyArray<[args: ReadonlyArray<string>, words: RegExp]> = [
    [["--key", "SHA256:short"], /--key is SHA256:/],
    [["--generation", "-1"], /--generation is a number from 0 on/],
    [["--generation", "many"], /generation/],
    [["--max-age", "soon"], /--max-age is a number of hours or days/],
    [["--outputs-kept", "1w"], /--outputs-kept is a number of hours or days/],
    [["--seen", "nowhere"], /--seen: ENOENT/],
    [["--live", "shop"], /--live is the address/],
    [["--quick", "--pack", "p"], /--quick reads too little/],
    [["--deep"], /is what `pawl audit <project>` does/],
    [["--project", "proj_nobody"], /no statements of proj_nobody here/],
    [["--generation", "99"], /nothing was stated of S99/],
    [["--pack", "/dev/null/pack"], /ENOTDIR/]
  ]
  it.each(slice(misasked, { quick: 3 }))("says what is wrong with %j, and exits with 2", async (args, words) => {
    const ended = args[0] === "--key" ? await pawl(["verify", data, ...args], {}) : await verify(data, key, ...args)
    expect(ended.output).toMatch(words)
    expect(ended.code).toBe(2)
  })

  it("judges one generation alone, and says what it is", async () => {
    const versions = await server.api.get<{ items: ReadonlyArray<{ commit: string }> }>(`/v1/projects/${id}/versions`)
    const summary = fresh("summary")
    const ended = await verify(data, key, "--generation", "1", "--vsa", summary)
    expect(ended.code).toBe(0)
    expect(ended.output).toContain(`S1  commit ${versions.items[0]?.commit}`)
    for (const words of [
      "promoted ",
      "Candidate cand_",
      "made by user ",
      "check test: pass",
      "released to production",
      "deployed on production"
    ])
      expect(ended.output).toContain(words)
    expect(JSON.parse(readFileSync(summary, "utf8"))).toMatchObject({
      predicateType: "https://slsa.dev/verification_summary/v1",
      predicate: { verificationResult: "PASSED", verifier: { id: "urn:pawl:verify" } }
    })
  })

  it("judges with a generation what it stands on, and nothing of others", async () => {
    const looser = copyOf(data, (database) =>
      rewrite(database, "pawl_policy_version", `${id}/1`, (row) => ({ ...row, allowSelfApproval: false }))
    )
    const summary = fresh("summary")
    const stood = await verify(looser, key, "--generation", "1", "--vsa", summary)
    expect([stood.code, codesIn(stood), existsSync(summary)]).toEqual([1, ["record_mismatch"], false])
    const other = copyOf(data, (database) => database.exec("DELETE FROM pawl_evidence"))
    const away = await verify(other, key, "--generation", "0")
    expect(away).toMatchObject({ code: 0, output: expect.stringMatching(/[0-9] finding\(s\) elsewhere/) })
    expect(await verify(other, key, "--generation", "99")).toMatchObject({
      code: 2,
      output: expect.stringContaining("nothing was stated of S99")
    })
  })

  it("reads who made a generation beside its statement, where that names a list", async () => {
    const folder = copyOf(data)
    const [keys, candidate] = [stolenKeys(folder), { id: "", made: "" }]
    const listed = (all: Array<Forged>): void => {
      const { predicate } = statementAbout(all, "promotion", 1)
      const made = predicate["made"] as ReadonlyArray<unknown>
      candidate.id = (predicate["candidate"] as { readonly id: string }).id
      candidate.made = canonicalJson(made)
      Object.assign(predicate, { made: [], madeOf: { count: made.length, sha256: sha256AtOnce(candidate.made) } })
    }
    forge(folder, id, listed, keys)
    const told = await verify(folder, key, "--generation", "1")
    expect([told.code, told.output]).toEqual([0, expect.stringContaining(`record made ${candidate.id}`)])
    const altered = (alter: (row: Record<string, unknown>) => Record<string, unknown>) =>
      copyOf(folder, (database) => rewrite(database, "pawl_candidate", candidate.id, alter))
    // As of one that an earlier version composed: by the rows of its ChangeSets.
    expect(
      (
        await verify(
          altered(({ made: _, ...row }) => row),
          key
        )
      ).code
    ).toBe(0)
    const other = await judged(
      altered((row) => ({ ...row, made: [] })),
      key
    )
    expect(verdictOf(other)).toEqual({ codes: [1, 1, 1], found: ["record_mismatch"], agree: true })
  })

  it("packs what it found, so that both programs find it again", async () => {
    const older = copyOf(data, (database) => {
      rewrite(database, "pawl_policy_version", `${id}/1`, (row) => ({ ...row, approvalRiskTiers: [] }))
      database.exec("DELETE FROM pawl_evidence WHERE json_extract(data, '$.checkId') = 'test'")
    })
    rmSync(join(older, "objects"), { recursive: true })
    const verdict = verdictOf(await judged(older, key))
    expect(verdict).toMatchObject({ codes: [1, 1, 1], agree: true })
    expect(verdict.found).toEqual(expect.arrayContaining(["record_mismatch", "record_missing", "bundle_missing"]))
    const taken = fresh("taken")
    expect((await verify(data, key, "--pack", taken)).code).toBe(0)
    expect(await verify(data, key, "--pack", taken)).toMatchObject({
      code: 2,
      output: expect.stringContaining("not empty")
    })
  })

  it("lets outputs be gone that retention took, and no others", async () => {
    const older = copyOf(data)
    rmSync(join(older, "objects", "objects", "evidence"), { recursive: true })
    expect(verdictOf(await judged(older, key))).toEqual({ codes: [1, 1, 1], found: ["output_missing"], agree: true })
    expect(verdictOf(await judged(older, key, "--outputs-kept", "1d"))).toMatchObject({ found: ["output_missing"] })
    expect(verdictOf(await judged(older, key, "--outputs-kept", "0h"))).toEqual({
      codes: [0, 0, 0],
      found: ["output_expired"],
      agree: true
    })
  })

  it("waits a minute for the signature of the newest statements, and not for one that was taken away", async () => {
    const unsigned = (at: string | null) =>
      copyOf(data, (database, path) => {
        const name = last(database)
        rewrite(database, "pawl_statement", name, (row) => ({
          ...row,
          signature: null,
          ...(at === null ? {} : { payload: String(row["payload"]).replace(/"at":"[^"]*"/, `"at":"${at}"`) })
        }))
        if (at === null) return
        // As it is between a promotion and its signature: neither the log, nor what is published, nor the signer knows it.
        rmSync(join(path, "heads"), { recursive: true })
        const canon = join(path, "repositories", id.slice(5, 7), id, "canon.git")
        execFileSync("git", ["--git-dir", canon, "update-ref", "-d", "refs/pawl/statements"])
        rewrite(database, "pawl_chain_log", id, (row) => ({ ...row, checkpoint: null, size: 0 }))
      })
    expect(await verify(unsigned(null), key)).toMatchObject({
      code: 1,
      output: expect.stringContaining("signature_missing")
    })
    const now = await verify(unsigned(new Date(Date.now() + 20_000).toISOString()), key)
    expect(codesIn(now)).toEqual(["statement_unsigned"])
    expect(now).toMatchObject({ code: 0, output: expect.stringMatching(/^note entry/m) })
    const later = await verify(unsigned(new Date(Date.now() + 3_600_000).toISOString()), key)
    expect(codesIn(later)).toEqual(["statement_unsigned"])
    expect(later).toMatchObject({ code: 1, output: expect.stringMatching(/^FAIL entry/m) })
  })

  it("misses a Project that its signer remembers and its database does not know", async () => {
    const path = copyOf(data)
    const other = "proj_00000000-0000-4000-8000-000000000000"
    const head = { origin: `localhost/log/${other}`, size: 3, root: Buffer.alloc(32).toString("base64") }
    writeFileSync(join(path, "heads", `${other}.json`), JSON.stringify(head))
    const ended = await verify(path, key)
    expect(ended.output).toContain(other)
    expect(codesIn(ended)).toContain("log_behind")
    expect(ended.code).toBe(1)
  })
})
