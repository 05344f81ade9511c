/** What the fields of a wrangler file mean to Pawl: read, ignored because harmless, or refused with the reason. */

/** Bindings of a Worker that an app cannot have, and what each would have given it. */
export const bindingFields: Readonly<Record<string, string>> = {
  ai: "an AI binding",
  ai_search: "AI Search",
  ai_search_namespaces: "AI Search",
  analytics_engine_datasets: "Analytics Engine",
  browser: "a browser",
  cloudchamber: "containers",
  containers: "containers",
  d1_databases: "D1 databases",
  data_blobs: "data blobs",
  dispatch_namespaces: "dispatch namespaces",
  durable_objects: "Durable Objects",
  hyperdrive: "Hyperdrive",
  images: "Images",
  kv_namespaces: "KV namespaces",
  logfwdr: "log forwarding",
  media: "media",
  migrations: "Durable Object migrations",
  mtls_certificates: "client certificates",
  pipelines: "Pipelines",
  queues: "Queues",
  r2_buckets: "R2 buckets",
  ratelimits: "rate limits",
  secrets: "secrets",
  secrets_store_secrets: "secrets",
  send_email: "email",
  services: "other services",
  stream: "Stream",
  streaming_tail_consumers: "tail consumers",
  tail_consumers: "tail consumers",
  text_blobs: "text blobs",
  unsafe: "unsafe bindings",
  vars: "variables",
  vectorize: "Vectorize",
  version_metadata: "version metadata",
  vpc_networks: "private networks",
  vpc_services: "private networks",
  wasm_modules: "wasm modules as bindings",
  worker_loaders: "worker loaders",
  workflows: "Workflows"
}

/** What to do without each of them: the end of a sentence. */
export const bindingAdvice: Readonly<Record<string, string>> = {
  ai: "no model can be asked from an app, and env.DATA can hold answers that were made before",
  ai_search: "keep a list of what can be found in env.DATA, and look through it",
  ai_search_namespaces: "keep a list of what can be found in env.DATA, and look through it",
  analytics_engine_datasets: "count in env.DATA under a key of its own",
  browser: "make what it would show beforehand, and put it into the assets",
  cloudchamber: "do the work in the Worker, and keep what it leaves in env.DATA",
  containers: "do the work in the Worker, and keep what it leaves in env.DATA",
  d1_databases: "keep each row as a text in env.DATA, under a key such as todo:1, and read them with list({ prefix })",
  data_blobs: "import the file as a module (.bin), or keep texts in env.DATA",
  dispatch_namespaces: "make one app of it, which keeps what it knows in env.DATA",
  durable_objects: "keep the state in env.DATA, under one key for each object",
  hyperdrive: "keep what the database would hold in env.DATA, under keys",
  images: "make the images beforehand, and put them into the assets",
  kv_namespaces: "use env.DATA instead, which has get, put, delete and list for keys and texts",
  logfwdr: "write with console.log, which the logs of the app show",
  media: "make the files beforehand, and put them into the assets",
  migrations: "keep the state in env.DATA, which needs no migrations",
  mtls_certificates: "an app reaches no network, and env.DATA holds what it knows",
  pipelines: "keep the records in env.DATA, under keys that begin with the time",
  queues: "do the work in the request, or keep what is to be done in env.DATA and do it in the next one",
  r2_buckets: "put fixed files under the assets directory, and small texts into env.DATA",
  ratelimits: "count in env.DATA under a key for each caller",
  secrets: "an app reaches no network, so that it has no use for one; what it must remember goes into env.DATA",
  secrets_store_secrets:
    "an app reaches no network, so that it has no use for one; what it must remember goes into env.DATA",
  send_email: "keep the message in env.DATA, and show it in the app",
  services: "make one app of both, which keeps what it knows in env.DATA",
  stream: "make the files beforehand, and put them into the assets",
  streaming_tail_consumers: "write with console.log, which the logs of the app show",
  tail_consumers: "write with console.log, which the logs of the app show",
  text_blobs: "import the file as a module (.txt), or keep it in env.DATA",
  unsafe: "use env.DATA, which has get, put, delete and list for keys and texts",
  vars: "write the values in a module of the source and import them, or keep those that change in env.DATA",
  vectorize: "keep the vectors as texts in env.DATA, and compare them in the Worker",
  version_metadata: "write the values in a module of the source and import them, or keep them in env.DATA",
  vpc_networks: "an app reaches no network, and env.DATA holds what it knows",
  vpc_services: "an app reaches no network, and env.DATA holds what it knows",
  wasm_modules: "import the .wasm file as a module",
  worker_loaders: "import the code as a module; env.DATA holds texts, which cannot be run",
  workflows: "do the steps in requests, and keep how far they are in env.DATA"
}

/**
 * Bindings that a framework writes into the settings it generates though nobody asked for them: Astro's adapter its
 * sessions and images. They are left out; what would use them fails when it runs.
 */
export const frameworkBindings: Readonly<Record<string, string>> = { images: "IMAGES", kv_namespaces: "SESSION" }

/** Fields that would change what is built or when it runs; leaving them out silently would build another app. */
export const unsupportedFields: Readonly<Record<string, string>> = {
  alias: "imports are resolved by Node's rules alone",
  define: "write the value in the source",
  node_compat: "use the compatibility flag nodejs_compat",
  pages_build_output_dir: "use assets.directory",
  site: "use assets",
  triggers: "apps have no scheduled runs"
}

/**
 * Fields about accounts, deployment, development and observation elsewhere: they change nothing here. What `build` names
 * has run before.
 */
export const ignoredFields: ReadonlySet<string> = new Set([
  "$schema",
  "account_id",
  "build",
  "compliance_region",
  "configPath",
  "definedEnvironments",
  "dependencies_instrumentation",
  "dev",
  "env",
  "first_party_worker",
  "keep_names",
  "keep_vars",
  "legacy_env",
  "limits",
  "logpush",
  "minify",
  "name",
  "observability",
  "placement",
  "preserve_file_names",
  "preview_urls",
  "previews",
  "python_modules",
  "route",
  "routes",
  "send_metrics",
  "targetEnvironment",
  "topLevelName",
  "upload_source_maps",
  "usage_model",
  "userConfigPath",
  "workers_dev",
  "zone_id"
])

/** The flags that an app may set; any other one is refused. */
export const compatibilityFlags: ReadonlySet<string> = new Set([
  "nodejs_compat",
  "nodejs_compat_v2",
  "nodejs_als",
  "global_fetch_strictly_public"
])

/** Used when the app names no date. It stays what it is, so that an old commit always builds to the same bundle. */
export const defaultCompatibilityDate = "2026-07-01"
/** The newest date that the pinned workerd knows. It moves with the pin. */
export const latestCompatibilityDate = "2026-10-23"
