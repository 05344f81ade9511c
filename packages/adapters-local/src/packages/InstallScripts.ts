/** What an install would have run. Nothing of it ever runs; what cannot do without is told, with what to use instead. */
import { isObject, type PackageManifest } from "./TarballManifest.ts"

const installScripts = ["preinstall", "install", "postinstall"] as const

/** Programs that compile, or fetch, what is no JavaScript. */
const builders = /\b(?:node-gyp|node-pre-gyp|prebuild-install|cmake-js|node-waf|electron-rebuild|napi build)\b/

const scriptsOf = (manifest: PackageManifest): ReadonlyMap<string, string> => {
  const scripts = manifest["scripts"]
  const all = isObject(scripts) ? Object.entries(scripts) : []
  return new Map(all.flatMap(([name, line]) => (typeof line === "string" ? [[name, line]] : [])))
}

/** What npm adds where a package has a binding.gyp and does not say how it is installed. */
const isImplied = (
  manifest: PackageManifest,
  scripts: ReadonlyMap<string, string>,
  files: ReadonlySet<string>
): boolean =>
  files.has("binding.gyp") && manifest["gypfile"] !== false && !scripts.has("install") && !scripts.has("preinstall")

/** The names of the scripts that an install would have run, in npm's order. */
export const scriptNames = (manifest: PackageManifest, files: ReadonlySet<string>): ReadonlyArray<string> => {
  const scripts = scriptsOf(manifest)
  const implied = isImplied(manifest, scripts, files)
  return installScripts.filter((name) => scripts.has(name) || (implied && name === "install"))
}

/** Whether a package brings nothing that would run before its script has compiled or fetched it. */
export const needsScript = (manifest: PackageManifest, files: ReadonlySet<string>): boolean => {
  if ([...files].some((path) => path.endsWith(".node"))) return false
  const scripts = scriptsOf(manifest)
  return isImplied(manifest, scripts, files) || installScripts.some((name) => builders.test(scripts.get(name) ?? ""))
}

const data = "what an app keeps goes through `env.DATA`"
const instead: ReadonlyMap<string, string> = new Map([
  ["better-sqlite3", data],
  ["canvas", "use `@napi-rs/canvas`"],
  ["deasync", "use `async` and `await`"],
  ["farmhash", "use `farmhash-modern`"],
  ["grpc", "use `@grpc/grpc-js`"],
  ["iltorm", "use `node:zlib`, which has Brotli"],
  ["leveldown", data],
  ["libxmljs", "use `fast-xml-parser`"],
  ["node-sass", "use `sass`"],
  ["re2", "use `re2-wasm`"],
  ["sharp", "use version 0.33 or later, which brings what it needs"],
  ["snappy", "use version 7 or later, which brings what it needs"],
  ["sodium-native", "use `libsodium-wrappers`"],
  ["sqlite3", data]
])

/** What to do about a package that cannot do without its script: a sentence. */
export const scriptNeeded = (name: string, version: string, scripts: ReadonlyArray<string>): string => {
  const which = scripts.map((script) => `\`${script}\``).join(" and ")
  const what =
    instead.get(name) ?? "use one that is JavaScript or WebAssembly alone, or that brings its compiled files along"
  return `${name} ${version} works only after its ${which} script has run, and install scripts never run. Instead of it, ${what}.`
}
