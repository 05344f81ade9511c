import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import * as Options from "@pawl/server/node/Options"

const folder = mkdtempSync(join(tmpdir(), "pawl-options-"))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (content: unknown): string => {
  const path = join(folder, "pawl.config.json")
  writeFileSync(path, JSON.stringify(content))
  return path
}

type Given = Readonly<Record<string, string>>
const read = (given: Given, config?: string) => Effect.runPromise(Options.read(given, config))
const refusal = async (given: Given, config?: string) =>
  (await Effect.runPromise(Effect.flip(Options.read(given, config)))).message

const set = new Set<string>()
const environment = (values: Given): void => {
  for (const [name, value] of Object.entries(values)) {
    set.add(name)
    process.env[name] = value
  }
}
afterEach(() => {
  for (const name of set) delete process.env[name]
})

describe("The options of a server", () => {
  it("come from the command line, then the environment, then the config file", async () => {
    const config = file({ port: 1, host: "of.file", roles: "api,router,worker", trustProxy: true })
    environment({ PAWL_PORT: "2", PAWL_HOST: "of.environment" })
    expect(await read({ port: "3" }, config)).toMatchObject({
      port: 3,
      host: "of.environment",
      roles: ["api", "router", "worker"],
      trustProxy: true
    })
  })

  it("are found in the config file beside one in the environment whose name begins the same", async () => {
    environment({ PAWL_METRICS_TOKEN: "token-of-metrics" })
    const { metrics, metricsToken } = await read({}, file({ metrics: true }))
    expect([metrics, Redacted.value(metricsToken!)]).toEqual([true, "token-of-metrics"])
  })

  it("have no white space around what the environment says", async () => {
    const url = "postgres://someone:hunter2@db.example/pawl"
    environment({ PAWL_DATABASE_URL: `${url}\n`, PAWL_PAUSED: " true", PAWL_HOST: " ::1 ", PAWL_PORT: "80\n" })
    const options = await read({})
    expect(options).toMatchObject({ paused: true, host: "::1", port: 80 })
    expect(Redacted.value(options.databaseUrl!)).toBe(url)
  })

  it("enforce no provenance unless asked, warn in production, and take a key file or a command", async () => {
    const file = { _tag: "File" }
    expect(await read({})).toMatchObject({ provenance: "warn", signer: file, signingKeyType: "ecdsa-p256-sha256" })
    expect(await read({ environment: "development" })).toMatchObject({ provenance: "off" })
    const given = { provenance: "enforce", signer: "command:/opt/sign it", signingKeyType: "ed25519" }
    expect(await read(given)).toMatchObject({
      provenance: "enforce",
      signer: { _tag: "Command", path: "/opt/sign it" },
      signingKeyType: "ed25519"
    })
    expect(await refusal({ signer: "command:sign" })).toContain("name the command by its absolute path")
    expect(await refusal({ signer: "vault" })).toContain("use file, command:/path/to/it, or kms:<ARN of a key>")
    expect(await refusal({ objects: "s3://bucket", repositories: "folder" })).toContain(
      "repositories (PAWL_REPOSITORIES): with objects in a bucket use packs"
    )
    expect(await refusal({ provenance: "strict" })).toContain("provenance (PAWL_PROVENANCE)")
  })

  it("name a key in a KMS by its ARN, with the environment's credentials, at AWS or at an endpoint", async () => {
    const arn = "arn:aws:kms:eu-central-1:123456789012:key/1234abcd"
    environment({ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "s3cr3t" })
    const { kmsEndpoint, signer } = await read({ signer: `kms:${arn}`, kmsEndpoint: "http://127.0.0.1:8080/" })
    expect(signer).toMatchObject({ _tag: "Kms", arn, region: "eu-central-1", endpoint: "http://127.0.0.1:8080" })
    expect(kmsEndpoint).toBe("http://127.0.0.1:8080")
    expect(JSON.stringify(signer)).not.toContain("s3cr3t")
    delete process.env["AWS_ACCESS_KEY_ID"]
    expect(await refusal({ signer: `kms:${arn}` })).toContain("AWS_ACCESS_KEY_ID: set it with AWS_SECRET_ACCESS_KEY")
    expect(await refusal({ signer: "kms:alias/pawl" })).toContain("signer (PAWL_SIGNER): name the key by its ARN")
    expect(await refusal({ kmsEndpoint: "http://s3cr3t@host" })).toMatch(
      /^kmsEndpoint \(PAWL_KMS_ENDPOINT\): use a URL/
    )
  })

  it("have the registry of packages with a slash at its end, the public one by default", async () => {
    expect((await read({})).npmRegistry.href).toBe("https://registry.npmjs.org/")
    environment({ PAWL_NPM_REGISTRY: "http://10.1.2.3:4873/npm" })
    expect((await read({})).npmRegistry.href).toBe("http://10.1.2.3:4873/npm/")
  })

  it("are what was given even when that is nothing", async () => {
    environment({ PAWL_APPS_DOMAIN: "" })
    expect(await read({}, file({ appsDomain: "apps.example" }))).toMatchObject({ appsDomain: null })
  })

  it.each([
    { given: { port: "65536" }, said: "use a port from 0 to 65535" },
    { given: { port: "80x" }, said: "use a port from 0 to 65535" },
    { given: { port: "1.5" }, said: "use a port from 0 to 65535" },
    { given: { appProcesses: "0" }, said: "use a whole number above 0" },
    { given: { appProcesses: "" }, said: "use a whole number above 0" },
    { given: { smokeRetryMs: "-1" }, said: "use milliseconds, 0 or more" },
    { given: { npmRegistry: "ftp://npm.example" }, said: "The registry's address is no http or https URL." },
    {
      given: { npmRegistry: "https://someone:hunter2@npm.example/" },
      said: "The registry's address holds a user name or a password: use a registry that asks for none."
    },
    { given: { paused: "yes" }, said: `Expected "true" | "false"` },
    { given: { environment: "staging" }, said: `Expected "production" | "development"` }
  ])("are refused with both of their names and what they take: $given", async ({ given, said }) => {
    const [name = ""] = Object.keys(given)
    const inEnvironment = `PAWL_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`
    expect(await refusal(given)).toBe(`${name} (${inEnvironment}): ${said}`)
  })

  it("are refused when the config file holds another kind of value", async () => {
    expect(await refusal({}, file({ port: [1] }))).toContain("port")
    expect(await refusal({}, file({ paused: 1 }))).toContain("paused")
    expect(await refusal({}, join(folder, "none.json"))).toContain("does not exist")
  })

  it("are not taken from the config file in place of one that is wrong", async () => {
    expect(await refusal({ port: "wrong" }, file({ port: 1 }))).toContain("port")
  })
})
