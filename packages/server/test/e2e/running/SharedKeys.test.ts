/** Workers on machines of their own, which have nothing in common but a Postgres. */
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs"
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
    // What the page of many machines has people copy.
    const files = ["signing-key", "log-key", "trusted-keys"]
    for (const file of files) copyFileSync(join(third, file), join(other, file))
    const worker = { ...environment, PAWL_ROLES: "worker" }
    const refused = await startServer({ data: other, environment: worker }).catch((error: Error) => error.message)
    expect(refused).toMatch(/ended with 2/)
    expect(refused).toContain(`the key of statements is ${keyid}, and signing-key is another one, SHA256:`)
    expect(refused).toContain("copy signing-key and log-key")
    const told = async () => (await pawl(["doctor", "--data", other], worker)).output
    const mending = /mend it with: copy signing-key and log-key out of the data folder of a worker/
    const stated = `the key of this installation's statements is ${keyid}`
    expect(await told()).toMatch(new RegExp(`MISSING {2}Signer +SHA256:.*; ${stated.replaceAll("+", "\\+")}`))
    expect(await told()).toMatch(mending)
    for (const file of files) rmSync(join(other, file))
    expect(await told()).toContain(`signing-key in the data folder is not there; ${stated}`)
    const without = await startServer({ data: other, environment: worker })
    expect(await without.stop()).toBe(0)
    // Nobody is told to begin with new keys where others have the right ones.
    expect(without.log()).toMatch(
      /signing-key in the data folder is not there\. Workers on one database sign with one key: copy signing-key and .*When none has it any more, see `pawl key reset`/
    )
    copyFileSync(join(one, "signing-key"), join(other, "signing-key"))
    const half = await startServer({ data: other, environment: worker })
    expect(await half.stop()).toBe(0)
    expect(half.log()).toContain("and log-key in the data folder is not there. Workers on one database")
    for (const file of files) copyFileSync(join(one, file), join(other, file))
    expect(readFileSync(join(other, "trusted-keys"), "utf8")).toBe(`${keyid}\n`)
    const second = await startServer({ data: other, environment: worker })
    expect(await told()).toMatch(new RegExp(`ok {7}Signer +${keyid.replaceAll("+", "\\+")}; provenance`))
    expect(await second.stop()).toBe(0)
    expect(await first.stop()).toBe(0)
  })
})
