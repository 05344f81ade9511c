import { spawnSync } from "node:child_process"
import { slice } from "@pawl/testing/Depth"
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { objectNames } from "@pawl/adapters-local/objects/ObjectPath"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import { pawl } from "../kit/Command.ts"
import { compiled, main } from "../kit/CompiledPrograms.ts"
import * as Flow from "../kit/Flow.ts"
import { releaseIn } from "../hostile/Thefts.ts"
import { codesIn, python } from "../kit/Verifying.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

describe("pawl verify on what a server has left", () => {
  const folder = temporaryFolder()
  const copies = temporaryFolder()
  let server: ServerProcess
  let projectId: string
  let keyid: string
  let count = 0

  const state = () => ({ XDG_STATE_HOME: copies.path })
  const verified = (what: string, ...more: ReadonlyArray<string>) =>
    pawl(["verify", what, "--key", keyid, ...more], { XDG_STATE_HOME: join(copies.path, `state-${count++}`) })

  const change = async (name: string, files: Readonly<Record<string, string>>): Promise<void> => {
    const { api } = server
    const opened = await Flow.openChange(api, projectId, name)
    await Flow.edit(api, opened, files)
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, opened)).id)
    const { generation } = await Flow.promote(api, candidate.id)
    await Flow.released(api, projectId, generation)
  }

  /** A copy of the data folder, as somebody has changed its database. */
  const copy = (alter: (database: DatabaseSync, path: string) => void = () => undefined): string => {
    const path = join(copies.path, `copy-${count++}`)
    cpSync(folder.path, path, { recursive: true })
    const database = new DatabaseSync(join(path, "pawl.db"))
    alter(database, path)
    database.close()
    return path
  }
  const rewrite = (
    database: DatabaseSync,
    table: string,
    id: string,
    alter: (row: Record<string, unknown>) => unknown
  ) => {
    const row = database.prepare(`SELECT data FROM ${table} WHERE id = ?`).get(id)
    const altered = JSON.stringify(alter(JSON.parse(String(row?.["data"]))))
    database.prepare(`UPDATE ${table} SET data = ? WHERE id = ?`).run(altered, id)
  }

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
    const { api } = server
    projectId = (await Flow.createProject(api, "proved", Flow.source("zero"))).id
    await Flow.liveApp(api, projectId, 0)
    await change("one", { "src/index.js": Flow.source("one")["src/index.js"]! })
    await change("two", { "src/index.js": Flow.source("two")["src/index.js"]! })
    const asked = await api.post<{ change: ChangeJson; candidate: CandidateJson }>(
      `/v1/projects/${projectId}/rollback`,
      { targetGeneration: 1, expectedGeneration: 2 }
    )
    const candidate = await Flow.gated(api, asked.candidate.id)
    await Flow.promote(api, candidate.id)
    await Flow.released(api, projectId, 3)
    const shown = await pawl(["key", "show", "--data", folder.path], {})
    keyid = /SHA256:[A-Za-z0-9+/]{43}/.exec(shown.output)?.[0] ?? ""
    await Flow.until(
      () => verified(folder.path),
      ({ code }) => code === 0
    )
    await server.stop("SIGKILL")
  }, 300_000)
  afterAll(() => {
    folder.remove()
    copies.remove()
  })

  it("finds nothing in the folder of a server that was killed", async () => {
    const { code, output } = await verified(folder.path)
    expect(output).toMatch(/^ok {3}proj_\S+ {2}S0–S3 {2}\d+ statements {2}2 keys/)
    expect(code).toBe(0)
  })

  it("is told of which bundle that of a rollback was made: nothing was built for it", () => {
    const said = (database: DatabaseSync, generation: number) => {
      const row = database
        .prepare("SELECT data FROM pawl_statement WHERE about = ?")
        .get(`${projectId}/release/${generation}`)
      return JSON.parse(JSON.parse(String(row?.["data"])).payload)
    }
    copy((database) => {
      const [first, back] = [said(database, 1), said(database, 3)]
      expect(back.predicate).toMatchObject({
        source: "same_tree",
        derivedFrom: { generation: 1, sha256: first.subject[0].digest.sha256 }
      })
    })
  })

  it("opens no connection for that", async () => {
    const walls = spawnSync("unshare", ["-rn", "true"]).status === 0 ? ["unshare", "-rn"] : []
    const [command, ...args] = [
      ...walls,
      "strace",
      "-f",
      "-e",
      "trace=connect",
      "-o",
      join(copies.path, "trace"),
      process.execPath,
      "--conditions=pawl-source",
      await compiled(main),
      "verify",
      folder.path,
      "--key",
      keyid
    ]
    const { status } = spawnSync(command, args, { env: { PATH: process.env["PATH"], HOME: copies.path } })
    expect(status).toBe(0)
    expect(readFileSync(join(copies.path, "trace"), "utf8")).not.toContain("AF_INET")
  })

  it("says of an older chain that it is too old, where --max-age asks, and finds nothing else", async () => {
    const old = await verified(folder.path, "--max-age", "0h")
    expect(old.output).toContain("older than --max-age")
    expect([old.code, codesIn(old)]).toEqual([1, []])
    expect((await verified(folder.path, "--max-age", "1d")).code).toBe(0)
  })

  it("says how to pin a key when none is trusted, and pins the one that is there when it is told to", async () => {
    const none = await pawl(["verify", folder.path], state())
    expect(none).toMatchObject({ code: 2, output: expect.stringContaining("--key SHA256:") })
    expect((await pawl(["verify", folder.path, "--trust-on-first-use"], state())).code).toBe(0)
    expect((await pawl(["verify", folder.path, "--quick"], state())).code).toBe(0)
    const other = await verified(folder.path, "--key", `SHA256:${"A".repeat(43)}`)
    expect(other.code).not.toBe(0)
  })

  it("remembers the checkpoint that it saw: what is put back later is missed", async () => {
    // The first checkpoint covers few statements: later ones are 10 s apart.
    const older = copy((database) => {
      database.exec(`DELETE FROM pawl_statement WHERE id > '${projectId}/' AND id < '${projectId}0'`)
      rewrite(database, "pawl_chain_log", projectId, (row) => ({ ...row, checkpoint: null, size: 0 }))
    })
    rmSync(join(older, "heads"), { recursive: true })
    const seen = await pawl(["verify", folder.path, "--key", keyid], state())
    const again = await pawl(["verify", folder.path, "--key", keyid], state())
    expect([seen.code, again.code]).toEqual([0, 0])
    const [, size] = /checkpoint (\d+)/.exec(again.output) ?? []
    expect(again.output).toContain(`checkpoint ${size} (consistent with the one seen at ${size})`)
    const { code, output } = await pawl(["verify", older, "--key", keyid], state())
    expect(output).toContain("seen checkpoint  statements_missing")
    expect(code).toBe(1)
  })

  const changes: ReadonlyArray<[what: string, code: string, alter: (database: DatabaseSync) => void]> = [
    [
      "an evidence row",
      "record_mismatch",
      (database) => {
        const row = database
          .prepare("SELECT id FROM pawl_evidence WHERE json_extract(data, '$.checkId') = 'test'")
          .get()
        rewrite(database, "pawl_evidence", String(row?.["id"]), (each) => ({ ...each, summary: "all fine" }))
      }
    ],
    [
      "a Policy",
      "record_mismatch",
      (database) =>
        rewrite(database, "pawl_policy_version", `${projectId}/1`, (row) => ({ ...row, approvalRiskTiers: [] }))
    ],
    [
      "a plan",
      "record_mismatch",
      (database) => {
        const row = database.prepare("SELECT id FROM pawl_candidate WHERE project_id = ? LIMIT 1").get(projectId)
        rewrite(database, "pawl_candidate", String(row?.["id"]), (each) => ({
          ...each,
          plan_json: { ...Object(each["plan_json"]), checks: [] }
        }))
      }
    ],
    [
      "what a statement says",
      "signature_invalid",
      (database) =>
        rewrite(database, "pawl_statement", `${projectId}/00000004`, (row) => ({
          ...row,
          payload: String(row["payload"]).replace('"incarnation":1', '"incarnation":2').replace('"user"', '"auto"')
        }))
    ],
    [
      "a statement, deleted",
      "chain_gap",
      (database) => database.exec(`DELETE FROM pawl_statement WHERE id = '${projectId}/00000004'`)
    ],
    [
      "a signature, taken away",
      "signature_missing",
      (database) => rewrite(database, "pawl_statement", `${projectId}/00000004`, (row) => ({ ...row, signature: null }))
    ],
    [
      "the pointer, at a bundle that nobody stated",
      "live_unstated",
      (database) =>
        rewrite(database, "pawl_pointer", `${projectId}/production`, (row) => ({
          ...row,
          bundle_digest: "e".repeat(64)
        }))
    ],
    [
      "the database, put back while the signer knows more",
      "log_behind",
      (database) => {
        database.exec(`DELETE FROM pawl_statement WHERE id > '${projectId}/00000005' AND id < '${projectId}0'`)
        rewrite(database, "pawl_chain_log", projectId, (row) => ({ ...row, checkpoint: null, size: 0 }))
      }
    ]
  ]
  it.each(slice(changes, { quick: 4 }))(
    "names what was done to the database file: %s is %s",
    async (_, finding, alter) => {
      const { code, output } = await verified(copy(alter))
      expect(output).toContain(`  ${finding}  `)
      expect(code).toBe(1)
    }
  )

  /** Changes what the row of the host carries of the chain. */
  const carrying = (
    database: DatabaseSync,
    change: (carried: { readonly entry: number; readonly envelope: string }) => unknown
  ) =>
    rewrite(database, "pawl_pointer", `${projectId}/production`, (row) => ({
      ...row,
      provenance: change(row["provenance"] as Parameters<typeof change>[0])
    }))

  const canonOf = (path: string): string => join(path, "repositories", projectId.slice(5, 7), projectId, "canon.git")
  const headOf = (path: string): string => join(path, "heads", `${projectId}.json`)

  const damages: ReadonlyArray<
    [what: string, code: string, exit: number, alter: (database: DatabaseSync, path: string) => void]
  > = [
    ["the repository, gone", "commit_missing", 1, (_, path) => rmSync(canonOf(path), { recursive: true })],
    [
      "the repository, gone, of a Project that is said to be archived and still serves",
      "commit_missing",
      1,
      (database, path) => {
        rewrite(database, "pawl_project", projectId, (row) => ({ ...row, status: "archived" }))
        rmSync(canonOf(path), { recursive: true })
      }
    ],
    [
      "the pointer's row, gone",
      "live_mismatch",
      1,
      (database) => database.exec(`DELETE FROM pawl_pointer WHERE id = '${projectId}/production'`)
    ],
    [
      "the statement that the pointer's row carries, gone",
      "live_statement_mismatch",
      1,
      (database) => carrying(database, () => null)
    ],
    [
      "the envelope that the pointer's row carries, gone",
      "live_statement_mismatch",
      1,
      (database) => carrying(database, (carried) => ({ ...carried, envelope: null }))
    ],
    [
      "the envelope that the pointer's row carries, cut",
      "live_statement_mismatch",
      1,
      (database) => carrying(database, (carried) => ({ ...carried, envelope: carried.envelope.slice(0, -9) }))
    ],
    [
      "the envelope that the pointer's row carries, of another release",
      "live_statement_mismatch",
      1,
      (database) =>
        carrying(database, (carried) => {
          const { envelope } = releaseIn(database, projectId, 2).provenance
          return { ...carried, envelope }
        })
    ],
    [
      "checkpoints, gone though the repository has published them",
      "checkpoint_unreadable",
      1,
      (database) => database.exec("DELETE FROM pawl_chain_log")
    ],
    [
      "a statement's row that is no JSON",
      "statement_unreadable",
      1,
      (database) => database.exec(`UPDATE pawl_statement SET data = '{not json' WHERE id = '${projectId}/00000004'`)
    ],
    [
      "the output of a check that cannot be read, beside a Policy that is another one",
      "record_mismatch",
      2,
      (database, path) => {
        const key = database
          .prepare(
            "SELECT json_extract(data, '$.outputKey') AS key FROM pawl_evidence WHERE json_extract(data, '$.checkId') = 'test'"
          )
          .get()?.["key"]
        const file = join(path, "objects", "objects", ...objectNames(String(key)))
        rmSync(file)
        spawnSync("mkfifo", [file])
        rewrite(database, "pawl_policy_version", `${projectId}/1`, (row) => ({ ...row, approvalRiskTiers: [] }))
      }
    ],
    [
      "a pipe in the place of a file that git reads",
      "pack_unreadable",
      2,
      (_, path) => {
        rmSync(join(canonOf(path), "HEAD"))
        spawnSync("mkfifo", [join(canonOf(path), "HEAD")])
      }
    ],
    [
      "a damaged object of the statements that git publishes",
      "pack_unreadable",
      2,
      (_, path) => {
        const canon = canonOf(path)
        const ref = "refs/pawl/statements:checkpoint"
        const id = spawnSync("git", ["--git-dir", canon, "rev-parse", ref], { encoding: "utf8" }).stdout.trim()
        const file = join(canon, "objects", id.slice(0, 2), id.slice(2))
        const bytes = readFileSync(file)
        bytes[bytes.length >> 1]! ^= 1
        chmodSync(file, 0o600)
        writeFileSync(file, bytes)
      }
    ]
  ]
  it.each(slice(damages, { quick: 2 }))(
    "names in a folder, and both programs in its pack, what was taken away or damaged: %s",
    async (...[, finding, exit, alter]) => {
      const pack = join(copies.path, `pack-${count++}`)
      const first = await verified(copy(alter), "--pack", pack)
      const [again, other] = await Promise.all([verified(pack), python(pack)])
      expect([first.code, again.code, other.code]).toEqual([exit, exit, exit])
      expect(codesIn(first)).toContain(finding)
      expect([codesIn(again), codesIn(other)]).toEqual([codesIn(first), codesIn(first)])
    }
  )

  it("cannot verify where rows cannot be read, and neither can who has a pack of what could", async () => {
    const pack = join(copies.path, `pack-${count++}`)
    const first = await verified(
      copy((database) => database.exec("DROP TABLE pawl_evidence")),
      "--pack",
      pack
    )
    expect([first.code, codesIn(first)]).toEqual([2, ["pack_unreadable"]])
    for (const other of [await verified(pack), await python(pack)]) {
      expect(other.output).toMatch(/^FAIL pawl\.db +pack_unreadable /m)
      expect(other.code).toBe(2)
    }
  })

  it("says that it has not looked at what the signer remembers, where that is not there", async () => {
    const { code, output } = await verified(copy((_, path) => rmSync(headOf(path))))
    expect(output).toMatch(/not looked at, for it is not here: .*what the signer remembers \(heads\)/)
    expect(code).toBe(0)
  })

  it("cannot verify where what the signer remembers is not what it wrote", async () => {
    const { code, output } = await verified(copy((_, path) => writeFileSync(headOf(path), "{xx")))
    expect(output).toContain(`heads cannot be read: ${projectId}.json is not what the signer wrote`)
    expect(code).toBe(2)
  })

  it("is told by verify.py how a pack is made of what is none", async () => {
    const { code, output } = await python(folder.path)
    expect(output).toContain("it is no pack: make one with pawl verify")
    expect(code).toBe(2)
  })
})
