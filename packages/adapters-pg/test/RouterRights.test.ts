/** The rights of a process that only routes: what its user of Postgres can do, and that it can do nothing else. */
import * as PgClient from "@pawl/adapters-pg/PgClient"
import { look, roleOf } from "@pawl/adapters-pg/rights/RightsLook"
import { grantRouter } from "@pawl/adapters-pg/rights/RouterGrants"
import { AppData } from "@pawl/core/app/AppData"
import { AppLogs } from "@pawl/core/app/AppLogs"
import { Records } from "@pawl/core/ledger/Records"
import * as Time from "@pawl/core/primitives/Time"
import { Fleet } from "@pawl/core/work/Fleet"
import { migrateTo } from "@pawl/sql/Migrations"
import { ownShape } from "@pawl/sql/Shape"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type Pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { newSchema, onPostgres, url } from "./PgFixture.ts"
import { allowedOf, connected, triesOf } from "./RouterTries.ts"

/** All that it may do. What stands in the catalogue beside this is tried, and refused. */
const allowed = {
  pawl_pointer: { SELECT: "all" },
  pawl_app_data: { SELECT: "all", INSERT: "all", UPDATE: ["value"], DELETE: "all" },
  pawl_app_store: { SELECT: "all", INSERT: "all", UPDATE: ["keys"] },
  pawl_app_log: { SELECT: ["project_id", "sequence"], INSERT: "all", DELETE: "all" },
  pawl_app_log_end: { SELECT: "all", INSERT: "all", UPDATE: ["last"] },
  pawl_migration: { SELECT: "all" },
  pawl_contraction: { SELECT: "all" },
  pawl_chain: { SELECT: "all" },
  pawl_statement: { SELECT: "all" },
  pawl_process: {
    SELECT: "all",
    INSERT: ["id", "version", "roles", "started_at", "seen_at", "shape"],
    UPDATE: ["version", "roles", "seen_at"],
    DELETE: "all"
  }
} as const

const isAllowed = (right: string): boolean => {
  const [privilege = "", what = ""] = right.split(" ")
  const [table = "", column] = what.split(".")
  const columns: unknown = Object(Object(allowed)[table])[privilege]
  // Who may write a table may also hold others up with a lock of it.
  if (privilege === "LOCK") return ["UPDATE", "DELETE"].some((each) => Object(Object(allowed)[table])[each] === "all")
  return columns === "all" || (Array.isArray(columns) && columns.includes(column))
}

onPostgres("The user of a process that only routes", () => {
  const schema = newSchema()
  const name = `pawl.router-${process.pid}@tests`
  const routerUrl = () => {
    const own = new URL(url)
    own.username = encodeURIComponent(name)
    own.password = "routes"
    return own.toString()
  }
  let owner: Pg.Client
  let router: Pg.Client

  const asOwner = <A, E>(work: Effect.Effect<A, E, SqlClient>) =>
    Effect.runPromise(Effect.provide(work, PgClient.layer({ url: Redacted.make(url), schema })))
  const grant = (to = name) => asOwner(Effect.result(grantRouter(to, schema)))
  const report = () =>
    asOwner(Effect.flatMap(roleOf(name), (role) => (role === null ? Effect.die("no role") : look(role, schema))))
  const whole = { role: name, unbound: null, missing: [], surplus: [] }

  beforeAll(async () => {
    await asOwner(migrateTo(ownShape))
    owner = await connected(url, schema)
    await owner.query(`CREATE ROLE "${name}" LOGIN PASSWORD 'routes'`)
    router = await connected(routerUrl(), schema)
  })
  afterAll(async () => {
    await router?.end()
    await owner?.query(`DROP OWNED BY "${name}"; DROP ROLE "${name}"`)
    await owner?.end()
  })

  it("reaches nothing before it is given something, and what it lacks is told", async () => {
    const tries = await triesOf(owner, schema)
    expect(tries.length).toBeGreaterThan(1000)
    // It does not even find the tables.
    await expect(router.query("SELECT 1 FROM pawl_pointer")).rejects.toMatchObject({ code: "42P01" })
    expect(await report()).toEqual({ ...whole, missing: [`USAGE of the schema ${schema}`] })
  })

  it("is given what it needs, once or again, and then everything else of the catalogue is refused to it", async () => {
    expect(await grant()).toMatchObject({ _tag: "Success", success: whole })
    expect(await grant()).toMatchObject({ _tag: "Success", success: whole })
    const tries = await triesOf(owner, schema)
    const all = tries.map(({ right }) => right)
    expect(await allowedOf(router, tries)).toEqual(all.filter(isAllowed))
    // The list above names nothing that is not there.
    for (const [table, privileges] of Object.entries(allowed))
      for (const [privilege, columns] of Object.entries(privileges))
        for (const column of columns === "all" ? [] : columns) expect(all).toContain(`${privilege} ${table}.${column}`)
    expect(new Set(all.filter(isAllowed).map((right) => right.split(/[ .]/)[1]))).toEqual(new Set(Object.keys(allowed)))
  })

  it("sees the processes of its own user alone, and cannot speak for another", async () => {
    const columns = "(id, version, roles, started_at, seen_at, shape)"
    await owner.query(`INSERT INTO pawl_process ${columns} VALUES ('of the owner', '1', 'api', 0, 0, 0)`)
    await router.query(`INSERT INTO pawl_process ${columns} VALUES ('of the router', '1', 'router', 0, 0, 0)`)
    const ids = "SELECT id, owner FROM pawl_process"
    expect((await router.query(ids)).rows).toEqual([{ id: "of the router", owner: name }])
    expect((await router.query("UPDATE pawl_process SET version = '2'")).rowCount).toBe(1)
    const taken = `INSERT INTO pawl_process ${columns} VALUES ('of the owner', '9', 'worker', 0, 0, 0)`
    await expect(
      router.query(`${taken} ON CONFLICT (id) DO UPDATE SET version = excluded.version`)
    ).rejects.toMatchObject({ code: "42501" })
    await expect(
      router.query(
        "INSERT INTO pawl_process (id, version, roles, started_at, seen_at, owner) VALUES ('x', '1', '', 0, 0, 'postgres')"
      )
    ).rejects.toMatchObject({ code: "42501" })
    expect((await router.query("DELETE FROM pawl_process")).rowCount).toBe(1)
    expect((await owner.query(`${ids} ORDER BY id`)).rows).toMatchObject([{ id: "of the owner" }])
    await owner.query("DELETE FROM pawl_process")
  })

  it("reads the history of keys, and of no Project what its statements say of people", async () => {
    const put = "(project_id, id, revision, data) VALUES ('', $1, 1, '{}')"
    for (const id of ["instance", "proj_1"]) await owner.query(`INSERT INTO pawl_chain ${put}`, [id])
    const entries = ["instance/00000000", "proj_1/00000000", "instanceofmine/00000000"]
    for (const id of entries) await owner.query(`INSERT INTO pawl_statement ${put}`, [id])
    const seen = async (client: Pg.Client, table: string) =>
      (await client.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY position`)).rows.map(({ id }) => id)
    expect(await seen(router, "pawl_chain")).toEqual(["instance"])
    expect(await seen(router, "pawl_statement")).toEqual(["instance/00000000"])
    expect(await seen(owner, "pawl_statement")).toEqual(entries)
    await owner.query("DELETE FROM pawl_chain; DELETE FROM pawl_statement")
  })

  it("is enough for the stores of a router, and everybody else who has rights still reaches all rows", async () => {
    const stores = Layer.provide(
      SqlStores.layerBeside,
      PgClient.layerBeside({ url: Redacted.make(routerUrl()), schema })
    )
    const work = Effect.gen(function* () {
      const startedAt = yield* Time.now
      const [data, fleet, logs, records] = [yield* AppData, yield* Fleet, yield* AppLogs, yield* Records]
      const store = { project: "proj_1", channel: "production" }
      yield* data.put(store, "visits", "1")
      yield* data.put(store, "visits", "2")
      yield* data.put(store, "gone", "1")
      yield* data.remove(store, "gone")
      yield* logs.append("proj_1", [
        { channel: "production", level: "info", source: "console", text: "printed", time: startedAt, version: "v" }
      ])
      const own = { id: "router-1", version: "1", roles: ["router"], startedAt }
      yield* fleet.note(own)
      yield* fleet.note(own)
      const noted = (yield* fleet.all).map(({ id }) => id)
      yield* fleet.leave(own.id)
      const refused = yield* Effect.flip(records.list("token", { limit: 1 }))
      return {
        kept: yield* data.get(store, "visits"),
        listed: (yield* data.list(store, {})).keys,
        pointers: (yield* records.list("pointer", { limit: 1 })).items,
        noted,
        read: (yield* Effect.flip(logs.read("proj_1", {}))).reason,
        refused: refused.reason
      }
    })
    expect(await Effect.runPromise(Effect.provide(work, stores))).toEqual({
      kept: "2",
      listed: [{ name: "visits" }],
      pointers: [],
      noted: ["router-1"],
      read: "42501: permission denied for table pawl_app_log",
      refused: "42501: permission denied for table pawl_token"
    })
    const other = `pawl_reader_${process.pid}`
    await owner.query(`CREATE ROLE ${other}; GRANT USAGE ON SCHEMA ${schema} TO ${other}`)
    await owner.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${other}; SET ROLE ${other}`)
    await owner.query(
      "INSERT INTO pawl_process (id, version, roles, started_at, seen_at, owner) VALUES ('x', '1', '', 0, 0, 'who')"
    )
    expect((await owner.query("DELETE FROM pawl_process")).rowCount).toBe(1)
    await owner.query(`RESET ROLE; DROP OWNED BY ${other}; DROP ROLE ${other}`)
  })

  it("does not reach the table of a later version, nor a new column where single ones are given", async () => {
    const next = {
      ...ownShape,
      expansions: [
        ...ownShape.expansions,
        () => ["CREATE TABLE pawl_next (id TEXT)", "ALTER TABLE pawl_process ADD COLUMN next TEXT"]
      ]
    }
    await asOwner(migrateTo(next))
    const tries = await triesOf(owner, schema)
    const ofNext = tries.filter(({ right }) => /pawl_next|pawl_process\.next/.test(right))
    expect(ofNext.length).toBeGreaterThan(12)
    expect(await allowedOf(router, ofNext)).toEqual(["SELECT pawl_process.next"])
    await owner.query("DROP TABLE pawl_next; ALTER TABLE pawl_process DROP COLUMN next")
    await owner.query(`DELETE FROM pawl_migration WHERE version = ${next.expansions.length}`)
  })

  it("is told of what it has too much, which the next grant takes away where it can", async () => {
    await owner.query(`GRANT SELECT, UPDATE ON pawl_token TO "${name}"; GRANT CREATE ON SCHEMA ${schema} TO "${name}"`)
    await owner.query(`GRANT SELECT (data) ON pawl_app_log TO "${name}"; REVOKE SELECT ON pawl_pointer FROM "${name}"`)
    await owner.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO "${name}"`)
    await owner.query("ALTER TABLE pawl_process DISABLE ROW LEVEL SECURITY")
    expect(await report()).toEqual({
      ...whole,
      missing: ["SELECT of pawl_pointer"],
      surplus: [
        "SELECT (data) of pawl_app_log",
        "SELECT of pawl_token",
        "UPDATE of pawl_token",
        "all rows of pawl_process",
        `CREATE in the schema ${schema}`,
        "whatever is made later, of tables"
      ]
    })
    expect(await grant()).toMatchObject({ _tag: "Success", success: whole })
    await owner.query("GRANT SELECT ON pawl_user TO PUBLIC; CREATE SCHEMA beside; CREATE TABLE beside.secret (id TEXT)")
    await owner.query(
      `GRANT USAGE ON SCHEMA beside TO PUBLIC; GRANT SELECT ON beside.secret TO PUBLIC; GRANT pg_monitor TO "${name}"`
    )
    expect(await grant()).toMatchObject({
      success: {
        missing: [],
        surplus: ["SELECT of pawl_user", "SELECT of beside.secret", "what the role pg_monitor may"]
      }
    })
    await owner.query(
      `REVOKE SELECT ON pawl_user FROM PUBLIC; DROP SCHEMA beside CASCADE; REVOKE pg_monitor FROM "${name}"`
    )
    expect(await report()).toEqual(whole)
  })

  it("must be one whom rights hold for: there, no owner, without rights of its own, under a name that can be one", async () => {
    const refused = async (to: string) => JSON.stringify(await grant(to))
    expect(await refused(`x"; DROP SCHEMA ${schema}; --`)).toContain("use 1 to 63 letters")
    expect(await refused("public")).toContain("use 1 to 63 letters")
    expect(await refused("nobody_of_this_name")).toContain("there is no user nobody_of_this_name in Postgres")
    expect(await refused(decodeURIComponent(new URL(url).username))).toContain("cannot be kept within rights: it is")
    const member = `pawl_member_${process.pid}`
    await owner.query(
      `CREATE ROLE ${member}_owner; GRANT ${member}_owner TO CURRENT_USER; CREATE ROLE ${member} IN ROLE ${member}_owner`
    )
    await owner.query(
      `GRANT CREATE ON SCHEMA ${schema} TO ${member}_owner; ALTER TABLE pawl_slug OWNER TO ${member}_owner`
    )
    expect(await refused(member)).toContain("it is, or may become, who owns pawl_slug")
    await owner.query(
      `ALTER TABLE pawl_slug OWNER TO CURRENT_USER; DROP OWNED BY ${member}_owner; DROP ROLE ${member}, ${member}_owner`
    )
  })
})
