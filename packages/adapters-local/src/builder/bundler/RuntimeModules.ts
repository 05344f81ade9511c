/** The modules that the runtime gives: the only imports that stay imports. */
const node = new Set([
  "assert",
  "assert/strict",
  "async_hooks",
  "buffer",
  "child_process",
  "cluster",
  "console",
  "constants",
  "crypto",
  "dgram",
  "diagnostics_channel",
  "dns",
  "dns/promises",
  "domain",
  "events",
  "fs",
  "fs/promises",
  "http",
  "http2",
  "https",
  "inspector",
  "inspector/promises",
  "module",
  "net",
  "os",
  "path",
  "path/posix",
  "path/win32",
  "perf_hooks",
  "process",
  "punycode",
  "querystring",
  "readline",
  "readline/promises",
  "repl",
  "stream",
  "stream/consumers",
  "stream/promises",
  "stream/web",
  "string_decoder",
  "sys",
  "timers",
  "timers/promises",
  "tls",
  "trace_events",
  "tty",
  "url",
  "util",
  "util/types",
  "v8",
  "vm",
  "wasi",
  "worker_threads",
  "zlib"
])

const cloudflare = new Set(["cloudflare:workers", "cloudflare:sockets", "cloudflare:email", "cloudflare:node"])

/** Given under its full name (`node:fs`), or refused with a code and the end of a sentence that says why. */
export type RuntimeModule =
  | { readonly _tag: "Given"; readonly name: string }
  | { readonly _tag: "Refused"; readonly code: string; readonly reason: string }

/** What the runtime has under a specifier; `undefined` when the specifier is none of the runtime's. */
export const runtimeModule = (specifier: string, flags: ReadonlyArray<string>): RuntimeModule | undefined => {
  if (specifier.startsWith("cloudflare:"))
    return cloudflare.has(specifier)
      ? { _tag: "Given", name: specifier }
      : {
          _tag: "Refused",
          code: "runtime_module_refused",
          reason: `the runtime has no module of this name; it has ${[...cloudflare].join(", ")}`
        }
  const prefixed = specifier.startsWith("node:")
  const name = prefixed ? specifier.slice(5) : specifier
  if (!node.has(name))
    return prefixed
      ? { _tag: "Refused", code: "runtime_module_refused", reason: "the runtime has no Node module of this name" }
      : undefined
  const allowed =
    flags.includes("nodejs_compat") ||
    flags.includes("nodejs_compat_v2") ||
    (name === "async_hooks" && flags.includes("nodejs_als"))
  if (allowed) return { _tag: "Given", name: `node:${name}` }
  const reason = `Node's modules need "nodejs_compat" in the compatibility_flags of the wrangler file`
  return { _tag: "Refused", code: "compatibility_flag_missing", reason }
}
