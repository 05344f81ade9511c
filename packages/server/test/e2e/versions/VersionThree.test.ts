import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { slice } from "@pawl/testing/Depth"
import Pg from "pg"
import { describe } from "vitest"
import * as FakeTime from "../../../../adapters-pg/test/FakeTime.ts"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { readOn, type Store } from "./VersionThreeLife.ts"

const sqlite = (): Store => ({
  name: "sqlite",
  restore: async () => ({}),
  commands: async (folder) => {
    const database = new DatabaseSync(join(folder, "pawl.db"), { readOnly: true, timeout: 10_000 })
    const rows = database.prepare("SELECT id FROM pawl_command").all()
    database.close()
    return rows.map(({ id }) => String(id))
  },
  close: async () => undefined
})

const postgres = (): Store => {
  let server: PostgresServer.PostgresServer | undefined
  let client: Pg.Client | undefined
  return {
    name: "postgres",
    restore: async (sql, aheadMs) => {
      const flags = ["fsync=off", "synchronous_commit=on"]
      server = await PostgresServer.startOwn(flags, FakeTime.off((aheadMs / 1000).toFixed(3)))
      await PostgresServer.administer(server.url, sql())
      client = new Pg.Client({ connectionString: server.url })
      await client.connect()
      return { PAWL_DATABASE_URL: server.url }
    },
    commands: async () => {
      const found = await client?.query<{ id: string }>("SELECT id FROM pawl.pawl_command")
      return (found?.rows ?? []).map(({ id }) => id)
    },
    close: async () => {
      await client?.end()
      await server?.stop()
    }
  }
}

// A server on Postgres goes by the database's time, so that is the one of then, too.
const reason = (await PostgresServer.whyNotOwn()) ?? FakeTime.whyNot
const where = reason === null ? "" : ` (${reason})`

const stores = [
  ["A data folder of version 3 that was killed at work", sqlite, false],
  [`A Postgres of version 3 whose process was killed at work${where}`, postgres, reason !== null]
] as const

for (const [name, store, isLeftOut] of slice(stores, { quick: 1 }))
  describe.skipIf(isLeftOut)(name, () => {
    readOn(store())
  })
