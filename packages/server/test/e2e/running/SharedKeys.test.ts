/** Workers on machines of their own, which have nothing in common but a Postgres. */
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { pawl } from "../kit/Command.ts"
import { startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

const keyidIn = (text: string): string => /SHA256:[A-Za-z0-9+/]{43}/.exec(text)?.[0] ?? "no key"

describe.skipIf(reason !== null)("Workers on one database", () => {
  const folder = temporaryFolder()
  const [one, other, third] = ["one", "other", "third"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string
  ]
  let postgres: PostgresServer.PostgresServer

  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(async () => {
    await postgres?.stop()
    folder.remove()
  })

  it("sign with one key: who has another is refused, with both of them and what to do, and starts with the right one", async () => {
    const environment = { PAWL_DATABASE_URL: postgres.url }
    const first = await startServer({ data: one, environment })
    const shown = await pawl(["key", "show"], { PAWL_DATA: one, ...environment })
    const keyid = keyidIn(shown.output)
    // Another installation, whose keys came along.
    const alone = await startServer({ data: third })
    await alone.stop()
    mkdirSync(other, { recursive: true, mode: 0o700 })
    const files = ["signing-key", "log-key"]
    for (const file of files) copyFileSync(join(third, file), join(other, file))
    const worker = { ...environment, PAWL_ROLES: "worker" }
    const refused = await startServer({ data: other, environment: worker }).catch((error: Error) => error.message)
    expect(refused).toMatch(/ended with 2/)
    expect(refused).toContain(`the key of statements is ${keyid}, and signing-key is another one, SHA256:`)
    expect(refused).toContain("copy signing-key, log-key")
    for (const file of files) copyFileSync(join(one, file), join(other, file))
    const second = await startServer({ data: other, environment: worker })
    expect(await second.stop()).toBe(0)
    expect(await first.stop()).toBe(0)
  })
})
