/** Backups that nobody's `pawl backup` made, or that go where something is already: refused in words, and nothing is touched. */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { backUp } from "../../../src/node/backup/Backup.ts"
import { type Manifest, objectName, sha256 } from "../../../src/node/backup/BackupFormat.ts"
import { restore } from "../../../src/node/backup/Restore.ts"
import { isBackup, judged } from "../../../src/node/backup/VerifiedBackup.ts"
import * as Installations from "../../../src/node/installations/Installations.ts"
import * as Options from "../../../src/node/Options.ts"
import { inOneGo } from "@pawl/sql/copies/LoadedRows"
import { ownShape } from "@pawl/sql/Shape"
import { Effect, Layer, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { afterAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../../e2e/kit/ServerProcess.ts"
import { makeSmallDisk, smallDisksMissing } from "../../e2e/kit/SmallDisk.ts"

const root = temporaryFolder()
afterAll(root.remove)

let made = 0
const newFolder = (): string => join(root.path, `${made++}`, "a", "b")

const project = "proj_00000000-0000-4000-8000-000000000001"
const counter = JSON.stringify({ day: "2026-11-27", name: "builds", used: 3 })
const oneRow = { "tables/pawl_daily_counter/000001.ndjson": `${counter}\n` }
const noCommits = { commits: [], pack: null, objects: 0 }

/** A repository as a line of the list. */
const listed = (more: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({ project, fork: null, ...noCommits, statements: noCommits, ...more })}\n`

interface Written {
  /** What the manifest names, by its path. */
  readonly files?: Readonly<Record<string, string>>
  /** Bytes that lists name. */
  readonly objects?: ReadonlyArray<string>
  readonly rows?: number
  readonly more?: Partial<Manifest>
}

/** A backup that is whole by all of its digests. Answers its folder. */
const written = ({ files = oneRow, more = {}, objects = [], rows = 1 }: Written = {}): string => {
  const folder = newFolder()
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const [name, text] of Object.entries(files)) put(name, text)
  for (const text of objects) put(objectName(sha256(Buffer.from(text))), text)
  const digests = Object.entries(files).map(([name, text]) => [name, sha256(Buffer.from(text))])
  const manifest = JSON.stringify({
    format: "pawl-backup",
    formatVersion: 1,
    pawl: "0.1.0",
    shape: ownShape.expansions.length,
    at: "2026-11-27T03:00:00.000Z",
    repositories: "folder",
    files: Object.fromEntries(digests),
    counts: { rows, objects: 0, objectBytes: 0, repositories: 0 },
    ...more
  })
  put("manifest.json", manifest)
  put("manifest.sha256", `${sha256(Buffer.from(manifest))}  manifest.json\n`)
  return folder
}

const optionsOf = (data: string) => Effect.runPromise(Options.read({ data }))

/** Why it was not restored; null where it was. */
const refusal = async (from: string, data = newFolder()): Promise<string | null> => {
  const done = await Effect.runPromise(Effect.result(restore(await optionsOf(data), from)))
  return Result.isFailure(done) ? done.failure.reason : null
}

/** Works on the database of a data folder. */
const inDatabase = async <A, E>(data: string, work: Effect.Effect<A, E, SqlClient.SqlClient>): Promise<A> =>
  Effect.runPromise(Effect.provide(work, Installations.of(await optionsOf(data)).restorable))

const counters = (data: string) =>
  inDatabase(
    data,
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT name, used FROM pawl_daily_counter`)
  )

describe("A backup that was written by hand", () => {
  it("is restored where it is as one must be", async () => {
    const data = newFolder()
    expect(await refusal(written(), data)).toBe(null)
    expect(await counters(data)).toEqual([{ name: "builds", used: 3 }])
  })

  it("puts no key outside of the data folder, and no file that is none of the keys", async () => {
    for (const name of ["keys/../../escaped", "keys/../escaped", "keys/run/sock"]) {
      const data = newFolder()
      const from = written({ files: { ...oneRow, [name]: "mine" } })
      const places = ["../escaped", "../../escaped", "run"].map((path) => join(data, path))
      await refusal(from, data)
      expect([name, places.filter(existsSync)]).toEqual([name, []])
    }
    expect(await refusal(written({ files: { ...oneRow, "keys/../../escaped": "mine" } }))).toContain(
      "manifest.json names a file that is none of a backup"
    )
  })

  it("makes no file of a commit that is none, and takes no name for a repository that is none", async () => {
    const commits = ["../../../../../../escaped"]
    const fork = `cand-cand_${"0".repeat(24)}`
    for (const lines of [
      listed({}) + listed({ fork, commits }),
      listed({ commits: ["--stdin"] }),
      listed({ project: "../../escaped" }),
      listed({ fork: "../escaped" })
    ]) {
      const data = newFolder()
      const from = written({ files: { ...oneRow, "lists/repositories/000001.ndjson": lines } })
      expect(await refusal(from, data)).toMatch(/lists\/repositories: /)
      const all = readdirSync(join(data, "../.."), { recursive: true, encoding: "utf8" })
      expect(all.filter((path) => path.includes("escaped"))).toEqual([])
    }
  })

  it.each([
    ["a line that is null", "null\n"],
    ["a line that is a number", "7\n"],
    ["a text where a number belongs", `${JSON.stringify({ day: "d", name: "n", used: "many" })}\n`],
    ["an object where a text belongs", `${JSON.stringify({ day: {}, name: "n", used: 1 })}\n`]
  ])("is refused with %s", async (_, text) => {
    const from = written({ files: { "tables/pawl_daily_counter/000001.ndjson": text } })
    expect(await refusal(from)).toContain("tables/pawl_daily_counter has a line that is no row of this table")
  })

  it("is refused with a row twice, and says of which table", async () => {
    const data = newFolder()
    const twice = { "tables/pawl_daily_counter/000001.ndjson": `${counter}\n${counter}\n` }
    expect(await refusal(written({ files: twice, rows: 2 }), data)).toMatch(
      /the rows of tables\/pawl_daily_counter cannot be put into the database: .*UNIQUE/
    )
    expect(await counters(data)).toEqual([])
  })

  it("is refused with fewer rows than it says, or with more", async () => {
    for (const rows of [0, 2]) {
      const data = newFolder()
      expect(await refusal(written({ rows }), data)).toContain(`it has 1 rows, and its manifest says ${rows}`)
      expect(await counters(data)).toEqual([])
    }
  })

  it("is taken with a table that this version has not any more, which is left out", async () => {
    const files = { ...oneRow, "tables/pawl_gone/000001.ndjson": "{}\n{}\n" }
    expect(await refusal(written({ files, rows: 3 }))).toBe(null)
    expect(await refusal(written({ files, rows: 1 }))).toContain("it has 3 rows")
  })

  it.each<readonly [string, Partial<Manifest>, string]>([
    ["a newer format", { formatVersion: 2 }, "its format 2 is newer than this version: restore it by a newer one"],
    ["a newer shape", { shape: 9999, pawl: "9.1.0" }, "was made by version 9.1.0, which is newer: restore it by that"]
  ])("is refused where it has %s, and says which version can", async (_, more, words) => {
    const data = newFolder()
    expect(await refusal(written({ more }), data)).toContain(words)
    expect(existsSync(data)).toBe(false)
  })

  it("is verified by no other rule: what cannot be restored is not verified, in the same words", async () => {
    const from = written({ files: { "tables/pawl_daily_counter/000001.ndjson": "null\n" } })
    const done = await Effect.runPromise(Effect.scoped(Effect.result(judged(from))))
    expect(Result.isFailure(done) && done.failure.reason).toContain("has a line that is no row of this table")
  })

  it("is known as one that was cut off, by what was written before its end", async () => {
    const folder = newFolder()
    mkdirSync(join(folder, "tables/pawl_daily_counter"), { recursive: true })
    expect(isBackup(folder)).toBe(true)
    const done = await Effect.runPromise(Effect.scoped(Effect.result(judged(folder))))
    expect(Result.isFailure(done) && done.failure.reason).toContain("cut off")
  })
})

describe("A restore", () => {
  it("goes on with the backup that it was cut off with, with no other, and nothing starts before", async () => {
    const [data, first] = [newFolder(), written()]
    const other = written({ files: { ...oneRow, "lists/objects/000001.ndjson": "" } })
    const options = await optionsOf(data)
    const digest = readFileSync(join(first, "manifest.sha256"), "utf8").slice(0, 64)
    mkdirSync(data, { recursive: true, mode: 0o700 })
    // What is there when it was killed after the rows.
    await inDatabase(data, inOneGo(digest, Effect.void))
    expect(await refusal(other, data)).toContain(`restore that one again (the sha256 of its manifest is ${digest})`)
    const starting = Effect.scoped(Effect.exit(Layer.build(Installations.of(options).state)))
    expect(String(await Effect.runPromise(starting))).toContain("a restore was cut off here")
    expect(await refusal(first, data)).toBe(null)
    expect(String(await Effect.runPromise(starting))).toContain("Success")
  })

  it("is refused where rows come in while it works, and where others are already", async () => {
    const data = newFolder()
    expect(await refusal(written(), data)).toBe(null)
    expect(await refusal(written(), data)).toBe(
      "the database is in use: pawl_daily_counter has rows. Restore into an empty one"
    )
    const loading = inDatabase(data, Effect.result(inOneGo("0".repeat(64), Effect.void)))
    expect(await loading).toMatchObject({ _tag: "Failure", failure: { _tag: "DatabaseFilled" } })
  })

  it("is refused beside objects and repositories of others, also those of packs", async () => {
    for (const key of ["apps/other", `git/${project}/pack.pack`]) {
      const data = newFolder()
      const first = written({
        files: {
          "lists/objects/000001.ndjson": `${JSON.stringify({ key, sha256: sha256(Buffer.from("x")), sizeBytes: 1 })}\n`
        },
        objects: ["x"],
        rows: 0
      })
      expect(await refusal(first, data)).toBe(null)
      expect(await refusal(written(), data)).toContain(`the object store is in use: it has ${key}`)
    }
  })

  it("is refused in a data folder with the keys of another installation", async () => {
    const data = newFolder()
    mkdirSync(data, { recursive: true, mode: 0o700 })
    writeFileSync(join(data, "signing-key"), "another", { mode: 0o600 })
    const from = written({ files: { ...oneRow, "keys/signing-key": "one" } })
    expect(await refusal(from, data)).toContain(
      `${join(data, "signing-key")} is there already, and another one than the backup's`
    )
    expect(await counters(data)).toEqual([])
    writeFileSync(join(data, "signing-key"), "one")
    expect(await refusal(from, data)).toBe(null)
  })
})

describe("A backup that is to be made", () => {
  it("is refused in the data folder itself, and where a file is in the way", async () => {
    const data = newFolder()
    expect(await refusal(written(), data)).toBe(null)
    const options = await optionsOf(data)
    const words = async (to: string) =>
      String(await Effect.runPromise(Effect.exit(Effect.scoped(backUp(options, to, false)))))
    for (const to of [data, join(data, "objects/backup")]) expect(await words(to)).toContain("is in the data folder")
    writeFileSync(join(root.path, "file"), "")
    expect(await words(join(root.path, "file"))).toContain("a file is where a folder has to be: name another folder")
  })

  it("is refused with keys where there are none, and leaves nothing behind", async () => {
    const data = newFolder()
    expect(await refusal(written(), data)).toBe(null)
    const options = await optionsOf(data)
    const to = newFolder()
    const made = async () => String(await Effect.runPromise(Effect.exit(Effect.scoped(backUp(options, to, true)))))
    expect(await made()).toContain(`--with-keys: there is no signing-key and no log-key in ${data}`)
    expect(existsSync(to)).toBe(false)
    for (const name of ["signing-key", "log-key"]) writeFileSync(join(data, name), name, { mode: 0o600 })
    expect(await made()).toContain("Success")
    expect(readFileSync(join(to, "keys/log-key"), "utf8")).toBe("log-key")
  })

  it.skipIf(smallDisksMissing !== null)(
    `says what to do on a full disk and on one that can only be read (${smallDisksMissing ?? "of 1 MiB"})`,
    async () => {
      const data = newFolder()
      expect(await refusal(written(), data)).toBe(null)
      const folder = newFolder()
      mkdirSync(folder, { recursive: true })
      const disk = await makeSmallDisk(folder, 1)
      const main = fileURLToPath(new URL("../../../src/node/main.ts", import.meta.url))
      const backedUp = (before: ReadonlyArray<string>, to: string) =>
        new Promise<string>((resolve) => {
          const [command, ...args] = [...disk.wrap, ...before, process.execPath, "--conditions=pawl-source", main]
          execFile(command, [...args, "backup", join(folder, to), "--data", data], (error, _, said) =>
            resolve(`${error?.code ?? 0} ${said}`)
          )
        })
      try {
        disk.fillTo(0)
        expect(await backedUp([], "full")).toMatch(/^2 [\s\S]*the disk is full, or this user's share of it: make room/)
        disk.clear()
        const readOnly = ["sh", "-c", 'mount -o remount,ro "$0" && exec "$@"', folder]
        expect(await backedUp(readOnly, "read")).toMatch(/^2 [\s\S]*name a folder on a disk that is not read-only/)
      } finally {
        await disk.end()
      }
    }
  )
})
