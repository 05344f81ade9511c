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

/** What to do without a binding that many projects have. */
export const bindingAdvice: Readonly<Record<string, string>> = {
  d1_databases: "Keep what fits in DATA, a store of keys and texts.",
  durable_objects: "Keep what fits in DATA, a store of keys and texts.",
  kv_namespaces: "Use DATA instead: it has get, put, delete and list, for texts.",
  r2_buckets: "Put fixed files under the assets directory, and small texts into DATA.",
  secrets: "An app reaches no network, so that it has no use for one.",
  vars: "Write the values in a module of the source, and import them."
}

/** Fields that would change what is built or when it runs; leaving them out silently would build another app. */
export const unsupportedFields: Readonly<Record<string, string>> = {
  alias: "imports are resolved by Node's rules alone",
  base_dir: "every module is found through imports",
  build: "a build runs no commands; run it yourself, commit what it makes, and remove the field",
  define: "write the value in the source",
  find_additional_modules: "every module is found through imports",
  jsx_factory: "write a JSX pragma comment in the file",
  jsx_fragment: "write a JSX pragma comment in the file",
  no_bundle: "every app is bundled",
  node_compat: "use the compatibility flag nodejs_compat",
  pages_build_output_dir: "use assets.directory",
  rules: "module types follow from the file's extension",
  site: "use assets",
  triggers: "apps have no scheduled runs"
}

/** Fields about accounts, deployment, development and observation elsewhere: they change nothing here. */
export const ignoredFields: ReadonlySet<string> = new Set([
  "$schema",
  "account_id",
  "compliance_region",
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
  "tsconfig",
  "upload_source_maps",
  "usage_model",
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
