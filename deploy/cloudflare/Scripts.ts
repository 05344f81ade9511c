/**
 * The scripts of an installation on Cloudflare, as data: what each holds and what it is bound to. The simulator on this
 * machine and the configurations that are deployed are both made of it, so who may call whom is said once.
 */
import { type Consumer, consumers, type QueueName, queueNames } from "@pawl/adapters-cloudflare/hints/HintQueues"
import { ServerLimits } from "@pawl/server/ServerLimits"
import type { IssuerChoice, ModelChoice } from "@pawl/server/workers/Bindings"

/** What a binding reaches. */
export type Binding =
  /** Objects of a class, of this script or of another. */
  | { readonly _tag: "Objects"; readonly className: string; readonly script?: ScriptName }
  /** An entrypoint of another script; its default one without a name. */
  | { readonly _tag: "Service"; readonly script: ScriptName; readonly entrypoint?: string }
  /** A bucket: that of all that is kept, or that of packages alone, which can be fetched again. */
  | { readonly _tag: "Bucket"; readonly of?: "packages" }
  | { readonly _tag: "Loader" }
  /** A queue, to send to. */
  | { readonly _tag: "Queue"; readonly queue: QueueName }
  /** A namespace of repositories. */
  | { readonly _tag: "Artifacts" }
  /** Files beside the script: those of the console. */
  | { readonly _tag: "Assets" }
  | { readonly _tag: "Value"; readonly value: unknown }
  /** Told by the operator, and kept by Cloudflare alone. */
  | { readonly _tag: "Secret"; readonly isOptional: boolean }

/** The names of the scripts. */
export type ScriptName =
  | "api"
  | "integration"
  | "canonical"
  | "router"
  | "builder"
  | "checks"
  | "appdata"
  | "identity"
  | "models"

/** One script. */
export interface Script {
  readonly name: ScriptName
  /** Its file in `packages/server/src/workers`. */
  readonly main: string
  readonly bindings: Readonly<Record<string, Binding>>
  /** Classes of objects that it holds, each with SQLite, in the order in which they came: a new one is put at the end. */
  readonly objects: ReadonlyArray<string>
  /** Which hosts come to it; none for one that only other scripts reach. */
  readonly hosts: ReadonlyArray<string>
  readonly crons: ReadonlyArray<string>
  /** The queues whose messages it takes. */
  readonly consumers: ReadonlyArray<Consumer>
  /** What it needs of the runtime beyond its date: Node's modules. */
  readonly flags: ReadonlyArray<"nodejs_compat">
  /** Modules that are laid beside it. */
  readonly modules: ReadonlyArray<"bundler.txt" | "packages.txt" | "esbuild.wasm" | "templates.txt" | "openapi.txt">
  /** The container of each of its objects, and how many may run at once. */
  readonly container: { readonly image: string; readonly instanceType: string; readonly instances: number } | null
}

/** What an operator chooses. */
export interface Installation {
  readonly environment: "production" | "development"
  /** The domain of the hosts of apps, of its own registrable domain; null: no live apps. */
  readonly appsDomain: string | null
  /** Where people reach the API, without a path. */
  readonly apiOrigin: string
  /** The provider of identities that is relied on, as its tokens name it, and whom they must be for; null for none. */
  readonly oidc: IssuerChoice | null
  /** The models that plan Changes and work Tasks; null: Changes wait for people. */
  readonly models: ModelChoice | null
  readonly paused: boolean
  readonly version: string
  readonly requestsPerMinute: number
  /** How many apps may be built in one day (UTC), in all. */
  readonly buildsPerDay: number
  /** How many minutes checks may run in sandboxes in one month (UTC), in all. */
  readonly sandboxMinutesPerMonth: number
  /** The image of the container that runs checks and build commands, and what it starts; null: nothing runs them. */
  readonly checks: { readonly image: string; readonly program: ReadonlyArray<string> } | null
  /**
   * Where repositories are: as packs in rows and in the bucket, or on Artifacts, which is in beta. It is chosen before the
   * first Project: a repository stays where it was made.
   */
  readonly repositories: "packs" | "artifacts"
  /** The registry of npm packages, as a URL that ends with a slash. */
  readonly registry: string
}

/** The date by whose rules the scripts run. */
export const compatibilityDate = "2026-07-01"

/** The buckets: bundles, objects and packs; and packages, which the script that fetches them is bound to. */
export const bucketNames = { objects: "pawl-objects", packages: "pawl-packages" } as const

/** The namespace of repositories on Artifacts. */
export const artifactsNamespace = "pawl"

/** What a container has: 4 GiB and half a core. A check alone may take 1 GiB, and where nothing is said Cloudflare gives 256 MiB. */
const containerType = "standard-1"

const plain = { objects: [], hosts: [], crons: [], consumers: [], flags: [], modules: [], container: null } as const

const forApi: Binding = { _tag: "Service", script: "canonical", entrypoint: "ForApi" }

/**
 * What answers for builds, for the data of apps, and for checks where there is a container. None is bound to what holds the
 * Projects.
 */
const helpersOf = ({ checks, registry }: Pick<Installation, "checks" | "registry">): ReadonlyArray<Script> => [
  { ...plain, name: "appdata", main: "AppDataScript.ts", objects: ["DataStore"], bindings: {} },
  {
    ...plain,
    name: "builder",
    main: "BuilderScript.ts",
    objects: ["Builder", "Layers"],
    modules: ["bundler.txt", "packages.txt", "esbuild.wasm", "templates.txt"],
    bindings: {
      LOADER: { _tag: "Loader" },
      PACKAGES: { _tag: "Bucket", of: "packages" },
      REGISTRY: { _tag: "Value", value: registry },
      COMMANDS: { _tag: "Value", value: checks !== null }
    }
  },
  ...(checks === null
    ? []
    : [
        {
          ...plain,
          name: "checks" as const,
          main: "ChecksScript.ts",
          objects: ["Checks"],
          container: {
            image: checks.image,
            instanceType: containerType,
            instances: ServerLimits.checkContainers
          },
          bindings: {
            IMAGE: { _tag: "Value", value: { program: checks.program, entrypoint: ["sleep", "infinity"] } } as const
          }
        }
      ])
]

/** What asks the provider of identities, where one is relied on. */
const identityOf = ({ apiOrigin, oidc }: Pick<Installation, "apiOrigin" | "oidc">): ReadonlyArray<Script> =>
  oidc === null
    ? []
    : [
        {
          ...plain,
          name: "identity",
          main: "IdentityScript.ts",
          objects: ["Identity"],
          bindings: {
            PROVIDER: { _tag: "Value", value: { ...oidc, apiOrigin } },
            OIDC_CLIENT_SECRET: { _tag: "Secret", isOptional: true }
          }
        }
      ]

/** What asks models, where there are some. */
const modelsOf = ({ models }: Pick<Installation, "models">): ReadonlyArray<Script> =>
  models === null
    ? []
    : [
        {
          ...plain,
          name: "models",
          main: "ModelsScript.ts",
          bindings: {
            MODELS: { _tag: "Value", value: { endpoint: models.endpoint, tiers: models.tiers } },
            MODEL_KEY: { _tag: "Secret", isOptional: true }
          }
        }
      ]

/** What holds the objects. */
const canonicalOf = (
  shared: Script["bindings"],
  { checks, models, oidc, repositories }: Pick<Installation, "checks" | "models" | "oidc" | "repositories">
): Script => ({
  ...plain,
  name: "canonical",
  main: "CanonicalScript.ts",
  objects: ["ProjectObject", "DirectoryObject"],
  crons: ["* * * * *"],
  consumers,
  // Git's objects are deflated by Node's zlib.
  flags: ["nodejs_compat"],
  bindings: {
    ...shared,
    HINTS: { _tag: "Queue", queue: queueNames.hints },
    PROJECTS: { _tag: "Objects", className: "ProjectObject" },
    DIRECTORY: { _tag: "Objects", className: "DirectoryObject" },
    BUILDS: { _tag: "Objects", className: "Builder", script: "builder" },
    SOURCES: { _tag: "Service", script: "builder", entrypoint: "Sources" },
    LAYERS: { _tag: "Objects", className: "Layers", script: "builder" },
    STORES: { _tag: "Objects", className: "DataStore", script: "appdata" },
    ...(checks === null ? {} : { CHECKS: { _tag: "Objects", className: "Checks", script: "checks" } as const }),
    ...(oidc === null ? {} : { IDENTITY: { _tag: "Objects", className: "Identity", script: "identity" } as const }),
    ...(repositories === "artifacts" ? { ARTIFACTS: { _tag: "Artifacts" } as const } : {}),
    ...(models === null
      ? {}
      : ({
          MODELS: { _tag: "Value", value: { tiers: models.tiers, callsPerDay: models.callsPerDay } },
          ASKED: { _tag: "Service", script: "models", entrypoint: "ForObjects" }
        } as const)),
    OWNER_TOKEN: { _tag: "Secret", isOptional: false },
    SIGNING_KEY: { _tag: "Secret", isOptional: true },
    LOG_KEY: { _tag: "Secret", isOptional: true }
  }
})

/** All scripts of an installation. One that another is bound to stands before it. */
export const scriptsOf = ({ checks, models, repositories, ...settings }: Installation): ReadonlyArray<Script> => {
  const { apiOrigin, appsDomain, oidc } = settings
  const shared: Script["bindings"] = {
    BUCKET: { _tag: "Bucket" },
    LOADER: { _tag: "Loader" },
    SETTINGS: { _tag: "Value", value: settings }
  }
  const router: Script = {
    ...plain,
    name: "router",
    main: "RouterScript.ts",
    hosts: [appsDomain ?? "", `*.${appsDomain}`],
    bindings: { ...shared, CANONICAL: { _tag: "Service", script: "canonical", entrypoint: "ForRouters" } }
  }
  return [
    ...helpersOf({ checks, registry: settings.registry }),
    ...identityOf({ apiOrigin, oidc }),
    ...modelsOf({ models }),
    canonicalOf(shared, { checks, models, oidc, repositories }),
    {
      ...plain,
      name: "integration",
      main: "IntegrationScript.ts",
      bindings: {
        CANONICAL: { _tag: "Service", script: "canonical", entrypoint: "ForIntegration" },
        DIRECTORY: forApi
      }
    },
    {
      ...plain,
      name: "api",
      main: "ApiScript.ts",
      modules: ["openapi.txt"],
      hosts: [new URL(apiOrigin).host],
      bindings: {
        CANONICAL: forApi,
        INTEGRATION: { _tag: "Service", script: "integration" },
        CONSOLE: { _tag: "Assets" },
        SETTINGS: { _tag: "Value", value: settings }
      }
    },
    ...(appsDomain === null ? [] : [router])
  ]
}
