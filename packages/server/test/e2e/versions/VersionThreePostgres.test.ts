import Pg from "pg"
import { describe } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { readOn } from "./VersionThreeLife.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

describe.skipIf(reason !== null)("A Postgres of version 3 whose process was killed at work", () => {
  let postgres: PostgresServer.PostgresServer | undefined
  let client: Pg.Client | undefined
  readOn({
    name: "postgres",
    restore: async (sql) => {
      postgres = await PostgresServer.start()
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
