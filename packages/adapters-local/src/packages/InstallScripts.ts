/** What an install would have run. Nothing of it ever runs; what cannot do without is told, with what to use instead. */
import { isObject, type PackageManifest } from "./TarballManifest.ts"

/** The scripts that an install runs, in npm's order. */
export const installScripts = ["preinstall", "install", "postinstall"] as const

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

/** Whether what it would compile comes in a package of its own for each kind of machine: `@lmdb/lmdb-linux-x64`. */
const comesApart = ({ optionalDependencies }: PackageManifest): boolean =>
  isObject(optionalDependencies) && Object.keys(optionalDependencies).some((name) => /(?:^|[-_/])linux[-_]/.test(name))

/** Whether a package brings nothing that would run before its script has compiled or fetched it. */
export const needsScript = (manifest: PackageManifest, files: ReadonlySet<string>): boolean => {
  if ([...files].some((path) => path.endsWith(".node")) || comesApart(manifest)) return false
  const scripts = scriptsOf(manifest)
  // What is to be compiled is not there yet, whatever its script is called.
  const compiles = files.has("binding.gyp") && installScripts.some((name) => scripts.has(name))
  if (compiles || isImplied(manifest, scripts, files)) return true
  return installScripts.some((name) => builders.test(scripts.get(name) ?? ""))
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
  ["@tensorflow/tfjs-node", "use `@tensorflow/tfjs`"],
  ["node-sass", "use `sass`"],
  ["re2", "use `re2-wasm`"],
  ["sharp", "use version 0.33 or later, which brings what it needs"],
  ["snappy", "use version 7 or later, which brings what it needs"],
  ["sodium-native", "use `libsodium-wrappers`"],
  ["sqlite3", data]
])

const tests = "what only tests elsewhere need belongs in devDependencies"
const noBrowser = `render pages with \`happy-dom\` or \`jsdom\`; ${tests}`

/** Packages whose script fetches a program, or writes code, without which they do nothing; and what to use instead. */
const fetchers: ReadonlyMap<string, string> = new Map([
  ["@prisma/client", data],
  ["@prisma/engines", data],
  ["chromedriver", noBrowser],
  ["cypress", noBrowser],
  ["electron", "build for browsers and Workers; what only a desktop program needs belongs in devDependencies"],
  ["ffmpeg-static", "use `@ffmpeg/ffmpeg`, which is WebAssembly"],
  ["geckodriver", noBrowser],
  ["mongodb-memory-server", data],
  ["phantomjs-prebuilt", noBrowser],
  ["puppeteer", noBrowser]
])

/** Whether a package is known to do nothing before one of these scripts of it has fetched the rest. */
export const isFetcher = (name: string, scripts: ReadonlyArray<string>): boolean =>
  scripts.length > 0 && fetchers.has(name)

/** What to do about a package that cannot do without its script: a sentence. */
export const scriptNeeded = (name: string, version: string, scripts: ReadonlyArray<string>): string => {
  const which = scripts.map((script) => `\`${script}\``).join(" and ")
  const what =
    instead.get(name) ??
    fetchers.get(name) ??
    "use one that is JavaScript or WebAssembly alone, or that brings its compiled files along"
  return `${name} ${version} works only after its ${which} script has run, and install scripts never run. Instead of it, ${what}.`
}
