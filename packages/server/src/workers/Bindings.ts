/** What the scripts are bound to. Who may call whom is said by these bindings, and by nothing else. */
import type { DataStoreCalls } from "@pawl/adapters-cloudflare/appdata/DataStoreObject"
import type { BuildCalls } from "@pawl/adapters-cloudflare/builder/BuilderObject"
import type { SourceCalls } from "@pawl/adapters-cloudflare/builder/SourceOutline"
import type { LayerCalls } from "@pawl/adapters-cloudflare/packages/LayerObject"
import type { DirectoryCalls, Reserved, StoreCalls, Told } from "@pawl/adapters-cloudflare/directory/Wire"
import type { DeadHint } from "@pawl/adapters-cloudflare/hints/HintConsumer"
import type { Hint, HintQueue } from "@pawl/adapters-cloudflare/hints/Hint"
import type { Bucket } from "@pawl/adapters-cloudflare/objects/Bucket"
import type { DataCall } from "@pawl/adapters-cloudflare/runtime/AppBindings"
import type { Printed } from "@pawl/adapters-cloudflare/runtime/PrintedLines"
import type { WorkerLoader } from "@pawl/adapters-cloudflare/runtime/WorkerLoader"
import type { Artifacts } from "@pawl/adapters-cloudflare/repositories/artifacts/Artifacts"
import type { CheckCalls } from "@pawl/adapters-cloudflare/sandbox/CheckObject"
import type { HttpModelsOptions } from "@pawl/adapters-models/HttpModels"
import type { ModelEndpoint } from "@pawl/adapters-models/ModelEndpoint"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import type { Channel } from "@pawl/core/model/Pointer"
import type { FoundPointer } from "@pawl/core/app/PointerSource"
import type { FileEdits } from "@pawl/core/project/Repositories"
import type { TemplateName } from "@pawl/core/project/Templates"
import type { TrustedIssuer } from "../identity/OidcTokens.ts"
import type { IdentityCalls } from "./RemoteIdentity.ts"
import type { ModelCalls } from "./RemoteModels.ts"

/** Objects of a class, by name. */
export interface Namespace<Calls> {
  readonly getByName: (name: string) => Calls & { readonly fetch: (request: Request) => Promise<Response> }
}

/** A provider of identities, without the secret of the console there. */
export interface IssuerChoice extends TrustedIssuer {
  /** The console at the provider; null: its tokens count, and nobody signs in there by a browser. */
  readonly clientId: string | null
}

/** What the installation is told, as the deployment's configuration has it. */
export interface InstallationSettings {
  readonly environment: "production" | "development"
  /** The domain of the hosts of apps; null: no live apps. */
  readonly appsDomain: string | null
  /** Where people reach the API, without a path. */
  readonly apiOrigin: string
  /** The provider of identities that is relied on; null for none. */
  readonly oidc: IssuerChoice | null
  readonly paused: boolean
  readonly version: string
  /** How many apps may be built in one day (UTC), in all. */
  readonly buildsPerDay: number
  /** How many minutes checks may run in sandboxes in one month (UTC), in all. */
  readonly sandboxMinutesPerMonth: number
  /** The registry of npm packages, as a URL. */
  readonly registry: string
  /** Requests of one caller to one object in a minute. */
  readonly requestsPerMinute: number
}

/** The models of an installation, without the key. */
export interface ModelChoice {
  readonly endpoint: Omit<ModelEndpoint, "key">
  readonly tiers: HttpModelsOptions["tiers"]
  /** How many calls of models may be made in one day (UTC), in all. */
  readonly callsPerDay: number
}

/** What a Project's object answers, beside requests. */
export interface ProjectCalls extends StoreCalls {
  /** Goes on with the creation of the Project where it was cut short. */
  readonly provision: (payload: Readonly<Record<string, unknown>>) => Promise<void>
  /** Does what a hint for this Project says. It may come twice, late, or after a newer one. */
  readonly hinted: (hint: Hint) => Promise<void>
  /** Of these ids, those that there is something for. */
  readonly has: (ids: ReadonlyArray<Reserved>) => Promise<ReadonlyArray<Reserved>>
  /** Deletes all that the object has where no Project came to be. Rejects then: the object ends with it. */
  readonly forget: () => Promise<void>
  /** Looks whether work was forgotten, or something that the directory lacks. */
  readonly wake: () => Promise<void>
  /** The row of a host of its app, as it is committed now. */
  readonly pointer: (label: string, channel: Channel) => Promise<FoundPointer>
  /** Whether an app of this incarnation may write what it keeps, as its rows are committed now. */
  readonly mayWrite: (channel: string, incarnation: number) => Promise<boolean>
  /** Keeps what a version of its app printed, unless that was removed. */
  readonly printed: (version: AppVersion, printed: Printed) => Promise<void>
}

/** What the directory's object answers, beside requests. */
export interface DirectoryObjectCalls extends DirectoryCalls {
  /** Of which Project a record is; null for an id that nobody reserved. */
  readonly whereIs: (kind: string, id: string) => Promise<string | null>
  /** The Project that a label is of, for ever; null for one that nobody has. */
  readonly projectOfLabel: (label: string) => Promise<string | null>
  /** Makes dead letters of hints that their queue gave up. */
  readonly bury: (dead: ReadonlyArray<DeadHint>) => Promise<Told<null>>
  /** Wakes Projects whose work is overdue. To be called each minute. */
  readonly tick: () => Promise<void>
}

/** What the script that has the templates answers. */
export interface TemplateCalls {
  /** All files of a template, by their paths. */
  readonly template: (name: TemplateName) => Promise<FileEdits>
}

/** Bindings of the script that holds the objects. */
export interface CanonicalBindings {
  readonly PROJECTS: Namespace<ProjectCalls>
  readonly DIRECTORY: Namespace<DirectoryObjectCalls>
  readonly HINTS: HintQueue
  readonly BUCKET: Bucket
  readonly LOADER: WorkerLoader
  readonly BUILDS: Namespace<BuildCalls>
  /** What reads of sources how they are built. */
  readonly SOURCES: SourceCalls & TemplateCalls
  /** Where layers of packages are made. */
  readonly LAYERS: Namespace<LayerCalls>
  /** Stores of the data of apps. */
  readonly STORES: Namespace<DataStoreCalls>
  /** Missing where nothing runs checks. */
  readonly CHECKS?: Namespace<CheckCalls>
  /** Where repositories are; missing where they are packs in rows and in the bucket. */
  readonly ARTIFACTS?: Artifacts
  /** Which models there are; missing where Changes wait for people. */
  readonly MODELS?: Pick<ModelChoice, "tiers" | "callsPerDay">
  /** What asks them. */
  readonly ASKED?: ModelCalls
  /** What asks the provider of identities; missing where none is relied on. */
  readonly IDENTITY?: Namespace<IdentityCalls>
  readonly SETTINGS: InstallationSettings
  /** Secrets. */
  readonly OWNER_TOKEN: string
  readonly SIGNING_KEY?: string
  readonly LOG_KEY?: string
}

/** What the canonical script answers to the API: everything but a promotion. */
export interface CanonicalForApi {
  /** Answers a request that `sentTo` says the object of. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly whereIs: (kind: string, id: string) => Promise<string | null>
}

/** What it answers to the integration script, which alone may ask for a promotion. */
export interface CanonicalForIntegration {
  /** Answers a request for a promotion that `sentTo` says the Project of. */
  readonly fetch: (request: Request) => Promise<Response>
}

/** What it answers to routers. */
export interface CanonicalForRouters {
  readonly pointer: (label: string, channel: Channel) => Promise<FoundPointer>
  readonly appData: (
    project: string,
    channel: Channel,
    incarnation: number | undefined,
    call: DataCall
  ) => Promise<unknown>
  readonly appPrinted: (version: AppVersion, printed: Printed) => Promise<void>
}
