/** A backup that is made while people work, and what comes of it in another database. */
import { existsSync, readFileSync, statSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import * as S3Server from "../../../../adapters-s3/test/S3Server.ts"
import { makeBucket } from "../../../../adapters-s3/test/Buckets.ts"
import type { ChangeJson } from "@pawl/server/api/RecordSchemas"
import { depth, slice } from "@pawl/testing/Depth"
import { type Ended, pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { pawlKilledAt } from "../kit/Killed.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

type Environment = Readonly<Record<string, string>>

/** An app that says how it was made, and keeps a count. */
const appOf = (text: string) => ({
  "src/index.js": `export default { async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === "/count") {
      const next = Number((await env.DATA.get("count")) ?? 0) + 1
      await env.DATA.put("count", String(next))
      return new Response(String(next))
    }
    return new Response(${JSON.stringify(text)})
  } }\n`
})

/** The next Change of a Project, until it is live. */
const changed = async ({ api }: ServerProcess, projectId: string, text: string, generation: number) => {
  const change = await Flow.openChange(api, projectId, text)
  await Flow.edit(api, change, appOf(text))
  const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
  expect(candidate).toMatchObject({ status: "verified", reason: null })
  expect(await Flow.promote(api, candidate.id)).toMatchObject({ outcome: "promoted", generation })
  expect(await Flow.released(api, projectId, generation)).toMatchObject({ status: "deployed" })
}

/**
 * The generation of a Project once nothing of it is under way: a promotion that a copy holds as asked for goes on by
 * itself, and whoever edits meanwhile writes on the generation before it.
 */
const settled = async ({ api }: ServerProcess, projectId: string): Promise<number> => {
  await Flow.until(
    () => api.get<{ items: ReadonlyArray<ChangeJson> }>(`/v1/projects/${projectId}/changes`),
    ({ items }) => items.every(({ status }) => status !== "promoting")
  )
  const { canonical } = await api.get<{ canonical: { generation: number } }>(`/v1/projects/${projectId}`)
  return canonical.generation
}

/** A copy may be of the moment before a signature: nothing else may be found in it. */
const foundIn = ({ code, output }: Ended): ReadonlyArray<string> => [
  ...(code === 2 ? ["it could not be verified"] : []),
  ...(output.match(/^ {2}FAIL .*$/gm) ?? []).filter((line) => !/ {2}statement_unsigned {2}/.test(line))
]

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => statSync(join(folder, path)).isFile())

/** From each of these to each. */
const stories = (onPostgres: (name: string) => Environment) => ({
  "SQLite and folders": () => ({}) as Environment,
  "SQLite and packs": () => ({ PAWL_REPOSITORIES: "packs" }) as Environment,
  "Postgres and packs": (name: string) => ({ ...onPostgres(name), PAWL_REPOSITORIES: "packs" })
})
type Kind = keyof ReturnType<typeof stories>

const origins: ReadonlyArray<readonly [Kind, ReadonlyArray<Kind>]> = [
  ["SQLite and folders", ["SQLite and folders", "Postgres and packs"]],
  ["Postgres and packs", ["SQLite and packs", "Postgres and packs"]]
]

describe.each(slice(origins, { quick: 1 }))("An installation on %s", (from, targets) => {
  const isLeftOut = reason !== null && [from, ...targets].some((each) => each.startsWith("Postgres"))
  const folder = temporaryFolder()
  const backup = join(folder.path, "backup")
  const data = join(folder.path, "data")
  let postgres: PostgresServer.PostgresServer | null = null
  let server: ServerProcess
  let projectId: string
  let url: string
  let lived = 0

  const environmentOf = (kind: Kind, name: string) =>
    stories((schema) => ({ PAWL_DATABASE_URL: postgres!.url, PAWL_DATABASE_SCHEMA: schema }))[kind](name)
  const isGood = async (what: string, environment: Environment = {}) =>
    pawl(["verify", what, "--trust-on-first-use"], {
      XDG_STATE_HOME: join(folder.path, `state-${lived++}`),
      ...environment
    })

  beforeAll(async () => {
    if (isLeftOut) return
    postgres = await PostgresServer.start()
    server = await startServer({ data, environment: environmentOf(from, "source") })
    projectId = (await Flow.createProject(server.api, "kept", { ...Flow.source("one"), ...appOf("one") })).id
    url = (await Flow.liveApp(server.api, projectId, 0)).url
    await changed(server, projectId, "two", 1)
    for (let count = 1; count <= 3; count++) await server.api.page(`${url}count`)
  })
  afterAll(async () => {
    if (isLeftOut) return
    await server.stop()
    await postgres?.stop()
    folder.remove()
  })

  it.skipIf(isLeftOut)("is copied while a Change goes live and visitors write, and the copy is verified", async () => {
    const working = changed(server, projectId, "three", 2)
    const environment = { PAWL_DATA: data, ...environmentOf(from, "source") }
    const [made] = await Promise.all([pawl(["backup", backup, "--with-keys"], environment), working])
    expect(made).toMatchObject({
      code: 0,
      output: expect.stringContaining("with private keys: signing-key, log-key, owner-token")
    })
    expect(await pawl(["backup", backup], environment)).toMatchObject({
      code: 2,
      output: expect.stringContaining("is not empty")
    })
    for (const file of filesBelow(backup)) expect([file, statSync(join(backup, file)).mode & 0o077]).toEqual([file, 0])
    expect(foundIn(await isGood(backup))).toEqual([])
  })

  it.skipIf(isLeftOut)("names the file of a copy in which one byte is another", async () => {
    const files = filesBelow(backup)
    const chosen = [
      files.find((path) => path.startsWith("tables/pawl_app_data/")),
      files.find((path) => path.startsWith("lists/objects/")),
      files.find((path) => path.startsWith("objects/")),
      files.find((path) => path.startsWith("keys/")),
      "manifest.json"
    ]
    for (const path of slice(chosen, { quick: 2 })) {
      const whole = readFileSync(join(backup, path!))
      const flipped = Uint8Array.from(whole)
      flipped[Math.floor(flipped.length / 2)]! ^= 1
      writeFileSync(join(backup, path!), flipped)
      expect(await isGood(backup)).toMatchObject({ code: 1, output: expect.stringContaining(path!) })
      expect(await pawl(["restore", backup], { PAWL_DATA: join(folder.path, "never") })).toMatchObject({ code: 2 })
      writeFileSync(join(backup, path!), whole)
    }
  })

  it.skipIf(isLeftOut)("is no backup while its last file is not there", async () => {
    const last = join(backup, "manifest.sha256")
    const line = readFileSync(last)
    rmSync(last)
    const never = { PAWL_DATA: join(folder.path, "never made") }
    expect(await pawl(["restore", backup], never)).toMatchObject({
      code: 2,
      output: expect.stringContaining("cut off")
    })
    expect(existsSync(never.PAWL_DATA)).toBe(false)
    writeFileSync(last, line)
  })

  it.skipIf(isLeftOut)("is restored by the same command again, wherever that was killed", async () => {
    const environment = from === "SQLite and folders" ? {} : { PAWL_REPOSITORIES: "packs" }
    // A quick run dies once.
    const [first, last] = depth === "quick" ? [1, 2] : [0, Infinity]
    let [place, code]: [number, number | null] = [first, null]
    while (code === null && place < last) {
      const options = { PAWL_DATA: join(folder.path, `killed-${++place}`), ...environment }
      code = (await pawlKilledAt(place, folder.path, ["restore", backup], options)).code
      if (code === null) expect(await pawl(["restore", backup], options)).toMatchObject({ code: 0 })
      expect(await pawl(["restore", backup], options)).toMatchObject({ code: 2 })
      expect(foundIn(await isGood(options.PAWL_DATA))).toEqual([])
    }
    expect([code, place > 4]).toEqual(depth === "quick" ? [null, false] : [0, true])
  })

  it.skipIf(isLeftOut).each(targets)(
    "lives on from its copy on %s: apps answer, what they kept is there, and the next Change goes live",
    async (target) => {
      const there = join(folder.path, target.replaceAll(" ", "-"))
      const environment = environmentOf(target, "target")
      const options = { PAWL_DATA: there, ...environment }
      const restored = await pawl(["restore", backup], options)
      expect(restored).toMatchObject({ code: 0, output: expect.stringContaining("goes on in epoch 2") })
      expect(await pawl(["restore", backup], options)).toMatchObject({
        code: 2,
        output: expect.stringContaining("in use")
      })
      const next = await startServer({ data: there, environment })
      try {
        const { api } = next
        const generation = await settled(next, projectId)
        const page = (path: string) => {
          const address = new URL(path, url)
          address.port = String(next.port)
          return api.page(String(address))
        }
        expect((await Flow.liveApp(api, projectId, generation)).url).toBeDefined()
        expect((await page("/")).text).toBe(["one", "two", "three"][generation])
        expect((await page("/count")).text).toBe("4")
        await changed(next, projectId, "four", generation + 1)
        expect((await page("/")).text).toBe("four")
        const audit = await pawl(["audit", projectId, "--url", next.origin, "--token", token], {})
        expect(audit).toMatchObject({ code: 0 })
      } finally {
        await next.stop()
      }
    }
  )
})

const missing = S3Server.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

/** It starts a server of S3. */
const deeply = depth === "quick" ? [] : [depth]

describe.skipIf(missing !== null).each(deeply)("An installation whose objects are in a bucket (%s)", () => {
  const folder = temporaryFolder()
  let s3: S3Server.S3Server
  let server: ServerProcess

  afterAll(async () => {
    await server?.stop()
    await s3?.stop()
    folder.remove()
  })

  it.each(depth === "quick" ? [] : [depth])(
    "is copied to another bucket and verified there, and lives on from it in a third one, and on a machine without any (%s)",
    async () => {
      s3 = await S3Server.start()
      const [own, other] = [await makeBucket(s3), await makeBucket(s3)]
      const reached = {
        PAWL_S3_ENDPOINT: s3.endpoint,
        AWS_ACCESS_KEY_ID: s3.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3.secretAccessKey
      }
      const environment = { PAWL_OBJECTS: `s3://${own.bucket}/pawl`, PAWL_DATA: join(folder.path, "data"), ...reached }
      server = await startServer({ data: environment.PAWL_DATA, environment })
      const { id } = await Flow.createProject(server.api, "kept", { ...Flow.source("one"), ...appOf("one") })
      const { url } = await Flow.liveApp(server.api, id, 0)
      const within = await pawl(["backup", `s3://${own.bucket}/pawl/backup`], environment)
      expect(within).toMatchObject({ code: 2, output: expect.stringContaining("is where the objects are") })
      const place = `s3://${other.bucket}/2026`
      expect(await pawl(["backup", place, "--with-keys"], environment)).toMatchObject({ code: 0 })
      await server.stop()

      const alone = {
        AWS_ENDPOINT_URL_S3: s3.endpoint,
        AWS_ACCESS_KEY_ID: s3.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3.secretAccessKey
      }
      const verified = await pawl(["verify", place, "--trust-on-first-use"], { ...alone, XDG_STATE_HOME: folder.path })
      expect(verified).toMatchObject({ code: 0 })
      const there = { PAWL_DATA: join(folder.path, "there"), ...alone }
      expect(await pawl(["restore", place], there)).toMatchObject({
        code: 2,
        output: expect.stringContaining("set PAWL_REPOSITORIES=packs")
      })
      expect(await pawl(["restore", place], { ...there, PAWL_REPOSITORIES: "packs" })).toMatchObject({ code: 0 })
      server = await startServer({ data: there.PAWL_DATA, environment: { PAWL_REPOSITORIES: "packs" } })
      await Flow.liveApp(server.api, id, 0)
      const address = new URL(url)
      address.port = String(server.port)
      expect((await server.api.page(String(address))).text).toBe("one")
      await changed(server, id, "two", 1)
      await server.stop()

      const third = await makeBucket(s3)
      const into = { PAWL_DATA: join(folder.path, "into"), PAWL_OBJECTS: `s3://${third.bucket}/of many`, ...reached }
      expect(await pawl(["restore", place], into)).toMatchObject({ code: 0 })
      expect(await pawl(["restore", place], into)).toMatchObject({ code: 2, output: expect.stringContaining("in use") })
      server = await startServer({ data: into.PAWL_DATA, environment: into })
      await Flow.liveApp(server.api, id, 0)
      address.port = String(server.port)
      expect((await server.api.page(String(address))).text).toBe("one")
      await changed(server, id, "three", 1)
    }
  )
})
