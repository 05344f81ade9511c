/** Every part of Pawl on this machine: its installation, the data folder, and what runs in it. */
import { join } from "node:path"
import * as BabelRouteReader from "@pawl/adapters-local/builder/routes/BabelRouteReader"
import * as Esbuild from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { layersFolder } from "@pawl/adapters-local/packages/LayerFolders"
import * as NpmPackageStore from "@pawl/adapters-local/packages/NpmPackageStore"
import * as Processes from "@pawl/adapters-local/spawner/Processes"
import * as GitRepositories from "@pawl/adapters-local/repositories/GitRepositories"
import * as PackRepositories from "@pawl/adapters-local/repositories/packs/PackRepositories"
import * as LocalSandbox from "@pawl/adapters-local/sandbox/LocalSandbox"
import * as BabelSymbols from "@pawl/adapters-local/symbols/BabelSymbols"
import * as HttpWebhookSender from "@pawl/adapters-local/webhooks/HttpWebhookSender"
import type { ObjectStore, ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import type { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { SandboxSlots } from "@pawl/core/verification/SandboxSlots"
import * as FairSlots from "@pawl/core/primitives/FairSlots"
import { OutboundRule } from "@pawl/core/primitives/OutboundAddress"
import { ProvenanceMode } from "@pawl/core/provenance/ProvenanceMode"
import * as ReleaseKeys from "./ReleaseKeys.ts"
import * as ReleaseStatements from "./ReleaseStatements.ts"
import * as RouterProbeClient from "@pawl/router/RouterProbeClient"
import { type Context, Effect, Layer } from "effect"
import * as WebCryptoSecrets from "../http/WebCryptoSecrets.ts"
import type { DatabaseUnavailable } from "./installations/Installation.ts"
import { hosting, runFolder } from "./Hosting.ts"
import { type ProcessParts, settings } from "./ProcessParts.ts"
import * as BuildServices from "./BuildServices.ts"
import * as Chance from "./Chance.ts"
import * as ImportHosts from "./ImportHosts.ts"
import * as Objects from "./Objects.ts"
import type { Options } from "./Options.ts"
import * as TargetGit from "./TargetGit.ts"
import * as Signers from "./Signers.ts"
import * as TemplateFolder from "./TemplateFolder.ts"

/** Folders of this machine, or copies of what the stores hold. */
const repositories = (
  { installation, options }: ProcessParts,
  objects: Layer.Layer<ObjectStore, ObjectStoreUnavailable>
): Layer.Layer<GitRepositories.GitPorts, RepositoriesUnavailable | ObjectStoreUnavailable | DatabaseUnavailable> =>
  options.repositories === "folder"
    ? GitRepositories.layer({
        directory: join(options.data, "repositories"),
        shared: installation.sharesRepositories
      })
    : PackRepositories.layer({ directory: options.cache, cacheBytes: options.cacheBytes }).pipe(
        Layer.provide(Layer.merge(installation.state, objects))
      )

/** The ports that write or run something: what a test may put faults and crashes around. */
const basePorts = (parts: ProcessParts) => {
  const { alone, installation, options } = parts
  const objects = Objects.layer(options, alone)
  const packageLayers = layersFolder(options.data)
  return Layer.mergeAll(
    installation.state,
    objects,
    NpmPackageStore.layer({ directory: join(options.data, "packages"), registry: options.npmRegistry }).pipe(
      Layer.provide(objects)
    ),
    repositories(parts, objects),
    LocalSandbox.layer({ packageLayers }),
    Esbuild.layer({ packageLayers }),
    BabelRouteReader.layer,
    BabelSymbols.layer,
    TemplateFolder.layer,
    WebCryptoSecrets.layer,
    Signers.layer(options),
    HttpWebhookSender.layer({ allowPrivate: options.webhooksAllowPrivate })
  )
}

/** Everything that the stores and the local adapters provide. */
export type BasePorts = Layer.Success<ReturnType<typeof basePorts>>

/** Puts something around ports before anything uses them. */
export type Decorate = (ports: Context.Context<BasePorts>) => Context.Context<BasePorts>

/** The planner and the agents are read where there are models: without any, Changes wait for people. */
const agents = ({ models }: Options) =>
  models === null
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../models/ModelPorts.ts")),
          (ModelPorts) => ModelPorts.layer(models)
        )
      )

/** Everything the use cases, the API and the router need. */
export const layer = (parts: ProcessParts, decorate: Decorate = (ports) => ports) => {
  const { addresses, options, telemetry } = parts
  return Layer.mergeAll(
    RouterProbeClient.layer.pipe(
      Layer.provideMerge(hosting(parts)),
      Layer.provideMerge(ReleaseStatements.layer(options)),
      Layer.provideMerge(ReleaseKeys.layer(options))
    ),
    agents(options),
    Signers.publishers(options),
    ImportHosts.layer(options.importHosts),
    TargetGit.layer(options.targetGit)
  ).pipe(
    Layer.provideMerge(
      Layer.flatMap(basePorts(parts), (ports) => Layer.succeedContext(decorate(telemetry.around(ports))))
    ),
    Layer.provideMerge(settings(options, addresses)),
    Layer.provideMerge(Layer.succeed(ProvenanceMode, options.provenance)),
    Layer.provideMerge(Layer.sync(SandboxSlots, () => FairSlots.make(options.sandboxesAtOnce))),
    Layer.provideMerge(BuildServices.layer(options.buildService)),
    Layer.provideMerge(Layer.succeed(OutboundRule, { allowPrivate: options.webhooksAllowPrivate })),
    Layer.provideMerge(Layer.merge(Chance.layer, Processes.layerSpawner(runFolder(options))))
  )
}
