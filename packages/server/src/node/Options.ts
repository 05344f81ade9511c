/** How a server is started: command line, then `PAWL_…` environment, then the config file, then defaults. */
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { CloudflareAccount } from "@pawl/adapters-cloudflare/builds/CloudflareApi"
import { schemaProblem } from "@pawl/adapters-pg/SchemaName"
import type { HttpModelsOptions } from "@pawl/adapters-models/HttpModels"
import { registryAddress } from "@pawl/adapters-local/packages/RegistryAddress"
import { isTokenText, tokenForm } from "@pawl/core/access/Tokens"
import type { ProvenanceMode } from "@pawl/core/primitives/Settings"
import type { KeyAlgorithm } from "@pawl/core/model/SigningKey"
import { type Config, ConfigProvider, Effect, Option, Redacted, Result, Schema, SchemaIssue } from "effect"
import type { RemoteAccess } from "@pawl/adapters-local/repositories/transport/GitRemote"
import { accountOf } from "./BuildServices.ts"
import {
  type GivenOptions,
  type McpTools,
  givenOptions,
  type Publicity,
  type RepositoryKind,
  roles,
  type ServerRole
} from "./GivenOptions.ts"
import type { OidcChoice } from "../identity/OidcDiscovery.ts"
import { oidcOf } from "./identity/OidcOptions.ts"
import { hostsOf } from "./ImportHosts.ts"
import { algorithmOf, kmsEndpointOf, type SignerChoice, signerOf } from "./SignerOptions.ts"
import { modelsOf, specifiedNames } from "./ModelOptions.ts"
import { type NoticesChoice, noticesOf } from "./NoticesOptions.ts"
import { type ObjectsChoice, objectsOf, repositoriesOf } from "./ObjectOptions.ts"
import { remoteAccessOf } from "./TargetGit.ts"
import { standardNames, telemetryOf } from "./telemetry/TelemetryOptions.ts"

/** The options cannot be used; the message names the option and what it takes. */
export class InvalidOptions extends Schema.TaggedError<InvalidOptions>()("InvalidOptions", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** All options, read and with their defaults. */
export interface Options {
  readonly port: number
  readonly host: string
  /** Absolute. */
  readonly data: string
  readonly roles: ReadonlyArray<ServerRole>
  readonly environment: "production" | "development"
  /** Null: no live apps. */
  readonly appsDomain: string | null
  readonly paused: boolean
  readonly fixturesEnabled: boolean
  readonly baseUrl: string | null
  readonly trustProxy: boolean
  readonly smokeRetryMs: number
  readonly appBuildsPerDay: number
  readonly appProcesses: number
  readonly sandboxMinutesPerMonth: number
  readonly sandboxesAtOnce: number
  readonly bundleMegabytesPerProject: number
  readonly webhooksAllowPrivate: boolean
  /** Where packages are fetched from. It has no credentials in it. */
  readonly npmRegistry: URL
  readonly apiRatePerMinute: number
  readonly ownerToken: Redacted.Redacted | null
  /** Of release targets in development. Null: there is none. */
  readonly buildService: CloudflareAccount | null
  /** Where canonical main may be pushed to, for release targets. Null: nowhere. */
  readonly targetGit: RemoteAccess | null
  /** Hosts that a first source may be imported from, by git. */
  readonly importHosts: ReadonlyArray<string>
  /** Of Postgres. Null: SQLite in the data folder. */
  readonly databaseUrl: Redacted.Redacted | null
  readonly databaseSchema: string
  /** What carries notices between the processes on it. */
  readonly notices: NoticesChoice
  /** Where objects are. */
  readonly objects: ObjectsChoice
  /** `packs` wherever objects are in no folder. */
  readonly repositories: RepositoryKind
  /** Where copies of repositories are, when these are packs. Absolute. */
  readonly cache: string
  /** About what they may take. */
  readonly cacheBytes: number
  /** How long a stop goes on as before once it says that it is not ready, in ms: load balancers look now and then. */
  readonly drainDelay: number
  /** What is done about releases that no statement vouches for. */
  readonly provenance: ProvenanceMode
  /** What the hosts of apps tell of it. */
  readonly provenancePublic: Publicity
  /** Ids of the keys that the router begins with; none: the first that the data folder saw. */
  readonly trustedKeys: ReadonlyArray<string>
  /** What signs statements. */
  readonly signer: SignerChoice
  /** Of a KMS that is not AWS's. Null: AWS's own of the key's region. */
  readonly kmsEndpoint: string | null
  /** Where checkpoints are also written as files, absolute. Null: nowhere. */
  readonly checkpointFolder: string | null
  /** Of a key file that is made. */
  readonly signingKeyType: KeyAlgorithm
  /** Whose word counts for who somebody is. Null: only Pawl's own tokens do. */
  readonly oidc: OidcChoice | null
  /** Whether the listener of the API answers browsers with the console. */
  readonly console: boolean
  /** Which tools models find at `/mcp`. */
  readonly mcpTools: McpTools
  readonly metrics: boolean
  /** Of `/metrics`. Null: only callers on this machine may read it. */
  readonly metricsToken: Redacted.Redacted | null
  readonly accessLog: boolean
  /** Of a collector of traces. Null: no traces. */
  readonly otlpEndpoint: string | null
  readonly otlpHeaders: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly serviceName: string
  /** Null: Changes are left to people. */
  readonly models: HttpModelsOptions | null
  /** Calls of models in a day (UTC), of all Projects together. */
  readonly agentDailyCallCap: number
  /** Agents that this process works with at a time. */
  readonly agentsAtOnce: number
}

/** Whether a process serves apps and does nothing else: strangers' code runs there, and it is given no more than that needs. */
export const onlyRoutes = ({ roles: named }: Pick<Options, "roles">): boolean =>
  named.every((role) => role === "router")

/** The name of an option in the environment: `PAWL_APPS_DOMAIN` of `appsDomain`. */
const environmentName = (name: string): string =>
  `PAWL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Which option it is, by both of its names, and what it takes. What was given is not repeated: it may be a secret. */
const describe = ({ cause }: Config.ConfigError): string => {
  if (cause._tag !== "SchemaError") return cause.message
  const [issue] = issuesOf(cause.issue).issues
  const [first] = issue?.path ?? []
  const name = typeof first === "string" ? first : "an option"
  return `${name} (${environmentName(name)}): ${issue?.message ?? "cannot be used"}`
}

/**
 * Options by their names, each a text of its own. Effect's providers would make a list or a record out of some, and
 * would then not look further: `PAWL_METRICS_TOKEN` would hide the `metrics` of the config file.
 */
const provider = (found: (name: string) => unknown): ConfigProvider.ConfigProvider =>
  ConfigProvider.make(([name]) => {
    const value = found(String(name))
    if (value === undefined) return Effect.undefined
    return Effect.succeed(ConfigProvider.makeValue(typeof value === "string" ? value : JSON.stringify(value)))
  })

const valuesProvider = (values: object): ConfigProvider.ConfigProvider => {
  const byName = new Map<string, unknown>(Object.entries(values))
  return provider((name) => byName.get(name))
}

/** A secret that comes out of a file has an end of line: white space around a value is none of it. */
const environmentProvider = provider((name) => process.env[environmentName(name)]?.trim())

const fileValues = (path: string | undefined): Result.Result<object, string> => {
  const name = path ?? "pawl.config.json"
  try {
    return Result.succeed(Object.fromEntries(Object.entries(JSON.parse(readFileSync(name, "utf8")))))
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT"
    if (missing && path === undefined) return Result.succeed({})
    return Result.fail(`config: ${name} ${missing ? "does not exist" : "is not JSON"}`)
  }
}

/** The roles that a text names, or what is wrong with it, in words. */
const rolesOf = (text: string, isEmbedded: boolean): ReadonlyArray<ServerRole> | string => {
  const named = text.split(",").map((role) => role.trim())
  const known = roles.filter((role) => named.includes(role))
  if (named.length !== known.length || known.length === 0) return `roles: use some of ${roles.join(",")}`
  return isEmbedded && known.length !== roles.length
    ? "roles: the embedded server takes all of api,router,worker; separate processes need Postgres (databaseUrl)"
    : known
}

const isPostgresUrl = (text: string): boolean => URL.canParse(text) && /^postgres(ql)?:\/\//.test(text)

const domain = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/

/** Where apps live, null for nowhere; or what is wrong with it, in words. */
const appsDomainOf = ({
  appsDomain: given,
  environment
}: {
  readonly appsDomain: Option.Option<string>
  readonly environment: Options["environment"]
}): Result.Result<string | null, string> => {
  const appsDomain = Option.getOrElse(given, () => (environment === "production" ? "apps.localhost" : ""))
  if (appsDomain === "") return Result.succeed(null)
  if (!domain.test(appsDomain)) return Result.fail("appsDomain: use a lowercase host name without a port")
  return environment === "production"
    ? Result.succeed(appsDomain)
    : Result.fail(
        "appsDomain (PAWL_APPS_DOMAIN): an environment for development hosts no apps; leave it out, or use environment production"
      )
}

/** Where the database is, null for the data folder; or what is wrong with it, in words. */
const databaseUrlOf = ({ databaseUrl, databaseSchema }: GivenOptions): Redacted.Redacted | null | string => {
  const url = Option.getOrNull(databaseUrl)
  if (url !== null && !isPostgresUrl(Redacted.value(url)))
    return "databaseUrl (PAWL_DATABASE_URL): use postgres://user:password@host:port/database"
  const problem = schemaProblem(databaseSchema)
  return problem === null ? url : `databaseSchema: ${problem}`
}

/** What is no text is the choice; a text says what is wrong with it. */
const worded = <A extends object | null>(chosen: A | string): Result.Result<A, string> =>
  typeof chosen === "string" ? Result.fail(chosen) : Result.succeed(chosen)

const ownerTokenOf = ({ ownerToken }: GivenOptions): Redacted.Redacted | null | string =>
  Option.isSome(ownerToken) && !isTokenText(Redacted.value(ownerToken.value))
    ? `ownerToken (PAWL_OWNER_TOKEN): ${tokenForm}`
    : Option.getOrNull(ownerToken)

const trustedKeysOf = (text: string): ReadonlyArray<string> | string => {
  const keys = text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]))
  return keys.every((each) => /^SHA256:[A-Za-z0-9+/]{43}$/.test(each))
    ? keys
    : "trustedKeys (PAWL_TRUSTED_KEYS): use ids of keys, SHA256:…, with commas between them"
}

/** What the options choose, each by itself or with its neighbours; or what is wrong with the first that cannot be used. */
const chosenOf = (read: GivenOptions) =>
  Result.gen(function* () {
    const databaseUrl = yield* worded(databaseUrlOf(read))
    const ownerToken = yield* worded(ownerTokenOf(read))
    const npmRegistry = yield* Result.mapError(
      registryAddress(read.npmRegistry.trim()),
      (problem) => `npmRegistry (PAWL_NPM_REGISTRY): ${problem}`
    )
    const objects = yield* worded(objectsOf(read))
    const repositories = yield* worded(repositoriesOf(read, objects))
    const kmsEndpoint = yield* kmsEndpointOf(read.kmsEndpoint)
    return {
      databaseUrl,
      notices: yield* worded(noticesOf(read, databaseUrl === null)),
      ownerToken,
      npmRegistry,
      objects,
      repositories: repositories.kind,
      buildService: yield* worded(accountOf(read)),
      targetGit: yield* worded(remoteAccessOf(read)),
      importHosts: yield* worded(hostsOf(read.importHosts)),
      ...(yield* worded(telemetryOf(read))),
      models: yield* worded(modelsOf(read)),
      oidc: yield* worded(oidcOf(read)),
      kmsEndpoint,
      signer: yield* worded(signerOf(read.signer, kmsEndpoint)),
      trustedKeys: yield* worded(trustedKeysOf(read.trustedKeys)),
      roles: yield* worded(rolesOf(read.roles, databaseUrl === null)),
      appsDomain: yield* appsDomainOf(read)
    }
  })

/** Reads the options. `given` are those of the command line, by their names here. */
export const read = Effect.fnUntraced(function* (
  given: Readonly<Record<string, string>>,
  configFile?: string
): Effect.fn.Return<Options, InvalidOptions> {
  const refuse = (reason: string) => new InvalidOptions({ reason })
  const file = yield* Effect.fromResult(Result.mapError(fileValues(configFile), refuse))
  if ([given, file].some((values) => Object.hasOwn(values, "modelKey")))
    return yield* refuse("modelKey: it is taken from the environment alone (PAWL_MODEL_KEY)")
  const looked = valuesProvider(given).pipe(
    ConfigProvider.orElse(environmentProvider),
    ConfigProvider.orElse(valuesProvider({ ...standardNames(), ...specifiedNames() })),
    ConfigProvider.orElse(valuesProvider(file))
  )
  const read = yield* givenOptions.parse(looked).pipe(Effect.mapError((error) => refuse(describe(error))))
  const chosen = yield* Effect.fromResult(Result.mapError(chosenOf(read), refuse))
  return {
    ...read,
    ...chosen,
    data: resolve(read.data),
    cache: resolve(Option.getOrElse(read.cache, () => join(read.data, "cache"))),
    fixturesEnabled: Option.getOrElse(read.fixturesEnabled, () => read.environment === "development"),
    baseUrl: Option.getOrNull(read.baseUrl),
    provenance: Option.getOrElse(read.provenance, () => (read.environment === "production" ? "warn" : "off")),
    checkpointFolder: Option.getOrNull(Option.map(read.checkpointFolder, (folder) => resolve(folder))),
    signingKeyType: algorithmOf(read.signingKeyType)
  }
})
