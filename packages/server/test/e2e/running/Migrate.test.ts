/** `pawl migrate`, and what becomes of a server whose database a newer version took something from. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { depth } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { pawl } from "../kit/Command.ts"
import { startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

/** It waits for a server's next note. */
const deeply = depth === "quick" ? [] : [depth]

const shape = /\d+/

describe("pawl migrate on a data folder", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  const migrate = (...args: ReadonlyArray<string>) => pawl(["migrate", "--data", data, ...args], {})

  afterAll(() => {
    folder.remove()
  })

  it("tells that there is something to do, and makes nothing; then does it, once", async () => {
    const needed = await migrate("--check")
    expect(needed).toEqual({ code: 1, output: expect.stringContaining("The database is empty; this version needs") })
    expect(existsSync(data)).toBe(false)
    const done = await migrate()
    expect(done).toEqual({ code: 0, output: expect.stringContaining("was empty") })
    const again = { code: 0, output: `The database has the shape of this version, ${shape.exec(done.output)?.[0]}.\n` }
    expect(await migrate("--check")).toEqual(again)
    expect(await migrate()).toEqual(again)
  })

  it("only looks while a server has the folder", async () => {
    const server = await startServer({ data })
    try {
      expect(await migrate()).toMatchObject({
        code: 2,
        output: expect.stringContaining(`in use by the process ${server.child.pid}`)
      })
      expect(await migrate("--check")).toMatchObject({ code: 0 })
    } finally {
      await server.stop()
    }
  })
})

describe.skipIf(reason !== null)("pawl migrate on Postgres", () => {
  const folder = temporaryFolder()
  let postgres: PostgresServer.PostgresServer
  const environment = () => ({ PAWL_DATABASE_URL: postgres.url, PAWL_DATA: folder.path })
  const migrate = (...args: ReadonlyArray<string>) => pawl(["migrate", ...args], environment())
  const administer = (sql: string) => PostgresServer.administer(postgres.url, sql)

  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(async () => {
    await postgres.stop()
    folder.remove()
  })

  it("tells of a shape that is behind, and brings it on; four at once do it once", async () => {
    expect(await migrate("--check")).toMatchObject({ code: 1 })
    const all = await Promise.all(Array.from({ length: 4 }, () => migrate()))
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(all.filter(({ output }) => output.includes("was empty"))).toHaveLength(1)
    expect(await migrate("--check")).toMatchObject({ code: 0 })
  })

  it("names what waits for an older version, and takes it away when that has gone", async () => {
    await administer(`INSERT INTO pawl.pawl_transition VALUES ('pawl_change', 'live', 'dreaming')`)
    await administer(`INSERT INTO pawl.pawl_process (id, version, roles, started_at, seen_at, shape)
      SELECT 'older-host', '0.0.1', 'worker', ms, ms, 0 FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS now`)
    const waits = expect.stringContaining("waits for the end of older-host: steps of lives")
    expect(await migrate("--check")).toEqual({ code: 1, output: waits })
    expect(await migrate()).toEqual({ code: 0, output: waits })
    await administer("DELETE FROM pawl.pawl_process")
    expect(await migrate()).toEqual({
      code: 0,
      output: expect.stringContaining("done, for no older version runs: steps of lives")
    })
    expect(await migrate("--check")).toMatchObject({ code: 0 })
  })

  it("works on the shape of a newer version, and refuses one that lost what it needs", async () => {
    await administer("INSERT INTO pawl.pawl_migration (version, at) VALUES (999, 0)")
    expect(await migrate("--check")).toEqual({
      code: 0,
      output: expect.stringContaining("the shape 999 of a newer version")
    })
    await administer("INSERT INTO pawl.pawl_contraction (number, at) VALUES (99, 0)")
    for (const args of [["--check"], []])
      expect(await migrate(...args)).toEqual({ code: 2, output: expect.stringContaining("run the newer program") })
    await administer("DELETE FROM pawl.pawl_contraction WHERE number = 99")
  })

  it.each(deeply)("a server ends in words when a newer version took away what it needs (%s)", async () => {
    const server = await startServer({ data: folder.path, environment: environment() })
    await administer("INSERT INTO pawl.pawl_contraction (number, at) VALUES (99, 0)")
    expect(await server.ended).toBe(1)
    expect(server.log()).toContain("A newer version of Pawl has taken away what this one needs")
  })
})
