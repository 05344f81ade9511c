/** Servers whose statements a key in a KMS signs: a little one over real HTTP, for AWS's is not here. */
import { copyFileSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import * as LittleKms from "@pawl/testing/kms/LittleKms"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

const keyidIn = (text: string): string => /SHA256:[A-Za-z0-9+/]{43}/.exec(text)?.[0] ?? "no key"

let kms: LittleKms.LittleKms
beforeAll(async () => {
  kms = await LittleKms.start()
})
afterAll(() => kms?.stop())

const environmentOf = (arn: string, more: Readonly<Record<string, string>> = {}) => ({
  PAWL_SIGNER: `kms:${arn}`,
  PAWL_KMS_ENDPOINT: kms.endpoint,
  AWS_ACCESS_KEY_ID: kms.accessKeyId,
  AWS_SECRET_ACCESS_KEY: kms.secretAccessKey,
  ...more
})

describe("A server whose statements a key in a KMS signs", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  let server: ServerProcess
  let id: string
  let first: string
  let second: string

  const verified = async () => {
    const shown = await pawl(["key", "show"], { PAWL_DATA: data, ...environmentOf(first) })
    const state = { XDG_STATE_HOME: join(folder.path, "state") }
    return pawl(["verify", data, "--key", keyidIn(shown.output)], state)
  }
  const isSigned = (n: number) =>
    Flow.until(
      () =>
        fetch(`${server.origin}/v1/projects/${id}/versions/${n}/statement`, {
          headers: { authorization: `Bearer ${token}` }
        }),
      ({ status }) => status === 200
    )
  const edit = async (name: string, generation: number) => {
    const change = await Flow.openChange(server.api, id, name)
    await Flow.edit(server.api, change, { "public/hello.txt": `${name}\n` })
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    expect(await Flow.promote(server.api, candidate.id)).toMatchObject({ outcome: "promoted", generation })
    await isSigned(generation)
  }

  beforeAll(async () => {
    ;[first, second] = [kms.makeKey(), kms.makeKey()]
    server = await startServer({ data, environment: environmentOf(first, { PAWL_PROVENANCE: "enforce" }) })
  })
  afterAll(async () => {
    await server?.stop()
    folder.remove()
  })

  it("promotes and releases with enforced statements, which verify, and has no key of them in its folder", async () => {
    id = (await Flow.createProject(server.api, "by-kms")).id
    await Flow.liveApp(server.api, id, 0)
    await edit("one", 1)
    await Flow.liveApp(server.api, id, 1)
    expect(existsSync(join(data, "signing-key"))).toBe(false)
    expect(await verified()).toMatchObject({ code: 0 })
  })

  it("is followed by another key of the KMS, which the first one vouches for", async () => {
    const rotated = await pawl(["key", "rotate", "--next", `kms:${second}`], {
      PAWL_DATA: data,
      ...environmentOf(first)
    })
    expect(rotated.output).toContain(`set PAWL_SIGNER=kms:${second}, and start the server again`)
    await server.stop()
    server = await startServer({ data, environment: environmentOf(second, { PAWL_PROVENANCE: "enforce" }) })
    await edit("two", 2)
    expect(await verified()).toMatchObject({ code: 0 })
  })

  it("is told by the doctor that it signs, or why not, in words without secrets", async () => {
    const good = await pawl(["doctor", "--data", data], environmentOf(second))
    expect(good.output).toMatch(/^ok +Signer +SHA256:[A-Za-z0-9+/]{43}; provenance warn$/m)
    kms.faults.Sign.push({ fail: "AccessDeniedException" })
    const refused = await pawl(["doctor", "--data", data], environmentOf(second))
    expect(refused.output).toMatch(
      /^weak +Signer +the KMS of PAWL_SIGNER: these credentials may not use the key \(kms:GetPublicKey, kms:Sign\); /m
    )
    expect(refused.output).not.toMatch(/s3cr3t|pawl-secret/)
  })
})

describe.skipIf(reason !== null)("Workers on one database that sign in a KMS", () => {
  const folder = temporaryFolder()
  const [one, other] = [join(folder.path, "one"), join(folder.path, "other")]
  let postgres: PostgresServer.PostgresServer
  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(async () => {
    await postgres?.stop()
    folder.remove()
  })

  it("sign with one key: who names another is refused, with both of them, and starts with the right one", async () => {
    const [right, wrong] = [kms.makeKey(), kms.makeKey()]
    const environment = (arn: string) =>
      environmentOf(arn, { PAWL_DATABASE_URL: postgres.url, PAWL_ROLES: "api,router,worker" })
    const first = await startServer({ data: one, environment: environment(right) })
    const shown = await pawl(["key", "show"], { PAWL_DATA: one, ...environment(right) })
    mkdirSync(other, { recursive: true, mode: 0o700 })
    copyFileSync(join(one, "log-key"), join(other, "log-key"))
    const start = (arn: string) => startServer({ data: other, environment: environment(arn) })
    const refused = await start(wrong).catch((error: Error) => error.message)
    expect(refused).toMatch(/ended with 2/)
    expect(refused).toContain(
      `the key of statements is ${keyidIn(shown.output)}, and the KMS of PAWL_SIGNER signs with another one, SHA256:`
    )
    expect(refused).toContain("or give all of them the same PAWL_SIGNER")
    const second = await start(right)
    expect(await second.stop()).toBe(0)
    expect(await first.stop()).toBe(0)
  })
})
