/**
 * The threat table of docs/security/provenance.md: for each thief what they can do and what they cannot, done for real to a
 * server and its data folder. A test of the docs holds each row to the titles here.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Effect } from "effect"
import { repositoryPath } from "@pawl/adapters-local/repositories/RepositoryPath"
import { canonicalJson } from "@pawl/core/primitives/Digest"
import { slice } from "@pawl/testing/Depth"
import { newStatementKey } from "@pawl/testing/provenance/SceneKeys"
import type { CandidateJson } from "@pawl/server/api/RecordSchemas"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import {
  deleteObject,
  envelopeBy,
  forge,
  type Forged,
  rewriteRow,
  rowAt,
  statementAbout,
  stolenKeys,
  swapObject,
  withDatabase
} from "./Loot.ts"
import {
  again,
  approvalOf,
  forgeApproval,
  moveColumns,
  pointAt,
  releaseIn,
  sayLabel,
  sayVersion,
  shownRow,
  slipPolicy
} from "./Thefts.ts"
import { logged, servedFrom } from "./StolenFolder.ts"
import { everyTier, fetched, openVault, type Vault } from "./Vault.ts"

let vault: Vault
/** What was built and verified, and never promoted. */
let evil: CandidateJson
const unpromoted = () => ({ candidate: evil.id })
beforeAll(async () => {
  vault = await openVault()
}, 300_000)
afterAll(async () => {
  await vault.server.stop()
  vault.remove()
})

const blocksOf = (answer: { readonly body: Record<string, unknown> }) =>
  (answer.body["blocks"] as ReadonlyArray<{ readonly code: string }>).map(({ code }) => code)
const promoted = (candidate: { readonly id: string }) =>
  vault.call("POST", `/v1/candidates/${candidate.id}/promote`, {})

describe("A thief of one approver's token", () => {
  it("approves as that person where no passkey is asked for, and that is promoted", async () => {
    await vault.policy({})
    const two = await vault.candidate("two")
    expect((await vault.approve(two, vault.ben.token)).status).toBe(200)
    expect(await vault.live(two)).toBe(2)
  })

  it("does not approve where a passkey is asked for, and is not two people", async () => {
    await vault.policy({ approvalsSigned: everyTier })
    const signed = await vault.candidate("signed")
    const refused = await vault.approve(signed, vault.ben.token)
    expect(refused).toMatchObject({ status: 403, body: { code: "passkey_required" } })
    expect(blocksOf(await promoted(signed))).toEqual(["approval_missing"])
    await vault.policy({ approvalsSigned: [], approvalsRequired: 2 })
    const owed = await vault.candidate("owed")
    for (const _ of ["once", "and again"]) expect((await vault.approve(owed, vault.ben.token)).status).toBe(200)
    expect(blocksOf(await promoted(owed))).toEqual(["approval_missing"])
  })
})

describe("A thief of a passkey", () => {
  it("approves as that person, and is not two people", async () => {
    const { passkey, token } = vault.ben
    await vault.policy({ approvalsSigned: everyTier, approvalsRequired: 2 })
    const owed = await vault.candidate("owed by two")
    expect((await vault.approve(owed, token, passkey)).status).toBe(200)
    expect(blocksOf(await promoted(owed))).toEqual(["approval_missing"])
    await vault.policy({ approvalsSigned: everyTier, approvalsRequired: 1 })
    const three = await vault.candidate("three")
    expect((await vault.approve(three, token, passkey)).status).toBe(200)
    expect(await vault.live(three)).toBe(3)
  })

  it("does nothing with it alone: without a session of that person nobody is asked", async () => {
    evil = await vault.candidate("evil")
    expect((await vault.approve(evil, "pawl_nobody", vault.ben.passkey)).status).toBe(401)
    expect(blocksOf(await promoted(evil))).toEqual(["approval_missing"])
  })
})

describe("A thief of a clone", () => {
  const rewritten = async (name: string): Promise<void> => {
    const { people } = vault
    const path = "statements/00000/00000001.json"
    const said = JSON.parse(await people.git(name, "show", `refs/pawl/statements:${path}`))
    const payload = Buffer.from(said.payload, "base64").toString().replace('"seed"', '"user"')
    const changed = JSON.stringify({ ...said, payload: Buffer.from(payload).toString("base64") })
    const blob = (await people.run(name, ["hash-object", "-w", "--stdin"], changed)).stdout
    await people.git(name, "read-tree", "refs/pawl/statements")
    await people.git(name, "update-index", "--cacheinfo", `100644,${blob},${path}`)
    const tree = await people.git(name, "write-tree")
    const commit = await people.git(name, "commit-tree", tree, "-m", "as it never was")
    await people.git(name, "update-ref", "refs/pawl/statements", commit)
  }

  it("moves refs and writes statements there, and whoever verifies it names them", async () => {
    await fetched(vault, "stolen")
    await rewritten("stolen")
    const { code, output } = await vault.verified(vault.people.path("stolen"))
    expect(output).toContain("  signature_invalid  ")
    expect(code).toBe(1)
  })

  it("brings none of it to the server, nor to who fetched before", async () => {
    const { people } = vault
    const before = await people.git("stolen", "ls-remote", "origin")
    for (const what of ["+refs/pawl/statements:refs/pawl/statements", "+refs/pawl/statements:refs/heads/main"])
      expect((await people.run("stolen", ["push", "origin", what])).code).not.toBe(0)
    expect(await people.git("stolen", "ls-remote", "origin")).toBe(before)
    await fetched(vault, "witness")
    const stolen = await people.run("witness", [
      "fetch",
      people.path("stolen"),
      "refs/pawl/statements:refs/pawl/statements"
    ])
    expect([stolen.code, stolen.output]).toEqual([1, expect.stringContaining("non-fast-forward")])
  })
})

const served = (folder: string, mode: "enforce" | "off") => servedFrom(vault, folder, mode)

describe("What thieves do to the folder of a server", () => {
  let state: string
  beforeAll(async () => {
    await vault.close()
    state = join(vault.folder, "..", "state")
    const { code, output } = await vault.verified(vault.folder, { state })
    if (code !== 0) throw new Error(`nothing is stolen yet: ${output}`)
  }, 300_000)

  const found = async (folder: string, ...more: ReadonlyArray<string>) => {
    const { code, output } = await vault.verified(folder, { more })
    return { code, codes: new Set([...output.matchAll(/^FAIL .*? {2}(\w+) {2}/gm)].map((match) => match[1])) }
  }
  const named = (code: string) => ({ code: 1, codes: expect.toSatisfy((codes: Set<string>) => codes.has(code)) })
  const nothing = { code: 0, codes: new Set() }

  describe("A thief of the database", () => {
    const changed: ReadonlyArray<[what: string, code: string, theft: (database: DatabaseSync) => void]> = [
      [
        "a statement that is deleted",
        "chain_gap",
        (database) => database.exec(`DELETE FROM pawl_statement WHERE id = '${vault.project}/00000002'`)
      ],
      [
        "a Project whose chain is deleted",
        "log_behind",
        (database) => {
          for (const table of ["pawl_chain", "pawl_chain_log", "pawl_statement"])
            database.exec(`DELETE FROM ${table} WHERE id = '${vault.project}' OR id LIKE '${vault.project}/%'`)
        }
      ],
      ["evidence that is deleted", "record_missing", (database) => database.exec("DELETE FROM pawl_evidence")],
      [
        "who approved",
        "record_mismatch",
        (database) => {
          rewriteRow(database, "pawl_approval", approvalOf(database, vault.project, 2), (row) => ({
            ...row,
            approver: "usr_nobody"
          }))
        }
      ],
      [
        "a statement that says something else",
        "signature_invalid",
        (database) =>
          rewriteRow(database, "pawl_statement", `${vault.project}/00000001`, (row) => ({
            ...row,
            payload: String(row["payload"]).replace('"seed"', '"user"')
          }))
      ]
    ]
    it.each(slice(changed, { quick: 2 }))("changes and deletes nothing unnoticed: %s is %s", async (_, code, theft) => {
      const folder = vault.copy()
      withDatabase(folder, theft)
      expect(await found(folder)).toEqual(named(code))
    })

    it("signs a history of its own with a key that nobody knows", async () => {
      const folder = vault.copy()
      const change = (all: Array<Forged>) => void (statementAbout(all, "promotion", 1).predicate["trigger"] = "auto")
      forge(folder, vault.project, change, { statement: newStatementKey(), log: null })
      expect(await found(folder)).toEqual(named("key_unknown"))
    })

    it("has an older version served until somebody verifies, and where the router enforces only until it has served a newer one", async () => {
      const back = (database: DatabaseSync) => releaseIn(database, vault.project, 1).provenance
      const folder = vault.copy()
      pointAt(folder, vault.project, 1, back)
      const blind = await served(folder, "off")
      expect(await blind.page()).toBe("one")
      await blind.server.stop()
      expect(await found(folder)).toEqual(named("live_mismatch"))
      const other = vault.copy()
      const watched = await served(other, "enforce")
      expect(await watched.page()).toBe("three")
      pointAt(other, vault.project, 1, back)
      await Flow.until(watched.page, (page) => page === 503)
      await logged(watched.server, "release_superseded")
      await watched.server.stop()
    })

    const shown: ReadonlyArray<[what: string, code: string, theft: typeof pointAt, verdict: string]> = [
      ["a row that shows another bundle", "live_unstated", pointAt, "live_mismatch"],
      ["one that says it is a version's too", "live_unstated", sayVersion, ""],
      ["one of another Project that is found in its place", "live_unstated", moveColumns, "live_mismatch"],
      ["one whose Project is said to have another host", "live_unstated", sayLabel, "live_mismatch"]
    ]
    it.each(slice(shown, { quick: 1 }))(
      "has nothing served that nobody stated where the router enforces: %s is %s",
      async (_, code, theft, verdict) => {
        const folder = vault.copy()
        theft(folder, vault.project, unpromoted())
        const { page, server } = await served(folder, "enforce")
        expect(await page()).toBe(503)
        await logged(server, verdict)
        await server.stop()
        expect(await found(folder)).toEqual(named(code))
      }
    )
  })

  describe("A thief of the objects", () => {
    const liveKey = (folder: string) =>
      withDatabase(folder, (database) =>
        String(rowAt(database, "pawl_pointer", `${vault.project}/production`)["bundle_key"])
      )

    it("deletes what is live, and whoever verifies names it", async () => {
      const folder = vault.copy()
      deleteObject(folder, liveKey(folder))
      expect(await found(folder)).toEqual(named("bundle_missing"))
    })

    it("has neither a bundle nor a file served that was swapped", async () => {
      const folder = vault.copy()
      const asset = `${liveKey(folder).replace(/bundle\.json$/, "")}assets/hello.txt`
      swapObject(folder, asset, (text) => text.replace("asset", "thief"))
      expect(await found(folder)).toEqual(named("asset_mismatch"))
      const host = await served(folder, "enforce")
      expect(await host.page()).toBe("three")
      expect((await host.asset()).text).not.toContain("thief")
      await host.server.stop()
      swapObject(folder, liveKey(folder), (text) => text.replace("three", "stole"))
      expect(await found(folder)).toEqual(named("bundle_mismatch"))
      const next = await served(folder, "enforce")
      expect(await next.page()).not.toBe("stole")
      await next.server.stop()
    })
  })

  describe("A thief of the repositories", () => {
    const git = async (folder: string, ...args: ReadonlyArray<string>): Promise<string> => {
      const place = { project: vault.project as `proj_${string}` }
      const { canonDir } = await Effect.runPromise(repositoryPath(join(folder, "repositories"), place))
      return execFileSync("git", ["--git-dir", canonDir, ...args], { encoding: "utf8" }).trim()
    }
    const commitOf = (folder: string, generation: number): string =>
      withDatabase(folder, (database) =>
        String(rowAt(database, "pawl_generation", `${vault.project}/${generation}`)["commit"])
      )

    it.each<[what: string, code: string, theft: (folder: string) => Promise<unknown>]>([
      [
        "a main that was moved back",
        "main_mismatch",
        async (folder) => git(folder, "update-ref", "refs/heads/main", commitOf(folder, 1))
      ],
      [
        "a commit that another one stands for",
        "commit_tree_mismatch",
        async (folder) => git(folder, "replace", commitOf(folder, 1), commitOf(folder, 2))
      ]
    ])("moves refs and replaces objects, and is not believed: %s is %s", async (_, code, theft) => {
      const folder = vault.copy()
      await theft(folder)
      expect(await found(folder)).toEqual(named(code))
    })
  })

  describe("A thief of the keys of statements and log", () => {
    it("lies in new entries, and verifying alone finds nothing in them", async () => {
      const folder = vault.copy()
      slipPolicy(folder, vault.project)
      expect(await found(folder)).toEqual(nothing)
      expect(await found(folder, "--seen", kept())).toEqual(nothing)
    })

    it("has served what was never promoted where a router looks at signatures alone, and whoever verifies names it", async () => {
      const folder = vault.copy()
      const keys = stolenKeys(folder)
      const bundle = withDatabase(folder, (database) =>
        String(shownRow(database, vault.project, unpromoted())["bundle_digest"])
      )
      const payloads = forge(
        folder,
        vault.project,
        (all) => {
          const said = again(all, "release")
          said.subject = [{ name: "bundle.json", digest: { sha256: bundle } }]
          all.push(said)
        },
        keys
      )
      const entry = payloads.length - 1
      const envelope = canonicalJson(envelopeBy(keys.statement, payloads[entry]!))
      pointAt(folder, vault.project, unpromoted(), () => ({ entry, epoch: 1, envelope }))
      const { page, server } = await served(folder, "enforce")
      expect(await page()).toBe("evil")
      await server.stop()
      expect(await found(folder)).toEqual(named("release_not_promoted"))
    })

    it("rewrites nothing that a kept checkpoint covers", async () => {
      const folder = vault.copy()
      const change = (all: Array<Forged>) => void (statementAbout(all, "promotion", 1).predicate["trigger"] = "auto")
      forge(folder, vault.project, change, stolenKeys(folder))
      expect(await found(folder, "--seen", kept())).toEqual(named("history_rewritten"))
    })

    it("forges no approval of a passkey", async () => {
      const folder = vault.copy()
      await forgeApproval(folder, vault.project)
      expect(await found(folder)).toEqual(named("approval_signature_invalid"))
    })

    it("signs nothing any more as a key that was retired", async () => {
      const folder = vault.copy()
      const old = stolenKeys(folder)
      const rotated = await pawl(["key", "rotate"], { PAWL_DATA: folder })
      expect(rotated.code).toBe(0)
      expect(await found(folder)).toEqual(nothing)
      forge(folder, vault.project, (all) => void all.push(again(all, "outcome")), old)
      expect(await found(folder)).toEqual(named("key_retired"))
    })
  })

  describe("A thief of the whole server", () => {
    it("tells a whole new past to who never looked, and not to who verified before or holds a checkpoint or a clone", async () => {
      const folder = vault.copy()
      const stranger = "usr_00000000-0000-4000-8000-00000000dead"
      const change = (all: Array<Forged>) =>
        void (statementAbout(all, "promotion", 1).predicate["actor"] = { type: "user", id: stranger })
      withDatabase(folder, (database) =>
        rewriteRow(database, "pawl_generation", `${vault.project}/1`, (row) => ({
          ...row,
          actor: { type: "user", id: stranger }
        }))
      )
      forge(folder, vault.project, change, stolenKeys(folder))
      expect(await found(folder)).toEqual(nothing)
      const clone = join(folder, "seen")
      writeFileSync(clone, `${await vault.people.git("witness", "show", "refs/pawl/statements:checkpoint")}\n`)
      for (const seen of [kept(), clone])
        expect(await found(folder, "--seen", seen)).toEqual(named("history_rewritten"))
      const { code, output } = await vault.verified(folder, { state })
      expect([code, output]).toEqual([1, expect.stringContaining("  history_rewritten  ")])
      // Nor under another name of its logs.
      const pen = { ...stolenKeys(folder), name: "pawl.other" }
      const renamed = (all: Array<Forged>) => {
        for (const { predicate } of all) if (predicate["use"] === "log") predicate["name"] = pen.name
      }
      forge(folder, "instance", renamed, pen)
      forge(folder, vault.project, change, pen)
      expect(await found(folder)).toEqual(nothing)
      expect(await found(folder, "--seen", kept())).toEqual(named("checkpoint_signature"))
      const again = await vault.verified(folder, { state })
      expect([again.code, again.output]).toEqual([1, expect.stringContaining("  checkpoint_signature  ")])
    })
  })

  const kept = () => {
    const path = join(vault.folder, "..", "kept")
    writeFileSync(path, vault.held())
    return path
  }
})
