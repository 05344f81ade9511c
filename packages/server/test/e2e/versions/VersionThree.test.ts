import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe } from "vitest"
import { readOn } from "./VersionThreeLife.ts"

describe("A data folder of version 3 that was killed at work", () => {
  readOn({
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
})
