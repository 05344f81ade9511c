import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeBucket, withStore } from "../../../../adapters-s3/test/Buckets.ts"
import * as S3Server from "../../../../adapters-s3/test/S3Server.ts"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const missing = S3Server.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

describe.skipIf(missing !== null)("A server whose objects are in a bucket of S3, on radosgw", () => {
  const folder = temporaryFolder()
  let s3: S3Server.S3Server
  let options: Awaited<ReturnType<typeof makeBucket>>
  let server: ServerProcess

  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    PAWL_OBJECTS: `s3://${options.bucket}/of pawl`,
    PAWL_S3_ENDPOINT: s3.endpoint,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    ...more
  })
  const readiness = async (): Promise<{ readonly status: string }> =>
    Object(await (await fetch(`${server.origin}/health/ready`)).json())

  beforeAll(async () => {
    s3 = await S3Server.start()
    options = await makeBucket(s3, { root: "of pawl/" })
    server = await startServer({ data: folder.path, environment: environment() })
  })
  afterAll(async () => {
    await server?.stop()
    await s3?.stop()
    folder.remove()
  })

  it("takes an edit through checks, promotion and release to its public host, and serves it after a restart", async () => {
    const { api } = server
    const project = await Flow.createProject(api, "in-a-bucket")
    const before = await Flow.liveApp(api, project.id, 0)
    expect((await api.page(before.url)).text).toBe("one")
    const change = await Flow.openChange(api, project.id, "first")
    await Flow.edit(api, change, { "src/index.js": Flow.source("two")["src/index.js"] })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    expect(candidate).toMatchObject({ status: "verified" })
    const checked = (await Flow.evidence(api, candidate.id)).find(({ checkId }) => checkId === "test")
    expect(await api.text(`/v1/evidence/${checked!.id}/output`)).toBe("ran\n")
    expect(await Flow.promote(api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 1 })
    expect(await Flow.released(api, project.id, 1)).toMatchObject({ status: "deployed" })
    await Flow.liveApp(api, project.id, 1)
    await server.stop()
    expect(existsSync(join(folder.path, "objects"))).toBe(false)
    const kept = await withStore(options, (store) => Effect.map(store.list(""), (all) => all.map(({ key }) => key)))
    expect(kept.filter((key) => key.endsWith("/bundle.json")).length).toBeGreaterThan(1)
    server = await startServer({ data: folder.path, environment: environment() })
    const after = await Flow.liveApp(server.api, project.id, 1)
    expect((await server.api.page(after.url)).text).toBe("two")
    expect((await server.api.page(`${after.url}hello.txt`)).text).toBe("an asset\n")
  })

  it("is not ready while the bucket is away, goes on serving what runs, and is ready again by itself", async () => {
    const { items } = await server.api.get<{ items: ReadonlyArray<{ readonly id: string }> }>("/v1/projects")
    const { url } = await Flow.liveApp(server.api, items[0]!.id, 1)
    await s3.close()
    const away = await Flow.until(readiness, (answer) => answer.status !== "ready")
    expect(away).toMatchObject({ status: "not_ready", missing: ["object store"] })
    expect((await server.api.page(url)).text).toBe("two")
    await s3.open()
    await Flow.until(readiness, (answer) => answer.status === "ready")
  })

  it("promotes what is verified while the bucket is away, and releases it when that is back", async () => {
    const { api } = server
    const { items } = await api.get<{ items: ReadonlyArray<{ readonly id: string }> }>("/v1/projects")
    const [{ id } = { id: "" }] = items
    const { url } = await Flow.liveApp(api, id, 1)
    const change = await Flow.openChange(api, id, "second")
    await Flow.edit(api, change, { "src/index.js": Flow.source("three")["src/index.js"] })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    await s3.close()
    expect(await Flow.promote(api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 2 })
    expect((await api.page(url)).text).toBe("two")
    await s3.open()
    expect(await Flow.released(api, id, 2)).toMatchObject({ status: "deployed" })
    expect((await api.page(url)).text).toBe("three")
  })

  it("is told by the doctor what its bucket does, or lacks, in words without secrets", async () => {
    const good = await pawl(["doctor", "--data", folder.path], environment())
    expect(good.output).toContain(
      `ok       Objects              s3://${options.bucket}/of pawl/ at ${s3.endpoint}, us-east-1, bucket in the path: put and get, head, range, conditional put, copy, list, delete`
    )
    const wrong = await pawl(
      ["doctor", "--data", folder.path],
      environment({ AWS_SECRET_ACCESS_KEY: "wrong-secret-key" })
    )
    expect(wrong.code).toBe(1)
    expect(wrong.output).toContain(
      "It lacks: put and get: the secret key is not that of the access key (AWS_SECRET_ACCESS_KEY)"
    )
    expect(wrong.output).not.toContain("wrong-secret-key")
  })

  it("is verified in all but its objects, which are not in the folder", async () => {
    const key = readFileSync(join(folder.path, "trusted-keys"), "utf8").trim()
    const { code, output } = await pawl(
      ["verify", folder.path, "--key", key],
      environment({ XDG_STATE_HOME: folder.path })
    )
    expect([code, output]).toEqual([0, expect.stringContaining("not looked at, for it is not here: objects")])
  })

  it("does not start on a bucket that is not there, and says so", async () => {
    const other = temporaryFolder()
    const { code, output } = await pawl(
      ["serve", "--port", "0", "--data", other.path],
      environment({ PAWL_OBJECTS: "s3://no-such-bucket" })
    )
    other.remove()
    expect([code, output]).toEqual([1, expect.stringContaining("there is no bucket no-such-bucket")])
  })
})
