/** How a server is started: command line, then `PAWL_…` environment, then the config file, then defaults. */
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join, resolve } from "node:path"
import type { CloudflareAccount } from "@pawl/adapters-cloudflare/builds/CloudflareApi"
import { defaultSchema, schemaProblem } from "@pawl/adapters-pg/SchemaName"
import type { HttpModelsOptions } from "@pawl/adapters-models/HttpModels"
import { registryAddress } from "@pawl/adapters-local/packages/RegistryAddress"
import { dialects } from "@pawl/adapters-models/ModelEndpoint"
import { isTokenText, tokenForm } from "@pawl/core/access/Tokens"
import { Limits } from "@pawl/core/primitives/Limits"
import { type ProvenanceMode, provenanceModes } from "@pawl/core/primitives/Settings"
import type { KeyAlgorithm } from "@pawl/core/model/SigningKey"
import { ServerLimits } from "../ServerLimits.ts"
import { Config, ConfigProvider, Effect, Option, Redacted, Result, Schema, SchemaIssue } from "effect"
import type { RemoteAccess } from "@pawl/adapters-local/repositories/transport/GitRemote"
import { accountOf } from "./BuildServices.ts"
import { hostsOf } from "./ImportHosts.ts"
import { algorithmOf, keyTypes, type SignerChoice, signerOf } from "./SignerOptions.ts"
import { modelsOf, specifiedNames } from "./ModelOptions.ts"
import { type ObjectsChoice, objectsOf, repositoriesOf } from "./ObjectOptions.ts"
import { defaultGitUser, remoteAccessOf } from "./TargetGit.ts"
import { standardNames, telemetryOf } from "./telemetry/TelemetryOptions.ts"

/** The options cannot be used; the message names the option and what it takes. */
export class InvalidOptions extends Schema.TaggedError<InvalidOptions>()("InvalidOptions", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

const publicities = ["none", "summary", "full"] as const
/** What the hosts of apps tell of a release: nothing, what names no person and no check, or all that is signed. */
export type Publicity = (typeof publicities)[number]

const repositoryKinds = ["folder", "packs"] as const
/** Where git repositories are: in a folder of the data folder, or as packs in the stores, with copies on each machine. */
export type RepositoryKind = (typeof repositoryKinds)[number]

const roles = ["api", "router", "worker"] as const
/** What a process does: it answers the API, serves apps, or works through commands. */
export type ServerRole = (typeof roles)[number]

/** A whole number in digits. Whatever else is given is answered with the same words. */
const whole = (name: string, words: string, range: { readonly minimum: number; readonly maximum?: number }) =>
  Config.schema(
    Schema.Trim.check(Schema.isPattern(/^\d+$/, { message: words })).pipe(
      Schema.decodeTo(
        Schema.FiniteFromString.check(
          Schema.isBetween({ maximum: Number.MAX_SAFE_INTEGER, ...range }, { message: words })
        )
      )
    ),
    name
  )

const positive = (name: string) => whole(name, "use a whole number above 0", { minimum: 1 })

/** `true` or `false`, and nothing else (decisions, "Shapes that clients rely on"). */
const flag = (name: string) => Config.map(Config.Literals(["true", "false"], name), (text) => text === "true")

/** As many as there are cores, but never fewer than one Change may use. */
const defaultSandboxes = (): number => Math.max(Limits.activeSandboxesPerChange, availableParallelism())

const defaultRegistry = "https://registry.npmjs.org/"

const options = Config.all({
  port: Config.withDefault(whole("port", "use a port from 0 to 65535", { minimum: 0, maximum: 65_535 }), 8787),
  host: Config.withDefault(Config.String("host"), "127.0.0.1"),
  data: Config.withDefault(Config.String("data"), ".pawl"),
  roles: Config.withDefault(Config.String("roles"), roles.join(",")),
  environment: Config.withDefault(Config.Literals(["production", "development"], "environment"), "production" as const),
  appsDomain: Config.option(Config.String("appsDomain")),
  paused: Config.withDefault(flag("paused"), false),
  fixturesEnabled: Config.option(flag("fixturesEnabled")),
  baseUrl: Config.option(Config.String("baseUrl")),
  trustProxy: Config.withDefault(flag("trustProxy"), false),
  smokeRetryMs: Config.withDefault(
    whole("smokeRetryMs", "use milliseconds, 0 or more", { minimum: 0 }),
    Limits.probeRetryMs
  ),
  appBuildsPerDay: Config.withDefault(positive("appBuildsPerDay"), Limits.buildsPerDay),
  appProcesses: Config.withDefault(positive("appProcesses"), LocalLimits.appProcesses),
  sandboxMinutesPerMonth: Config.withDefault(positive("sandboxMinutesPerMonth"), Limits.sandboxMsPerMonth / 60_000),
  sandboxesAtOnce: Config.withDefault(positive("sandboxesAtOnce"), defaultSandboxes()),
  bundleMegabytesPerProject: Config.withDefault(
    positive("bundleMegabytesPerProject"),
    Limits.bundleBytesPerProject / 1024 ** 2
  ),
  webhooksAllowPrivate: Config.withDefault(flag("webhooksAllowPrivate"), false),
  npmRegistry: Config.withDefault(Config.String("npmRegistry"), defaultRegistry),
  apiRatePerMinute: Config.withDefault(positive("apiRatePerMinute"), ServerLimits.requestsPerMinute),
  ownerToken: Config.option(Config.Redacted("ownerToken")),
  databaseUrl: Config.option(Config.Redacted("databaseUrl")),
  objects: Config.withDefault(Config.String("objects"), "folder"),
  s3Endpoint: Config.option(Config.String("s3Endpoint")),
  s3Region: Config.option(Config.String("s3Region")),
  s3PathStyle: Config.option(flag("s3PathStyle")),
  buildsApiToken: Config.option(Config.Redacted("buildsApiToken")),
  buildsAccountId: Config.option(Config.String("buildsAccountId")),
  buildsApiUrl: Config.option(Config.String("buildsApiUrl")),
  targetGitUrl: Config.option(Config.String("targetGitUrl")),
  targetGitUser: Config.withDefault(Config.String("targetGitUser"), defaultGitUser),
  targetGitToken: Config.option(Config.Redacted("targetGitToken")),
  targetSshKeyFile: Config.option(Config.String("targetSshKeyFile")),
  importHosts: Config.withDefault(Config.String("importHosts"), ""),
  repositories: Config.option(Config.Literals(repositoryKinds, "repositories")),
  cache: Config.option(Config.String("cache")),
  cacheBytes: Config.withDefault(positive("cacheBytes"), LocalLimits.cacheBytes),
  databaseSchema: Config.withDefault(Config.String("databaseSchema"), defaultSchema),
  provenance: Config.option(Config.Literals(provenanceModes, "provenance")),
  provenancePublic: Config.withDefault(Config.Literals(publicities, "provenancePublic"), "summary" as const),
  trustedKeys: Config.withDefault(Config.String("trustedKeys"), ""),
  signer: Config.withDefault(Config.String("signer"), "file"),
  checkpointFolder: Config.option(Config.String("checkpointFolder")),
  signingKeyType: Config.withDefault(Config.Literals(keyTypes, "signingKeyType"), "p256" as const),
  metrics: Config.withDefault(flag("metrics"), false),
  metricsToken: Config.option(Config.Redacted("metricsToken")),
  accessLog: Config.withDefault(flag("accessLog"), false),
  otlpEndpoint: Config.option(Config.String("otlpEndpoint")),
  otlpHeaders: Config.option(Config.Redacted("otlpHeaders")),
  serviceName: Config.withDefault(Config.String("serviceName"), "pawl"),
  modelDialect: Config.withDefault(Config.Literals(dialects, "modelDialect"), "openai-chat" as const),
  modelUrl: Config.option(Config.String("modelUrl")),
  modelKey: Config.option(Config.Redacted("modelKey")),
  modelFast: Config.option(Config.String("modelFast")),
  modelBalanced: Config.option(Config.String("modelBalanced")),
  modelStrong: Config.option(Config.String("modelStrong")),
  modelPrices: Config.option(Config.String("modelPrices")),
  modelContext: Config.withDefault(positive("modelContext"), ServerLimits.modelContextTokens),
  agentDailyCallCap: Config.withDefault(
    whole("agentDailyCallCap", "use a whole number, 0 or more", { minimum: 0 }),
    Limits.modelCallsPerDay
  ),
  agentsAtOnce: Config.withDefault(positive("agentsAtOnce"), ServerLimits.agentSlots)
})

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
  /** Where objects are. */
  readonly objects: ObjectsChoice
  /** `packs` wherever objects are in no folder. */
  readonly repositories: RepositoryKind
  /** Where copies of repositories are, when these are packs. Absolute. */
  readonly cache: string
  /** About what they may take. */
  readonly cacheBytes: number
  /** What is done about releases that no statement vouches for. */
  readonly provenance: ProvenanceMode
  /** What the hosts of apps tell of it. */
  readonly provenancePublic: Publicity
  /** Ids of the keys that the router begins with; none: the first that the data folder saw. */
  readonly trustedKeys: ReadonlyArray<string>
  /** What signs statements. */
  readonly signer: SignerChoice
  /** Where checkpoints are also written as files, absolute. Null: nowhere. */
  readonly checkpointFolder: string | null
  /** Of a key file that is made. */
  readonly signingKeyType: KeyAlgorithm
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

/** What is wrong with where the database is; null for nothing. */
const databaseProblem = (url: Redacted.Redacted | null, schema: string): string | null => {
  if (url !== null && !isPostgresUrl(Redacted.value(url)))
    return "databaseUrl (PAWL_DATABASE_URL): use postgres://user:password@host:port/database"
  const problem = schemaProblem(schema)
  return problem === null ? null : `databaseSchema: ${problem}`
}

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
  const read = yield* options.parse(looked).pipe(Effect.mapError((error) => refuse(describe(error))))
  const databaseUrl = Option.getOrNull(read.databaseUrl)
  const database = databaseProblem(databaseUrl, read.databaseSchema)
  if (database !== null) return yield* refuse(database)
  if (Option.isSome(read.ownerToken) && !isTokenText(Redacted.value(read.ownerToken.value)))
    return yield* refuse(`ownerToken (PAWL_OWNER_TOKEN): ${tokenForm}`)
  const npmRegistry = registryAddress(read.npmRegistry.trim())
  if (Result.isFailure(npmRegistry)) return yield* refuse(`npmRegistry (PAWL_NPM_REGISTRY): ${npmRegistry.failure}`)
  const objects = objectsOf(read)
  if (typeof objects === "string") return yield* refuse(objects)
  const repositories = repositoriesOf(read, objects)
  if (typeof repositories === "string") return yield* refuse(repositories)
  const buildService = accountOf(read)
  if (typeof buildService === "string") return yield* refuse(buildService)
  const targetGit = remoteAccessOf(read)
  if (typeof targetGit === "string") return yield* refuse(targetGit)
  const importHosts = hostsOf(read.importHosts)
  if (typeof importHosts === "string") return yield* refuse(importHosts)
  const telemetry = telemetryOf(read)
  if (typeof telemetry === "string") return yield* refuse(telemetry)
  const models = modelsOf(read)
  if (typeof models === "string") return yield* refuse(models)
  const signer = signerOf(read.signer)
  if (typeof signer === "string") return yield* refuse(signer)
  const trustedKeys = read.trustedKeys.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]))
  if (!trustedKeys.every((each) => /^SHA256:[A-Za-z0-9+/]{43}$/.test(each)))
    return yield* refuse("trustedKeys (PAWL_TRUSTED_KEYS): use ids of keys, SHA256:…, with commas between them")
  const named = rolesOf(read.roles, databaseUrl === null)
  if (typeof named === "string") return yield* refuse(named)
  const appsDomain = appsDomainOf(read)
  if (Result.isFailure(appsDomain)) return yield* refuse(appsDomain.failure)
  return {
    ...read,
    ...telemetry,
    data: resolve(read.data),
    cache: resolve(Option.getOrElse(read.cache, () => join(read.data, "cache"))),
    roles: named,
    appsDomain: appsDomain.success,
    fixturesEnabled: Option.getOrElse(read.fixturesEnabled, () => read.environment === "development"),
    baseUrl: Option.getOrNull(read.baseUrl),
    npmRegistry: npmRegistry.success,
    ownerToken: Option.getOrNull(read.ownerToken),
    objects,
    repositories: repositories.kind,
    buildService,
    targetGit,
    importHosts,
    models,
    trustedKeys,
    provenance: Option.getOrElse(read.provenance, () => (read.environment === "production" ? "warn" : "off")),
    signer,
    checkpointFolder: Option.getOrNull(Option.map(read.checkpointFolder, (folder) => resolve(folder))),
    signingKeyType: algorithmOf(read.signingKeyType),
    databaseUrl
  }
})
