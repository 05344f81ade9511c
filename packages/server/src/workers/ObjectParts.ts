/** Every part of Pawl in one object: its stores, and the products of Cloudflare that it is bound to. */
import * as RemoteAppBuilder from "@pawl/adapters-cloudflare/builder/RemoteAppBuilder"
import * as R2ObjectStore from "@pawl/adapters-cloudflare/objects/R2ObjectStore"
import * as RemotePackageStore from "@pawl/adapters-cloudflare/packages/RemotePackageStore"
import * as ArtifactsRepositories from "@pawl/adapters-cloudflare/repositories/ArtifactsRepositories"
import * as PackLogRepositories from "@pawl/adapters-cloudflare/repositories/PackLogRepositories"
import * as LoaderAppRuntime from "@pawl/adapters-cloudflare/runtime/LoaderAppRuntime"
import * as ContainerSandbox from "@pawl/adapters-cloudflare/sandbox/ContainerSandbox"
import * as BucketHeads from "@pawl/adapters-cloudflare/signing/BucketHeads"
import * as SecretSigner from "@pawl/adapters-cloudflare/signing/SecretSigner"
import * as FetchWebhookSender from "@pawl/adapters-cloudflare/webhooks/FetchWebhookSender"
import { HeldStatements } from "@pawl/adapters-cloudflare/repositories/transport/HeldStatements"
import { compatibilityFlags } from "@pawl/adapters-local/builder/settings/SettingsFields"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import * as PointerRows from "@pawl/core/app/PointerRows"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings } from "@pawl/core/primitives/Settings"
import { Templates, TemplatesUnavailable } from "@pawl/core/project/Templates"
import { CheckpointPublishers } from "@pawl/core/provenance/CheckpointPublisher"
import { RouteReader } from "@pawl/core/release/RouteReader"
import { IsolationMissing, Sandbox, SandboxUnavailable } from "@pawl/core/verification/Sandbox"
import * as Assets from "@pawl/router/Assets"
import * as PointerCache from "@pawl/router/PointerCache"
import * as Router from "@pawl/router/Router"
import * as RouterProbeClient from "@pawl/router/RouterProbeClient"
import type { Stores } from "@pawl/sql/SqlStores"
import { type Context, Effect, Layer } from "effect"
import * as WebCryptoSecrets from "../http/WebCryptoSecrets.ts"
import * as ModelPorts from "../models/ModelPorts.ts"
import type { CanonicalBindings } from "./Bindings.ts"
import { checksName } from "./Names.ts"
import * as RemoteModels from "./RemoteModels.ts"

/** Statements are published in the Projects' own repositories. */
const publishers = Layer.effect(
  CheckpointPublishers,
  Effect.map(HeldStatements, (git) => [git])
)

/** Templates lie beside the script of builds, and are asked for when a Project begins with one. */
const templatesOf = ({ SOURCES }: Pick<CanonicalBindings, "SOURCES">) =>
  Layer.succeed(Templates, {
    files: (name) =>
      Effect.tryPromise({
        try: () => SOURCES.template(name),
        catch: () => new TemplatesUnavailable({ reason: "the script that has them does not answer" })
      })
  })

const noContainer = "there is no container on this installation"

/** Checks that need a sandbox are gaps here. */
const noSandbox = Layer.succeed(Sandbox, {
  isolation: Effect.fail(new IsolationMissing({ reason: noContainer, remedy: "Deploy the script of checks." })),
  start: () => Effect.fail(new IsolationMissing({ reason: noContainer, remedy: "Deploy the script of checks." })),
  poll: () => Effect.fail(new SandboxUnavailable({ reason: noContainer })),
  cancel: () => Effect.void
})

/** No code is parsed here, so no route is found that was added: nothing but these probes hangs on that. */
const noRoutes = Layer.succeed(RouteReader, { added: () => Effect.succeed([]) })

/** The planner and the agents where there are models: without any, Changes wait for people. */
const agents = ({ ASKED, MODELS }: Pick<CanonicalBindings, "ASKED" | "MODELS">) =>
  MODELS === undefined || ASKED === undefined ? Layer.empty : ModelPorts.over(RemoteModels.layer(ASKED, MODELS.tiers))

/** What the use cases are told of the installation. */
export const settingsOf = ({ MODELS, SETTINGS }: Pick<CanonicalBindings, "MODELS" | "SETTINGS">) => {
  const { apiOrigin, appsDomain, buildsPerDay, environment, paused, sandboxMinutesPerMonth } = SETTINGS
  const { port, protocol } = new URL(apiOrigin)
  return Layer.succeed(Settings, {
    environment,
    appsDomain,
    paused,
    fixturesEnabled: false,
    buildsPerDay,
    ...(MODELS === undefined ? {} : { modelCallsPerDay: MODELS.callsPerDay }),
    sandboxMsPerMonth: sandboxMinutesPerMonth * 60_000,
    smokeRetryMs: Limits.probeRetryMs,
    apiOrigin,
    appUrl: (host) => `${protocol}//${host}${port === "" ? "" : `:${port}`}/`
  })
}

/** Stubs of the entrypoints of the script itself, each with what it is told of whom it serves. */
interface OwnExports {
  readonly exports: Readonly<
    Record<"AppStore" | "AppFiles" | "AppTail", (options: { readonly props: AppVersion }) => unknown>
  >
}

/** What an app has of its own, and what is told of its calls. */
export type AppSurroundings = Pick<LoaderAppRuntime.Options, "bindings" | "tails">

/** An app's own data and files, and what keeps what it prints, through entrypoints of the script that runs it. */
export const surroundings = (ctx: unknown): AppSurroundings => {
  const own = () => (ctx as OwnExports).exports
  return {
    bindings: (version) => ({ DATA: own().AppStore({ props: version }), ASSETS: own().AppFiles({ props: version }) }),
    tails: (version) => [own().AppTail({ props: version })]
  }
}

/** What serves apps: to visitors in a router, and to the probes of a release in an object. */
export const hosting = (
  { LOADER, SETTINGS }: Pick<CanonicalBindings, "LOADER" | "SETTINGS">,
  around: AppSurroundings
) =>
  Router.layer({ apiOrigin: SETTINGS.apiOrigin }).pipe(
    Layer.provideMerge(LoaderAppRuntime.layer({ loader: LOADER, ...around, compatibilityFlags })),
    Layer.provideMerge(Assets.layer),
    // A visit asks for the pointer, which is one question to the object that decides.
    Layer.provideMerge(PointerCache.layerFresh)
  )

/** All that the use cases and the API need, over the stores of the object: a Project's, or (null) the directory. */
export const layer = (
  bound: CanonicalBindings,
  projectId: string | null,
  stores: Context.Context<Stores>,
  around: AppSurroundings
) => {
  const { ARTIFACTS, BUCKET, BUILDS, CHECKS, LAYERS, LOG_KEY, SIGNING_KEY, SOURCES: sources } = bound
  const objects = R2ObjectStore.layer(BUCKET)
  const own = Layer.succeedContext(stores)
  return Layer.mergeAll(RouterProbeClient.layer, publishers, agents(bound)).pipe(
    Layer.provideMerge(hosting(bound, around)),
    Layer.provideMerge(PointerRows.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        ARTIFACTS === undefined ? PackLogRepositories.layer : ArtifactsRepositories.layer({ artifacts: ARTIFACTS }),
        BucketHeads.layer,
        SecretSigner.layer({ statement: SIGNING_KEY, log: LOG_KEY }),
        RemoteAppBuilder.layer({ build: (id) => BUILDS.getByName(id), sources }),
        CHECKS === undefined ? noSandbox : ContainerSandbox.layer(CHECKS.getByName(checksName(projectId))),
        RemotePackageStore.layer({ layers: (id) => LAYERS.getByName(id), sources, registry: bound.SETTINGS.registry }),
        noRoutes,
        templatesOf(bound),
        WebCryptoSecrets.layer,
        FetchWebhookSender.layer
      )
    ),
    Layer.provideMerge(objects),
    Layer.provideMerge(own),
    Layer.provideMerge(settingsOf(bound))
  )
}
