/** A process that only routes, with a user of Postgres and credentials of S3 that reach what serving takes and nothing else. */
import { readdirSync } from "node:fs"
import Pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { allow, makeBucket } from "../../../../adapters-s3/test/Buckets.ts"
import { policyFor } from "../../../../adapters-s3/test/RouterPolicy.ts"
import * as S3Server from "../../../../adapters-s3/test/S3Server.ts"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { visit } from "../kit/Visit.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const reason = (await PostgresServer.whyNot()) ?? S3Server.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

/** It counts its visits, says so, and has a file. */
const counter = (version: string) => ({
  "src/index.js": `export default { async fetch(request, env) {
    const visits = Number(await env.DATA.get("visits") ?? 0) + 1
    await env.DATA.put("visits", String(visits))
    console.log("visit", visits)
    return new Response("${version} " + visits)
  } }\n`
})

describe.skipIf(reason !== null)("A router with rights of its own, beside a server with those of the owner", () => {
  const name = `pawl_router_${process.pid}`
  const [folder, routersFolder] = [temporaryFolder(), temporaryFolder()]
  let postgres: PostgresServer.PostgresServer
  let s3: S3Server.S3Server
  let bucket: string
  let owner: ServerProcess
  let router: ServerProcess
  let project: { readonly id: string }
  let url: string
  let keys: S3Server.Credentials

  const shared = ({ accessKeyId, secretAccessKey }: S3Server.Credentials) => ({
    PAWL_OBJECTS: `s3://${bucket}/pawl`,
    PAWL_S3_ENDPOINT: s3.endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    PAWL_PROVENANCE: "enforce",
    PAWL_PROVENANCE_PUBLIC: "full",
    PAWL_METRICS: "true"
  })
  const ownersEnvironment = () => ({ ...shared(s3), PAWL_DATABASE_URL: postgres.url, PAWL_ROLES: "api,worker" })
  const routersEnvironment = (as = keys) => {
    const own = new URL(postgres.url)
    own.username = name
    own.password = "routes"
    return { ...shared(as), PAWL_DATABASE_URL: own.toString(), PAWL_ROLES: "router" }
  }
  const migrate = (...args: ReadonlyArray<string>) =>
    pawl(["migrate", ...args], { PAWL_DATABASE_URL: postgres.url, PAWL_DATA: folder.path })
  const doctor = (environment: Readonly<Record<string, string>>) =>
    pawl(["doctor"], { ...environment, PAWL_DATA: routersFolder.path })
  const ask = async <A extends object>(sql: string) => {
    const client = new Pg.Client({ connectionString: postgres.url })
    await client.connect()
    try {
      return (await client.query<A>(sql)).rows
    } finally {
      await client.end()
    }
  }
  const page = async () => (await router.api.page(url)).text

  beforeAll(async () => {
    ;[postgres, s3] = await Promise.all([PostgresServer.start(), S3Server.start()])
    ;({ bucket } = await makeBucket(s3))
    keys = await s3.addUser("router")
    await allow(s3, bucket, "router", policyFor(bucket))
    await ask(`CREATE ROLE ${name} LOGIN PASSWORD 'routes'`)
  })
  afterAll(async () => {
    await Promise.all([owner?.stop(), router?.stop()])
    await ask(`DROP OWNED BY ${name}; DROP ROLE ${name}`)
    await Promise.all([postgres?.stop(), s3?.stop()])
    for (const each of [folder, routersFolder]) each.remove()
  })

  it("makes nothing of a database that is empty, waits until it is prepared, and begins then", async () => {
    const starting = startServer({ data: routersFolder.path, environment: routersEnvironment(), ownToken: true })
    const looked = `SELECT 1 FROM pg_stat_activity WHERE usename = '${name}' AND query LIKE '%has_schema_privilege%' AND state = 'idle'`
    await Flow.until(
      () => ask(looked),
      (rows) => rows.length > 0
    )
    expect(await ask("SELECT nspname FROM pg_namespace WHERE nspname = 'pawl'")).toEqual([])
    const granted = {
      code: 0,
      output: expect.stringContaining(`The user ${name} has the rights of a router, and no others.`)
    }
    expect(await migrate("--grant-router", name)).toEqual(granted)
    router = await starting
    for (const again of [[], ["--check"]]) expect(await migrate("--grant-router", name, ...again)).toEqual(granted)
    expect(router.log()).toContain(`the database is not prepared yet: the user ${name} lacks USAGE of the schema pawl`)
    expect(router.output.join("\n")).toMatch(/^ready http:\S+$/)
    expect(
      readdirSync(routersFolder.path).filter((each) => /token|signing|log-key|repositories|cache/.test(each))
    ).toEqual([])
  })

  it("serves an app, under enforced statements, keeps its data, and what the app prints is read through the API", async () => {
    owner = await startServer({ data: folder.path, environment: ownersEnvironment() })
    const { api } = owner
    project = await Flow.createProject(api, "counted", Flow.source("", counter("one")))
    ;({ url } = await Flow.liveApp(api, project.id, 0))
    expect(await Flow.until(page, (text) => text.startsWith("one"))).toBe("one 1")
    expect(await page()).toBe("one 2")
    expect((await router.api.page(`${url}hello.txt`)).text).toBe("an asset\n")
    const printed = await Flow.until(
      () => api.get<{ items: ReadonlyArray<{ text: string }> }>(`/v1/projects/${project.id}/app/logs`),
      ({ items }) => items.length >= 2
    )
    expect(printed.items.map(({ text }) => text)).toEqual(["visit 1", "visit 2"])
  })

  it("follows a release, and goes on with the data of before", async () => {
    const { api } = owner
    const change = await Flow.openChange(api, project.id, "two")
    await Flow.edit(api, change, counter("two"))
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    expect(await Flow.promote(api, candidate.id)).toMatchObject({ outcome: "promoted" })
    await Flow.released(api, project.id, 1)
    expect(await Flow.until(page, (text) => text.startsWith("two"))).toMatch(/^two \d+$/)
    expect(Number((await page()).slice(4))).toBeGreaterThan(3)
  })

  it("tells of a release what is signed, and of the Project's log nothing, whoever asks", async () => {
    const said = async (headers: Readonly<Record<string, string>> = {}) => {
      const { status, text } = await visit(router, "counted", "/__service/provenance.json", { headers })
      return { status, body: JSON.parse(text) as Readonly<Record<string, unknown>> }
    }
    const verified = { verdict: "verified", mode: "enforce", checkpoint: null, proof: null }
    expect(await said()).toMatchObject({ status: 200, body: verified })
    const told = await said({ authorization: `Bearer ${token}` })
    expect(told).toMatchObject({ status: 200, body: verified })
    expect(told.body["statement"]).not.toBeNull()
    expect(told.body).not.toHaveProperty("promotion")
  })

  it("is ready, has metrics, stands among the processes, and is told to be right by the doctor", async () => {
    const ready = await fetch(`${router.origin}/health/ready`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
    expect(await (await fetch(`${router.origin}/metrics`)).text()).toContain("pawl_info")
    const { code, output } = await doctor(routersEnvironment())
    expect([code, output]).toEqual([
      0,
      expect.stringContaining(`ok       Rights               the user ${name} has those of a router\n`)
    ])
    expect(output).toContain("bundles are read, and nothing else")
    expect(output).toContain(`-${router.child.pid}-`)
    expect(output).not.toContain(`-${owner.child.pid}-`)
    expect((await doctor(ownersEnvironment())).output).toContain(`-${router.child.pid}-`)
    expect(router.log()).not.toMatch(/42501|permission denied|AccessDenied/)
  })

  it("is told by the doctor what it lacks, and what it has too much, in the database and in the bucket", async () => {
    await ask(`GRANT SELECT ON pawl.pawl_token TO ${name}; REVOKE UPDATE (value) ON pawl.pawl_app_data FROM ${name}`)
    expect(await doctor(routersEnvironment())).toEqual({
      code: 1,
      output: expect.stringContaining(
        `MISSING  Rights               the user ${name} lacks UPDATE (value) of pawl_app_data`
      )
    })
    await ask(`GRANT UPDATE (value) ON pawl.pawl_app_data TO ${name}`)
    const more = await doctor(routersEnvironment(s3))
    expect(more).toEqual({
      code: 0,
      output: expect.stringContaining(
        `weak     Rights               the user ${name} has more than a router needs: SELECT of pawl_token`
      )
    })
    expect(more.output).toContain(`mend it with: pawl migrate --grant-router ${name}`)
    expect(more.output).toContain("A router needs not: put objects, delete objects, list the bucket")
    expect(await migrate("--check", "--grant-router", name)).toMatchObject({ code: 1 })
    expect(await migrate("--grant-router", name)).toMatchObject({ code: 0 })
    // What everybody has is told, and is for a person to take away.
    await ask("GRANT SELECT ON pawl.pawl_user TO PUBLIC")
    const told = expect.stringContaining(`The user ${name} has more than a router needs: SELECT of pawl_user\n`)
    expect(await migrate("--grant-router", name)).toEqual({ code: 0, output: told })
    expect(await migrate("--check", "--grant-router", name)).toEqual({ code: 1, output: told })
    await ask("REVOKE SELECT ON pawl.pawl_user FROM PUBLIC")
    expect(await migrate("--check", "--grant-router", name)).toMatchObject({ code: 0 })
    const { output } = await doctor({ ...routersEnvironment(), PAWL_DATABASE_URL: postgres.url })
    expect(output).toMatch(/weak +Rights +the user \S+ may do everything: it is SUPERUSER/)
    expect(output).toContain("mend it with: pawl migrate --grant-router <another user>")
  })

  it("is not ready while its bundles cannot be read, and says so", async () => {
    const elsewhere = policyFor(bucket)
    await allow(s3, bucket, "router", {
      ...elsewhere,
      Statement: elsewhere.Statement.map((each) => ({ ...each, Resource: [`arn:aws:s3:::${bucket}/other/*`] }))
    })
    const readiness = async (): Promise<unknown> => (await fetch(`${router.origin}/health/ready`)).json()
    const away = { status: "not_ready", missing: ["object store"] }
    expect(await Flow.until(readiness, (said) => JSON.stringify(said) !== '{"status":"ready"}')).toEqual(away)
    expect((await page()).startsWith("two")).toBe(true)
    await allow(s3, bucket, "router", elsewhere)
    await Flow.until(readiness, (said) => JSON.stringify(said) === '{"status":"ready"}')
  })

  it("takes its note back when it stops, starts again on what it may read, and follows a removal", async () => {
    expect(await router.stop()).toBe(0)
    const noted = "SELECT id FROM pawl.pawl_process WHERE roles = 'router'"
    expect(await ask(noted)).toEqual([])
    router = await startServer({ data: routersFolder.path, environment: routersEnvironment(), ownToken: true })
    expect(await ask(noted)).toHaveLength(1)
    expect(await page()).toMatch(/^two \d+$/)
    await owner.api.delete(`/v1/projects/${project.id}/app`)
    await Flow.until(
      async () => (await router.api.page(url)).status,
      (status) => status === 410
    )
  })
})
