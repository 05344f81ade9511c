/** What `deploy/` holds, as its own tools and the server itself read it. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { Redacted } from "effect"
import { environmentOf, known, optionsOf, root, secretsOf, userOf } from "./EnvironmentFiles.ts"

const deploy = join(root, "deploy")
const folder = mkdtempSync(join(tmpdir(), "pawl-deploy-"))
afterAll(() => rmSync(folder, { recursive: true }))

const roles = ["api", "router", "worker"] as const

interface Service {
  readonly image: string
  readonly command?: ReadonlyArray<string>
  readonly env_file?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly deploy?: { readonly replicas: number }
  readonly stop_grace_period?: string
  readonly security_opt?: ReadonlyArray<string>
  readonly depends_on?: Readonly<Record<string, unknown>> | ReadonlyArray<string>
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const composeFile = join(deploy, "compose/compose.yaml")
const compose = parse(readFileSync(composeFile, "utf8"), { merge: true, strict: true, uniqueKeys: true }) as Compose

/** What people make of an example is looked at as the example. */
const inPlace = (path: string): string => (existsSync(path) ? path : `${path}.example`)

describe("The files of the environment", () => {
  it.each(roles)(
    "make a process of the role %s, on packs, a bucket and Postgres, and name nothing that is no option",
    async (role) => {
      const files = ["pawl.env", secretsOf(role), `${role}.env`].map((name) => join(deploy, "env", name))
      const { given, options } = await optionsOf(files)
      expect(options).toMatchObject({
        roles: [role],
        repositories: "packs",
        environment: "production",
        trustProxy: true
      })
      expect(options.objects._tag).toBe("Bucket")
      expect(options.databaseUrl).not.toBe(null)
      const token = options.ownerToken
      if (role === "router") expect([token, userOf(options)]).toEqual([null, "pawl_router"])
      else expect([Redacted.value(token!).slice(0, 5), userOf(options)]).toEqual(["pawl_", "pawl"])
      expect(Object.keys(given).filter((name) => name.startsWith("PAWL_") && !known.has(name))).toEqual([])
    }
  )

  it("hold no secret but in the example, which git is told to leave alone under its real name", () => {
    const secret = /TOKEN|SECRET|PASSWORD|DATABASE_URL|ACCESS_KEY/
    for (const name of readdirSync(join(deploy, "env")))
      if (!name.endsWith(".example"))
        expect([
          name,
          Object.keys(environmentOf(join(deploy, "env", name))).filter((each) => secret.test(each))
        ]).toEqual([name, []])
    const ignored = readFileSync(join(root, ".gitignore"), "utf8").split("\n")
    const paths = ["env/secrets.env", "env/router-secrets.env", "compose/s3.env"]
    for (const path of [...paths, "compose/postgres-password", "compose/router-password"].map(
      (each) => `deploy/${each}`
    )) {
      expect(ignored).toContain(path)
      expect(readFileSync(join(root, ".containerignore"), "utf8").split("\n")).toContain(path)
    }
  })
})

const systemd = spawnSync("systemd-analyze", ["--version"])
const missing = systemd.error === undefined ? null : "no systemd-analyze here: apt-get install systemd"

describe.skipIf(missing !== null)(`The unit of systemd (${missing ?? "read by systemd's own tool"})`, () => {
  const unit = join(folder, "pawl@.service")
  const text = readFileSync(join(deploy, "systemd/pawl@.service"), "utf8")
  // The program that it starts must be there.
  writeFileSync(unit, text.replaceAll("/opt/pawl/", root))

  it.each(roles)("is one that systemd takes, without a remark, for %s", (role) => {
    const { output, status } = spawnSync("systemd-analyze", ["verify", "--man=no", unit.replace("@.", `@${role}.`)], {
      encoding: "utf8"
    })
    expect([status, output.join("")]).toEqual([0, ""])
  })

  it("is hardened: systemd's own count of what is exposed stays below 5, of 10", () => {
    const args = ["security", "--offline=true", "--threshold=50", "--no-pager", unit]
    const { status, stdout } = spawnSync("systemd-analyze", args, { encoding: "utf8" })
    expect([status, /exposure level[^:]*: (\S+)/.exec(stdout)?.[1]]).toEqual([0, expect.stringMatching(/^[0-4]\.\d$/)])
  })

  it("waits for a stop longer than the drain that it is given", () => {
    const drainMs = Number(environmentOf(join(deploy, "env/pawl.env"))["PAWL_DRAIN_DELAY"])
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]) * 1000).toBeGreaterThan(drainMs + 15_000)
  })
})

describe("The composition", () => {
  it.each(roles)(
    "has two processes of the role %s, with its options, after one that brings the database to shape",
    async (role) => {
      const service = compose.services[role]
      expect(service?.deploy?.replicas).toBe(2)
      expect(Object.keys(service?.depends_on ?? {})).toEqual(["migrate"])
      const files = (service?.env_file ?? []).map((path) => inPlace(resolve(dirname(composeFile), path)))
      expect((await optionsOf(files)).options).toMatchObject({ roles: [role], objects: { endpoint: "http://s3:7070" } })
    }
  )

  it("migrates once, with the same options, and gives the routers' user its rights", async () => {
    const { command, deploy: how, env_file } = compose.services["migrate"]!
    expect([command, how?.replicas]).toEqual([["migrate", "--grant-router", "pawl_router"], 1])
    const files = (env_file ?? []).map((path) => inPlace(resolve(dirname(composeFile), path)))
    expect((await optionsOf(files)).options.databaseUrl).not.toBe(null)
  })

  it("gives routers no owner's token, no owner of the database and no folder with keys", async () => {
    const { env_file = [], volumes } = compose.services["router"]!
    const files = env_file.map((path) => inPlace(resolve(dirname(composeFile), path)))
    const { options } = await optionsOf(files)
    expect([options.ownerToken, userOf(options)]).toEqual([null, "pawl_router"])
    for (const [name, other] of Object.entries(compose.services))
      if (name !== "router") for (const volume of volumes ?? []) expect(other.volumes ?? []).not.toContain(volume)
    // Made when the database is, by a shell that takes the file.
    const script = join(deploy, "compose/router-user.sh")
    expect(compose.services["postgres"]?.volumes).toContain(
      "./router-user.sh:/docker-entrypoint-initdb.d/router-user.sh:ro"
    )
    expect(spawnSync("sh", ["-n", script]).status).toBe(0)
    expect(readFileSync(script, "utf8")).toContain("CREATE ROLE pawl_router LOGIN")
  })

  it("names no file and no volume that is not there, and lets those build walls who run strangers' code", () => {
    for (const { env_file = [], volumes = [] } of Object.values(compose.services)) {
      for (const path of env_file) expect(existsSync(inPlace(resolve(dirname(composeFile), path)))).toBe(true)
      for (const volume of volumes) {
        const [from = ""] = volume.split(":")
        expect(from.startsWith("./") ? existsSync(join(dirname(composeFile), from)) : from in compose.volumes).toBe(
          true
        )
      }
    }
    const walled = Object.entries(compose.services).filter(([, { security_opt }]) => security_opt !== undefined)
    expect(walled.map(([name]) => name)).toEqual(["router", "worker"])
  })

  const haproxy = spawnSync("haproxy", ["-v"]).error === undefined
  it.skipIf(!haproxy)(
    `has a load balancer whose file haproxy takes (${haproxy ? "read by its own tool" : "no haproxy here"})`,
    () => {
      const file = join(deploy, "compose/haproxy.cfg")
      expect(spawnSync("haproxy", ["-c", "-q", "-f", file], { encoding: "utf8" })).toMatchObject({
        status: 0,
        stderr: ""
      })
      const text = readFileSync(file, "utf8")
      for (const role of ["api", "router"] as const) {
        const port = environmentOf(join(deploy, "env", `${role}.env`))["PAWL_PORT"]
        expect(text).toContain(`server-template ${role} ${compose.services[role]?.deploy?.replicas} ${role}:${port}`)
      }
      const domain = environmentOf(join(deploy, "env/pawl.env"))["PAWL_APPS_DOMAIN"]
      expect(text).toContain(`-m end .${domain} `)
    }
  )
})
