/** The configuration of each script as wrangler reads it: https://developers.cloudflare.com/workers/wrangler/configuration/. */
import type { QueueName } from "@pawl/adapters-cloudflare/hints/HintQueues"
import {
  artifactsNamespace,
  bucketNames,
  compatibilityDate,
  type Installation,
  type Script,
  scriptsOf
} from "./Scripts.ts"

/** The name under which a script is deployed. */
export const deployedName = (script: string): string => `pawl-${script}`

const objects = ({ bindings }: Script) =>
  Object.entries(bindings).flatMap(([name, each]) =>
    each._tag === "Objects"
      ? [
          {
            name,
            class_name: each.className,
            ...(each.script === undefined ? {} : { script_name: deployedName(each.script) })
          }
        ]
      : []
  )

const services = ({ bindings }: Script) =>
  Object.entries(bindings).flatMap(([binding, each]) =>
    each._tag === "Service"
      ? [
          {
            binding,
            service: deployedName(each.script),
            ...(each.entrypoint === undefined ? {} : { entrypoint: each.entrypoint })
          }
        ]
      : []
  )

const values = ({ bindings }: Script) =>
  Object.fromEntries(
    Object.entries(bindings).flatMap(([name, each]) => (each._tag === "Value" ? [[name, each.value]] : []))
  )

const named = ({ bindings }: Script, tag: "Loader" | "Artifacts" | "Assets") =>
  Object.entries(bindings).flatMap(([name, each]) => (each._tag === tag ? [name] : []))

const buckets = ({ bindings }: Script) =>
  Object.entries(bindings).flatMap(([binding, each]) =>
    each._tag === "Bucket" ? [{ binding, bucket_name: bucketNames[each.of ?? "objects"] }] : []
  )

const queues = ({ bindings, consumers }: Script) => ({
  producers: Object.entries(bindings).flatMap(([binding, each]) =>
    each._tag === "Queue" ? [{ binding, queue: each.queue }] : []
  ),
  consumers: consumers.map(({ againMs, atOnce, dead, queue, retries }) => ({
    queue,
    max_batch_size: atOnce,
    max_batch_timeout: 0,
    max_retries: retries,
    retry_delay: againMs / 1000,
    ...(dead === null ? {} : { dead_letter_queue: dead })
  }))
})

/** The folder beside the script whose files are its static assets. */
export const assetsFolder = "assets"

/** Files are nobody's to ask for but the script's: what is said with them is the script's to say. */
const assets = (script: Script) => {
  const [binding] = named(script, "Assets")
  const whole = { run_worker_first: true, html_handling: "none", not_found_handling: "none" }
  return binding === undefined ? {} : { assets: { directory: assetsFolder, binding, ...whole } }
}

/** What of a host Cloudflare is told: a name of its own, or all below a domain of the account. */
const routeOf = (host: string) =>
  host.startsWith("*.")
    ? { pattern: `${host}/*`, zone_name: host.slice("*.".length) }
    : { pattern: host, custom_domain: true }

/** Cloudflare makes what comes after the tag that it saw last: a class is a step of its own, so one more may come behind. */
const migrations = ({ objects: classes }: Script) =>
  classes.map((name, at) => ({ tag: `v${at + 1}`, new_sqlite_classes: [name] }))

const containers = ({ container, objects: classes }: Script) => {
  if (container === null) return {}
  const { image, instanceType, instances } = container
  return {
    containers: classes.map((class_name) => ({
      class_name,
      image,
      instance_type: instanceType,
      max_instances: instances
    }))
  }
}

/** The configuration of one script, whose code lies beside it as `index.js`. */
export const configurationOf = (script: Script): Readonly<Record<string, unknown>> => ({
  name: deployedName(script.name),
  main: "index.js",
  compatibility_date: compatibilityDate,
  compatibility_flags: script.flags,
  no_bundle: true,
  workers_dev: false,
  preview_urls: false,
  // What scripts say themselves. Cloudflare's own line of a request has its whole address: codes of a sign-in, visitors' queries.
  observability: { enabled: true, logs: { enabled: true, invocation_logs: false } },
  rules: [
    { type: "Text", globs: ["**/*.txt"], fallthrough: false },
    { type: "CompiledWasm", globs: ["**/*.wasm"], fallthrough: false }
  ],
  routes: script.hosts.map(routeOf),
  triggers: { crons: script.crons },
  durable_objects: { bindings: objects(script) },
  ...(script.objects.length === 0 ? {} : { migrations: migrations(script) }),
  ...containers(script),
  r2_buckets: buckets(script),
  queues: queues(script),
  worker_loaders: named(script, "Loader").map((binding) => ({ binding })),
  artifacts: named(script, "Artifacts").map((binding) => ({ binding, namespace: artifactsNamespace })),
  ...assets(script),
  services: services(script),
  vars: values(script)
})

/** All configurations of an installation, by the names of the scripts, in the order in which they are deployed. */
export const configurations = (
  installation: Installation
): ReadonlyArray<{ readonly script: Script; readonly configuration: Readonly<Record<string, unknown>> }> =>
  scriptsOf(installation).map((script) => ({ script, configuration: configurationOf(script) }))

/** The queues of an installation, which must be there before its scripts are deployed. */
export const queuesOf = (installation: Installation): ReadonlyArray<QueueName> => [
  ...new Set(scriptsOf(installation).flatMap(({ consumers }) => consumers.map(({ queue }) => queue)))
]
