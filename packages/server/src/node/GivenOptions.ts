/** The options by their names, each with the form it takes and its default. What they mean together is said by `Options`. */
import { availableParallelism } from "node:os"
import { defaultSchema } from "@pawl/adapters-pg/SchemaName"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { dialects } from "@pawl/adapters-models/ModelEndpoint"
import { Limits } from "@pawl/core/primitives/Limits"
import { provenanceModes } from "@pawl/core/primitives/Settings"
import { Config, Schema } from "effect"
import { ServerLimits } from "../ServerLimits.ts"
import { keyTypes } from "./SignerOptions.ts"
import { defaultGitUser } from "./TargetGit.ts"

const publicities = ["none", "summary", "full"] as const
/** What the hosts of apps tell of a release: nothing, what names no person and no check, or all that is signed. */
export type Publicity = (typeof publicities)[number]

const toolChoices = ["all", "read", "none"] as const
/** Which tools models find at `/mcp`: all, those alone that only read, or none. */
export type McpTools = (typeof toolChoices)[number]

const repositoryKinds = ["folder", "packs"] as const
/** Where git repositories are: in a folder of the data folder, or as packs in the stores, with copies on each machine. */
export type RepositoryKind = (typeof repositoryKinds)[number]

/** What `roles` takes. */
export const roles = ["api", "router", "worker"] as const
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

/** All options as they are given. */
export const givenOptions = Config.all({
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
  notices: Config.option(Config.Redacted("notices")),
  noticesCredentials: Config.option(Config.String("noticesCredentials")),
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
  drainDelay: Config.withDefault(
    whole("drainDelay", `use milliseconds, 0 to ${ServerLimits.drainDelayMostMs}`, {
      minimum: 0,
      maximum: ServerLimits.drainDelayMostMs
    }),
    0
  ),
  cacheBytes: Config.withDefault(positive("cacheBytes"), LocalLimits.cacheBytes),
  databaseSchema: Config.withDefault(Config.String("databaseSchema"), defaultSchema),
  provenance: Config.option(Config.Literals(provenanceModes, "provenance")),
  provenancePublic: Config.withDefault(Config.Literals(publicities, "provenancePublic"), "summary" as const),
  trustedKeys: Config.withDefault(Config.String("trustedKeys"), ""),
  signer: Config.withDefault(Config.String("signer"), "file"),
  kmsEndpoint: Config.option(Config.String("kmsEndpoint")),
  checkpointFolder: Config.option(Config.String("checkpointFolder")),
  signingKeyType: Config.withDefault(Config.Literals(keyTypes, "signingKeyType"), "p256" as const),
  oidcIssuer: Config.option(Config.String("oidcIssuer")),
  oidcAudience: Config.option(Config.String("oidcAudience")),
  oidcClientId: Config.option(Config.String("oidcClientId")),
  oidcClientSecret: Config.option(Config.Redacted("oidcClientSecret")),
  console: Config.withDefault(flag("console"), true),
  mcpTools: Config.withDefault(Config.Literals(toolChoices, "mcpTools"), "all" as const),
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

/** What was given, by name. */
export type GivenOptions = Config.Success<typeof givenOptions>
