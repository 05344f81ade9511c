import Pg from "pg"
import { describe } from "vitest"
import * as FakeTime from "../../../../adapters-pg/test/FakeTime.ts"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { readOn } from "./VersionThreeLife.ts"

// A server on Postgres goes by the database's time, so that is the one of then, too.
const reason = (await PostgresServer.whyNotOwn()) ?? FakeTime.whyNot
const where = reason === null ? "" : ` (${reason})`

describe.skipIf(reason !== null)(`A Postgres of version 3 whose process was killed at work${where}`, () => {
  let postgres: PostgresServer.PostgresServer | undefined
  let client: Pg.Client | undefined
  readOn({
    name: "postgres",
    restore: async (sql, aheadMs) => {
      const flags = ["fsync=off", "synchronous_commit=on"]
      postgres = await PostgresServer.startOwn(flags, FakeTime.off((aheadMs / 1000).toFixed(3)))
      await PostgresServer.administer(postgres.url, sql())
      client = new Pg.Client({ connectionString: postgres.url })
      await client.connect()
      return { PAWL_DATABASE_URL: postgres.url }
    },
    commands: async () => {
      const found = await client?.query<{ id: string }>("SELECT id FROM pawl.pawl_command")
      return (found?.rows ?? []).map(({ id }) => id)
    },
    close: async () => {
      await client?.end()
      await postgres?.stop()
    }
  })
})
