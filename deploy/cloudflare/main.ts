/**
 * `npm run deploy:cloudflare -- --api-origin https://pawl.example.com`: deploys every script to the account that wrangler
 * is signed in to. `--dry-run` lays all of it out and asks nobody. Secrets come from the environment: PAWL_OWNER_TOKEN,
 * PAWL_SIGNING_KEY, PAWL_LOG_KEY, PAWL_MODEL_KEY, PAWL_OIDC_CLIENT_SECRET; so do the options of a provider of identities
 * (PAWL_OIDC_ISSUER, PAWL_OIDC_AUDIENCE, PAWL_OIDC_CLIENT_ID), of models, PAWL_NPM_REGISTRY, and the
 * bounds PAWL_API_RATE_PER_MINUTE, PAWL_APP_BUILDS_PER_DAY, PAWL_SANDBOX_MINUTES_PER_MONTH and PAWL_PAUSED. Ends with 1 when a script
 * was not deployed, with 2 for options that are no use.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { registryAddress } from "@pawl/adapters-local/packages/RegistryAddress"
import { isFit } from "@pawl/server/identity/OidcAddress"
import * as DemoApi from "@pawl/server/node/demo/DemoApi"
import { type Bounds, boundsOf } from "./Bounds.ts"
import { layOut, wrangler } from "./Deployment.ts"
import { modelChoiceOf } from "./ModelChoice.ts"
import { type Installation, scriptsOf } from "./Scripts.ts"
import { firstSignInLine } from "./SignInLink.ts"
import { queuesOf } from "./Wrangler.ts"

const { values } = parseArgs({
  options: {
    "api-origin": { type: "string" },
    "apps-domain": { type: "string" },
    "checks-image": { type: "string" },
    "dry-run": { type: "boolean", default: false },
    out: { type: "string" },
    repositories: { type: "string", default: "packs" }
  }
})

const fail = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

const origin = URL.parse(values["api-origin"] ?? "")
if (origin === null || origin.protocol !== "https:" || origin.pathname !== "/")
  fail("--api-origin takes where people will reach the API: https://pawl.example.com")

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../packages/server/package.json"), "utf8")
) as { readonly version: string }

const told = (variable: string): string | null => process.env[variable] || null

/** How much the environment allows. */
const bounds = (): Bounds => {
  const found = boundsOf(process.env)
  return typeof found === "string" ? fail(found) : found
}

/** The provider of identities that the environment names. */
const oidc = (): Installation["oidc"] => {
  const [issuer, audience] = [told("PAWL_OIDC_ISSUER"), told("PAWL_OIDC_AUDIENCE")]
  const clientId = told("PAWL_OIDC_CLIENT_ID")
  if (issuer === null && audience === null && clientId === null) return null
  if (issuer === null || audience === null)
    return fail("PAWL_OIDC_ISSUER and PAWL_OIDC_AUDIENCE go together: whose tokens count, and whom they must be for")
  if (!issuer.startsWith("https:") || !isFit(issuer))
    return fail("PAWL_OIDC_ISSUER: use the issuer's https address, without query and fragment")
  return { issuer, audience, clientId }
}

/** The models that the environment names. A key goes over no line that can be read. */
const models = (): Installation["models"] => {
  const choice = modelChoiceOf(process.env)
  if (typeof choice === "string") return fail(choice)
  if (choice !== null && !choice.endpoint.url.startsWith("https:"))
    return fail("modelUrl (PAWL_MODEL_URL): use an https address")
  return choice
}

/** Where repositories are to be. */
const repositories = (): Installation["repositories"] =>
  values.repositories === "packs" || values.repositories === "artifacts"
    ? values.repositories
    : fail("--repositories takes packs, or artifacts, which is in beta")

/** The registry of packages that the environment names, or npm's own. */
const registry = (): string => {
  const named = registryAddress(told("PAWL_NPM_REGISTRY") ?? "https://registry.npmjs.org/")
  return named._tag === "Success" ? named.success.href : fail(`PAWL_NPM_REGISTRY: ${named.failure}`)
}

const installation: Installation = {
  environment: "production",
  appsDomain: values["apps-domain"] ?? null,
  apiOrigin: origin?.origin ?? "",
  oidc: oidc(),
  models: models(),
  version,
  ...bounds(),
  checks:
    values["checks-image"] === undefined
      ? null
      : { image: values["checks-image"], program: ["node", "/pawl/SandboxProgram.js"] },
  repositories: repositories(),
  registry: registry()
}

const secrets = {
  OWNER_TOKEN: "PAWL_OWNER_TOKEN",
  SIGNING_KEY: "PAWL_SIGNING_KEY",
  LOG_KEY: "PAWL_LOG_KEY",
  MODEL_KEY: "PAWL_MODEL_KEY",
  OIDC_CLIENT_SECRET: "PAWL_OIDC_CLIENT_SECRET"
} as const
const kept = Object.entries(secrets).flatMap(([name, variable]) => {
  const value = told(variable)
  return value === null ? [] : [[name, value] as const]
})
const isDry = values["dry-run"]
if (!isDry && kept.every(([name]) => name !== "OWNER_TOKEN"))
  fail("PAWL_OWNER_TOKEN is missing: the first token, pawl_ and at least 32 characters, with which you sign in")

/** Makes the queues that are not there: a script that takes from one is not deployed without it. */
const makeQueues = async (script: Parameters<typeof wrangler>[0]): Promise<void> => {
  for (const queue of queuesOf(installation)) {
    if ((await wrangler(script, ["queues", "info", queue])).code === 0) continue
    const { code, output } = await wrangler(script, ["queues", "create", queue])
    if (code === 0) continue
    process.stderr.write(`${output}\nThe queue ${queue} was not made; no script was deployed.\n`)
    process.exit(1)
  }
}

/** How its owner signs in with a browser. */
const tellSignInLink = async (): Promise<void> => {
  const { apiOrigin } = installation
  const line = await firstSignInLine(DemoApi.makeAt(apiOrigin, told(secrets.OWNER_TOKEN) ?? ""))
  const later = `It does not answer yet. For a link to sign in by: npm run link:cloudflare -- --api-origin ${apiOrigin}`
  process.stdout.write(`${line ?? later}\n`)
}

const folder = values.out ?? mkdtempSync(join(tmpdir(), "pawl-cloudflare-"))
try {
  const scripts = await layOut(installation, folder)
  if (!isDry && scripts[0] !== undefined) await makeQueues(scripts[0])
  for (const script of scripts) {
    process.stdout.write(`${script.name}: ${Math.ceil(script.size / 1000)} KB\n`)
    const { code, output } = await wrangler(script, isDry ? ["deploy", "--dry-run"] : ["deploy"])
    if (code !== 0) {
      process.stderr.write(`${output}\nThe script ${script.name} was not deployed; those before it were.\n`)
      process.exit(1)
    }
    const { bindings } = scriptsOf(installation).find(({ name }) => name === script.name) ?? { bindings: {} }
    const own = kept.filter(([name]) => name in bindings)
    if (isDry || own.length === 0) continue
    const ended = await wrangler(script, ["secret", "bulk"], JSON.stringify(Object.fromEntries(own)))
    if (ended.code !== 0) {
      process.stderr.write(`The secrets of ${script.name} were not kept. Run the same command once more.\n`)
      process.exit(1)
    }
  }
  process.stdout.write(
    isDry ? "All scripts can be deployed; nobody was asked.\n" : `Deployed: ${installation.apiOrigin}\n`
  )
  // A route makes no name, and no question here says whether there is one.
  if (!isDry && installation.appsDomain !== null)
    process.stdout.write(`Hosts of apps need a proxied DNS record for *.${installation.appsDomain}, once.\n`)
  if (!isDry && installation.oidc === null) await tellSignInLink()
} finally {
  if (values.out === undefined) rmSync(folder, { recursive: true, force: true })
}
