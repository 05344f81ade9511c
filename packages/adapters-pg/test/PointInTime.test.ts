/** Postgres's own recovery to a point in time, as docs/operating/backup.md tells it. */
import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Option, Redacted } from "effect"
import Pg from "pg"
import { describe, expect, it } from "vitest"
import { Records } from "@pawl/core/ledger/Records"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import * as SqlStores from "@pawl/sql/SqlStores"
import { change, changeId, commit } from "@pawl/testing/tools/StoreFixtures"
import { insert } from "@pawl/core/ledger/Commit"
import { ownAddress } from "../../adapters-local/test/OwnAddress.ts"
import * as PostgresServer from "./PostgresServer.ts"

const reason = await PostgresServer.whyNotOwn()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

describe.skipIf(reason !== null)("A Postgres that archives its log", () => {
  it("is brought back to a time: what was committed up to then is there, and nothing that came later", async () => {
    const place = mkdtempSync(join(tmpdir(), "pawl-point-in-time-"))
    const [cluster, base, archive] = ["cluster", "base", "archive"].map((name) => join(place, name)) as [
      string,
      string,
      string
    ]
    for (const folder of [cluster, archive]) mkdirSync(folder)
    // Postgres is another user.
    chmodSync(place, 0o755)
    chmodSync(archive, 0o777)
    const flags = [
      "wal_level=replica",
      "archive_mode=on",
      `archive_command=cp %p ${archive}/%f`,
      `restore_command=cp ${archive}/%f %p`
    ]
    const where = { address: ownAddress, folder: cluster, reached: cluster, wrap: [] }
    const server = await PostgresServer.startOwn(flags, {}, where)
    const stores = Layer.provideMerge(SqlStores.layer, PgClient.layer({ url: Redacted.make(server.url) }))
    const add = (n: number) =>
      Effect.runPromise(Effect.provide(commit({ writes: [insert("change", change(n))] }), stores))
    const asked = async (sql: string): Promise<string> => {
      const client = new Pg.Client(server.url)
      await client.connect()
      try {
        return String(Object.values(Object(((await client.query(sql)).rows as ReadonlyArray<unknown>)[0]))[0])
      } finally {
        await client.end()
      }
    }
    try {
      await add(1)
      const backing = new Pg.Client(server.url)
      await backing.connect()
      await backing.query("SELECT pg_backup_start('base', true)")
      execFileSync("cp", ["-a", cluster, base])
      const { rows } = await backing.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)")
      await backing.end()
      await add(2)
      const time = await asked("SELECT clock_timestamp()::text")
      await add(3)
      const last = await asked("SELECT pg_walfile_name(pg_switch_wal())")
      while (!existsSync(join(archive, last))) await new Promise((resolve) => setImmediate(resolve))
      await server.kill()

      rmSync(cluster, { recursive: true })
      execFileSync("cp", ["-a", base, cluster])
      // Its log is the archive's.
      for (const left of ["postmaster.pid", "pg_wal"]) rmSync(join(cluster, left), { recursive: true, force: true })
      mkdirSync(join(cluster, "pg_wal"), { mode: 0o700 })
      writeFileSync(join(cluster, "backup_label"), rows[0]!.labelfile)
      writeFileSync(join(cluster, "recovery.signal"), "")
      const target = `recovery_target_time = '${time}'\nrecovery_target_action = 'promote'\n`
      appendFileSync(join(cluster, "postgresql.auto.conf"), target)
      execFileSync("chown", ["-R", "--reference", join(cluster, "PG_VERSION"), cluster])
      await server.start()
      await asked("SELECT 1")
      const found = (n: number) =>
        Effect.runPromise(
          Effect.provide(
            Effect.flatMap(Records, (records) => Effect.map(records.get("change", changeId(n)), Option.isSome)),
            stores
          )
        )
      expect([await found(1), await found(2), await found(3)]).toEqual([true, true, false])
      await add(3)
    } finally {
      await server.stop()
      rmSync(place, { recursive: true, force: true })
    }
  })
})
