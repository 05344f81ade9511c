import Sqlite from "better-sqlite3"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { update, insert } from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { History } from "@pawl/core/ledger/History"
import { defaultPolicy } from "@pawl/core/model/Policy"
import { recordDigest } from "@pawl/core/provenance/RecordDigest"
import { claim, change, changeId, command, commit, ids, projectId, send } from "@pawl/testing/tools/StoreFixtures"
import { storesOn, temporaryFile } from "./SqliteFixture.ts"

const hourMs = 3_600_000
const at = "2026-01-01T00:00:00.000Z"

/** A Change begins, and goes a step. */
const begun = (n: number, project: number) => {
  const record = { ...change(n), projectId: projectId(project) }
  return Effect.andThen(
    commit({ projectId: projectId(project), writes: [insert("change", record)] }),
    commit({
      projectId: projectId(project),
      writes: [update("change", { record, revision: 1 }, { status: "compiling" })]
    })
  )
}

/** What stands in the history of both Projects, and of the second Change. */
const told = Effect.gen(function* () {
  const history = yield* History
  const pages = [
    yield* history.ofProject(projectId(1), {}),
    yield* history.ofProject(projectId(2), {}),
    yield* history.ofChange(changeId(2), {})
  ]
  return pages.map(({ items }) => items.map(({ at: _, ...item }) => item))
})

/** What versions after 9 brought is not in an older file. */
const youngerTables = ["repo", "pack", "trash", "process", "contraction", "owed"].map(
  (name) => `DROP TABLE pawl_${name}`
)

/** The file as version 7 kept it: places in the history by Project, and the line of Projects with an index. */
const asVersionSeven = (file: string): void => {
  const db = new Sqlite(file)
  for (const statement of [
    "ALTER TABLE pawl_history RENAME TO newer",
    `CREATE TABLE pawl_history (project_id TEXT NOT NULL, position BIGINT NOT NULL, change_id TEXT, at BIGINT NOT NULL, data TEXT NOT NULL,
      PRIMARY KEY (project_id, position)) WITHOUT ROWID`,
    "INSERT INTO pawl_history SELECT project_id, position, change_id, at, data FROM newer",
    "DROP TABLE newer",
    "CREATE INDEX pawl_history_change ON pawl_history (change_id, position)",
    "DELETE FROM pawl_turn WHERE project_id = '*'",
    "ALTER TABLE pawl_turn RENAME TO newer",
    "CREATE TABLE pawl_turn (project_id TEXT PRIMARY KEY, served BIGINT NOT NULL)",
    "INSERT INTO pawl_turn SELECT * FROM newer",
    "DROP TABLE newer",
    "CREATE INDEX pawl_turn_served ON pawl_turn (served)",
    ...youngerTables,
    "DELETE FROM pawl_migration WHERE version > 7"
  ])
    db.prepare(statement).run()
  db.close()
}

it("goes on with the history and the line of Projects of a file that version 7 made", () =>
  Effect.gen(function* () {
    const file = yield* temporaryFile
    const before = yield* Effect.gen(function* () {
      yield* begun(1, 1)
      yield* begun(2, 2)
      yield* begun(3, 1)
      for (const project of [1, 2]) {
        yield* send([command(`${project}-a`), command(`${project}-b`)], projectId(project))
        yield* claim(1, { leaseMs: hourMs })
      }
      return yield* told
    }).pipe(Effect.provide(storesOn(file)))
    expect(before.map((items) => items.length)).toEqual([4, 2, 2])
    asVersionSeven(file)
    yield* Effect.gen(function* () {
      expect(yield* told).toEqual(before)
      yield* begun(4, 2)
      const [, second] = yield* told
      expect(second?.map(({ id, to }) => [id, to])).toEqual([
        [changeId(2), "created"],
        [changeId(2), "compiling"],
        [changeId(4), "created"],
        [changeId(4), "compiling"]
      ])
      expect([...ids(yield* claim(1)), ...ids(yield* claim(1))]).toEqual(["agent.wake:1-b", "agent.wake:2-b"])
    }).pipe(Effect.provide(storesOn(file)))
  }).pipe(Effect.scoped, Effect.runPromise))

it("writes the rows of Policies whole that version 8 left to defaults, and their digests stay", () =>
  Effect.gen(function* () {
    const file = yield* temporaryFile
    const policy = { projectId: projectId(1), version: 1, ...defaultPolicy, updatedAt: at, updatedBy: "system:default" }
    yield* commit({
      projectId: projectId(1),
      writes: [insert("policy", policy), insert("policyVersion", policy)]
    }).pipe(Effect.provide(storesOn(file)))
    const { approvalsRequired: _, baseChecksMustPass: __, packages: ___, ...older } = policy
    const db = new Sqlite(file)
    for (const table of ["pawl_policy", "pawl_policy_version"])
      db.prepare(`UPDATE ${table} SET data = ?`).run(JSON.stringify(older))
    for (const statement of [...youngerTables, "DELETE FROM pawl_migration WHERE version > 8"])
      db.prepare(statement).run()
    db.close()
    const read = yield* demand("policyVersion", `${projectId(1)}/1`).pipe(Effect.provide(storesOn(file)))
    expect(recordDigest("policyVersion", read.record)).toBe(recordDigest("policyVersion", policy))
    const after = new Sqlite(file)
    const rows = ["pawl_policy", "pawl_policy_version"].map((table) => after.prepare(`SELECT data FROM ${table}`).all())
    after.close()
    for (const [row] of rows) expect(JSON.parse(String(row?.["data"]))).toEqual(policy)
  }).pipe(Effect.scoped, Effect.runPromise))
