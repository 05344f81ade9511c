import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

describe("The lock file", () => {
  // better-sqlite3 ships its binary and says `gypfile: false`, but `npm ci` reads the lock file alone: without this
  // entry it runs node-gyp all the same, which needs Python and Node's headers. `npm install` drops the entry.
  it("keeps npm from building what comes built: better-sqlite3 says gypfile false", () => {
    const lock: unknown = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"))
    expect(lock).toMatchObject({ packages: { "node_modules/better-sqlite3": { gypfile: false } } })
  })
})
