/** An installation in workerd on this machine, from the same data that is deployed. It listens on loopback alone. */
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import { directoryName } from "../../packages/server/src/workers/Names.ts"
import { builtConsole, mainModule, modulesBeside } from "./ScriptCode.ts"
import {
  artifactsNamespace,
  type Binding,
  compatibilityDate,
  type Installation,
  type Script,
  scriptsOf
} from "./Scripts.ts"
import { type Watched, watchedModules } from "./Watched.ts"

/** What a simulator is started with. */
export interface SimulatorOptions {
  readonly installation: Installation
  readonly secrets: Readonly<Record<string, string>>
  /** Where objects and the bucket are kept; null: in memory. */
  readonly folder: string | null
  /** A socket of an engine of containers, for checks. */
  readonly engine: string | null
  /** The port of loopback that it listens on: that of the installation's origin. */
  readonly port: number
  /** Whether its queues lose every message. */
  readonly losesMessages?: boolean
  /** How far the clock of objects is ahead of this machine's, in ms. Without it their rows are nobody's to read (`rows`). */
  readonly aheadMs?: number
  /** Scripts of others beside it, as the simulator takes them. */
  readonly also?: ReadonlyArray<object>
}

/** The installation that runs. */
export interface Simulated {
  /** Sends a request to a script itself, whether it has a route or not. */
  readonly send: (script: string, path: string) => Promise<Response>
  /** Has the clock of the installation come. */
  readonly tick: () => Promise<void>
  /** The keys in the bucket that begin so, as many as one look finds, in their order. */
  readonly keys: (prefix: string) => Promise<ReadonlyArray<string>>
  /** Puts an object without bytes into the bucket. */
  readonly put: (key: string) => Promise<void>
  /** What a statement answers in the object of a Project, or of the directory (null). Only where there is `aheadMs`. */
  readonly rows: (projectId: string | null, sql: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  readonly close: () => Promise<void>
}

const named = (bindings: Script["bindings"], tag: Binding["_tag"]) =>
  Object.entries(bindings).filter(([, { _tag }]) => _tag === tag)

const objectsOf = ({ bindings }: Script) =>
  Object.fromEntries(
    named(bindings, "Objects").map(([name, binding]) => {
      if (binding._tag !== "Objects") return [name, null]
      const { className, script } = binding
      return [name, { className, useSQLite: true, ...(script === undefined ? {} : { scriptName: script }) }]
    })
  ) as Record<string, unknown>

/** Objects that only other scripts are bound to still have to be told of. */
const ownObjects = ({ bindings, container, objects }: Script) => {
  const bound = new Set(
    Object.values(bindings).flatMap((each) =>
      each._tag === "Objects" && each.script === undefined ? [each.className] : []
    )
  )
  return Object.fromEntries(
    objects
      .filter((className) => !bound.has(className))
      .map((className) => [
        `OWN_${className.toUpperCase()}`,
        { className, useSQLite: true, ...(container === null ? {} : { container: { imageName: container.image } }) }
      ])
  )
}

const valuesOf = ({ bindings }: Script, secrets: SimulatorOptions["secrets"]) =>
  Object.fromEntries(
    Object.entries(bindings).flatMap(([name, binding]) => {
      if (binding._tag === "Value") return [[name, binding.value]]
      const secret = binding._tag === "Secret" ? secrets[name] : undefined
      return secret === undefined ? [] : [[name, secret]]
    })
  )

const assetsOf = async ({ bindings }: Script) => {
  const [assets] = named(bindings, "Assets")
  if (assets === undefined) return {}
  const config = { html_handling: "none", not_found_handling: "none" }
  const [binding] = assets
  return {
    assets: {
      directory: await builtConsole(),
      binding,
      run_worker_first: true,
      routerConfig: { has_user_worker: true },
      assetConfig: config
    }
  }
}

/** Nothing is waited for between two tries: who tries here wants to see how it ends. */
const queuesOf = ({ bindings, consumers }: Script, losesMessages: boolean) => ({
  queueProducers: Object.fromEntries(
    Object.entries(bindings).flatMap(([name, each]) => (each._tag === "Queue" ? [[name, each.queue]] : []))
  ),
  queueConsumers: Object.fromEntries(
    (losesMessages ? [] : consumers).map(({ atOnce, dead, queue, retries }) => [
      queue,
      {
        maxBatchSize: atOnce,
        maxBatchTimeout: 0,
        maxRetries: retries,
        retryDelay: 0,
        ...(dead === null ? {} : { deadLetterQueue: dead })
      }
    ])
  )
})

const workerOf = async (script: Script, { aheadMs, losesMessages = false, secrets }: SimulatorOptions) => {
  const { beside, main } = await knownCode(script)
  return {
    name: script.name,
    compatibilityDate,
    compatibilityFlags: [...script.flags, ...(script.container === null ? [] : ["experimental"])],
    modulesRoot: "/",
    modules: [
      ...(aheadMs === undefined || script.name !== "canonical"
        ? [{ type: "ESModule", path: "/index.js", contents: main }]
        : watchedModules(main, aheadMs)),
      ...beside.map(({ contents, name, type }) => ({ type, path: `/${name}`, contents }))
    ],
    bindings: valuesOf(script, secrets),
    ...(await assetsOf(script)),
    durableObjects: { ...objectsOf(script), ...ownObjects(script) },
    serviceBindings: Object.fromEntries(
      named(script.bindings, "Service").map(([name, binding]) => {
        if (binding._tag !== "Service") return [name, null]
        const { entrypoint, script: service } = binding
        return [name, entrypoint === undefined ? service : { name: service, entrypoint }]
      })
    ),
    ...queuesOf(script, losesMessages),
    r2Buckets: named(script.bindings, "Bucket").map(([name]) => name),
    workerLoaders: Object.fromEntries(named(script.bindings, "Loader").map(([name]) => [name, {}]))
  }
}

/** Made once for each set of bindings, of which it depends on what is left out; all else of an installation is their values. */
const codes = new Map<string, ReturnType<typeof codeOf>>()
const codeOf = async (script: Script) => ({ main: await mainModule(script), beside: await modulesBeside(script) })
const knownCode = (script: Script) => {
  const key = JSON.stringify([script.name, Object.keys(script.bindings).toSorted()])
  const known = codes.get(key) ?? codeOf(script)
  codes.set(key, known)
  return known
}

type Options = ReturnType<typeof convertV4MiniflareOptions>

/** Binds scripts to the simulator's own Artifacts, of which the older form of options knows only an account's. */
const withArtifacts = (options: Options, scripts: ReadonlyArray<Script>): Options => {
  for (const script of scripts)
    for (const [name] of named(script.bindings, "Artifacts")) {
      const worker = options.workers?.find(({ config }) => config?.name === script.name)
      const own = { type: "artifacts", namespace: artifactsNamespace, dev: { remote: false } } as const
      if (worker?.config !== undefined) worker.config.env = { ...worker.config.env, [name]: own }
    }
  return options
}

/** Starts it, and answers when it answers. */
export const simulate = async (options: SimulatorOptions): Promise<Simulated> => {
  const { also = [], engine, folder, installation, port } = options
  const scripts = scriptsOf(installation)
  const workers = await Promise.all(scripts.map((script) => workerOf(script, options)))
  const entry = {
    name: "front",
    compatibilityDate,
    modules: true,
    // Which script a host comes to is Cloudflare's routing; here it is this.
    script: `export default { fetch(request, env) {
      const { hostname } = new URL(request.url)
      const isApp = ${JSON.stringify(installation.appsDomain)} !== null && (hostname === ${JSON.stringify(installation.appsDomain)} || hostname.endsWith(${JSON.stringify(`.${installation.appsDomain}`)}))
      return isApp ? env.ROUTER.fetch(request) : env.API.fetch(request)
    } }`,
    serviceBindings: { API: "api", ...(installation.appsDomain === null ? {} : { ROUTER: "router" }) }
  }
  const converted = convertV4MiniflareOptions({
    cf: false,
    host: "127.0.0.1",
    port,
    ...(folder === null ? {} : { resourcePersistencePath: folder }),
    ...(engine === null
      ? {}
      : { containerEngine: { localDocker: { socketPath: engine, containerEgressInterceptorImage: "egress" } } }),
    workers: [entry, ...workers, ...also]
  } as unknown as Parameters<typeof convertV4MiniflareOptions>[0])
  const miniflare = new Miniflare(withArtifacts(converted, scripts))
  await miniflare.ready
  return { ...lookingInto(miniflare), close: () => miniflare.dispose() }
}

/** What a test does with an installation, and sees of it, past its API. */
const lookingInto = (miniflare: Miniflare): Omit<Simulated, "close"> => {
  const bucket = () => miniflare.getR2Bucket("BUCKET", "canonical")
  return {
    send: async (script, path) =>
      (await (await miniflare.getWorker(script)).fetch(`http://${script}${path}`)) as unknown as Response,
    tick: async () => {
      const canonical = await miniflare.getWorker("canonical")
      await canonical.scheduled({ cron: "* * * * *" })
    },
    keys: async (prefix) => (await (await bucket()).list({ prefix })).objects.map(({ key }) => key),
    put: async (key) => void (await (await bucket()).put(key, "")),
    rows: async (projectId, sql) => {
      const objects = await miniflare.getDurableObjectNamespace(
        projectId === null ? "DIRECTORY" : "PROJECTS",
        "canonical"
      )
      const object = objects.get(objects.idFromName(projectId ?? directoryName)) as unknown as Pick<Watched, "rows">
      return object.rows(sql)
    }
  }
}
