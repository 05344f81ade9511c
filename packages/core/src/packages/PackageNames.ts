/** Names, versions and places of npm packages, and what a version is checked by. Whatever else is refused in words. */
import { Limits } from "../primitives/Limits.ts"

const nameForm = /^(?:@[A-Za-z0-9~-][A-Za-z0-9._~-]*\/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$/
const taken = new Set(["node_modules", "favicon.ico"])

/** Whether a registry could have a package of this name. Old ones have capitals; none begins with a dot or `_`. */
export const isPackageName = (name: string): boolean =>
  name.length <= Limits.packageNameLength && nameForm.test(name) && !taken.has(name.toLowerCase())

const versionForm = /^\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

/** Whether it is one exact version. */
export const isPackageVersion = (version: string): boolean =>
  version.length <= Limits.packageVersionLength && versionForm.test(version)

/** The name without its scope: what a tarball is called, and a program without a name of its own. */
const unscoped = (name: string): string => name.slice(name.indexOf("/") + 1)

/** The last package of a place: `@a/b` of `node_modules/c/node_modules/@a/b`. Null when it is no plain place. */
export const packageAt = (path: string): string | null => {
  if (path.length > Limits.pathLength || !path.startsWith("node_modules/")) return null
  const names = path.slice("node_modules/".length).split("/node_modules/")
  return names.every(isPackageName) ? names[names.length - 1]! : null
}

/** Digests that are taken, the strongest first, with the length of theirs in base64. */
const strong = [
  ["sha512", /^[A-Za-z0-9+/]{86}==$/],
  ["sha384", /^[A-Za-z0-9+/]{64}$/],
  ["sha256", /^[A-Za-z0-9+/]{43}=$/]
] as const

/** What an `integrity` comes to: the strongest digest of it, or what is wrong. */
export type ReadIntegrity =
  | { readonly _tag: "Strong"; readonly integrity: string }
  | { readonly _tag: "Weak"; readonly algorithms: ReadonlyArray<string> }
  | { readonly _tag: "Malformed" }

/** Reads Subresource Integrity (w3.org/TR/SRI): several digests, each with options behind a `?`. */
export const readIntegrity = (text: string): ReadIntegrity => {
  if (text.length > 10 * Limits.packageVersionLength) return { _tag: "Malformed" }
  const parts = text
    .trim()
    .split(/\s+/)
    .map((part) => /^([a-z0-9]+)-([^?]+)(?:\?.*)?$/.exec(part))
  const digests = parts.flatMap((part) => (part === null ? [] : [{ algorithm: part[1]!, digest: part[2]! }]))
  if (digests.length === 0 || digests.length !== parts.length) return { _tag: "Malformed" }
  for (const [algorithm, form] of strong) {
    const found = digests.find((one) => one.algorithm === algorithm)
    if (found !== undefined)
      return form.test(found.digest)
        ? { _tag: "Strong", integrity: `${algorithm}-${found.digest}` }
        : { _tag: "Malformed" }
  }
  return { _tag: "Weak", algorithms: digests.map(({ algorithm }) => algorithm.slice(0, 16)) }
}

/** What kind of dependency a range of package.json asks for, when it is not one from a registry. */
export type ForeignSource = "git" | "file" | "link" | "workspace" | "url" | "catalog"

const words: Readonly<Record<ForeignSource, string>> = {
  git: "comes from git",
  file: "is a file or a folder",
  link: "is a link",
  workspace: "is a workspace of the same repository",
  url: "comes from an address of its own",
  catalog: "comes from a catalog"
}

/** What such a dependency is, in words that follow its name. */
export const foreignWords = (source: ForeignSource): string => words[source]

/** What a range means other than versions of a registry; null when it means those. */
export const foreignSource = (range: string): ForeignSource | null => {
  const text = range.trim()
  if (text.startsWith("link:")) return "link"
  if (text.startsWith("workspace:")) return "workspace"
  if (text.startsWith("catalog:")) return "catalog"
  if (/^(?:file:|[./~]|[A-Za-z]:[\\/])/.test(text)) return /^~\s*[0-9xX*v=]/.test(text) ? null : "file"
  if (/^(?:git(?:\+[a-z]+)?:|github:|gitlab:|bitbucket:|gist:|ssh:|[\w.-]+@[\w.-]+:)/.test(text)) return "git"
  if (text.startsWith("npm:")) return null
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return "url"
  // `owner/repository` is GitHub's.
  return /^[\w.-]+\/[\w.-]+(?:#.*)?$/.test(text) ? "git" : null
}

/** A range under another name: `npm:real@^1`. Null for none. */
export const aliasOf = (range: string): { readonly name: string; readonly range: string } | null => {
  const found = /^npm:((?:@[^/@]+\/)?[^/@]+)(?:@(.*))?$/.exec(range.trim())
  return found === null ? null : { name: found[1]!, range: found[2] ?? "*" }
}

const decoded = (path: string): string => path.replaceAll(/%2f/gi, "/")

/** Whether an address is one that a registry gives the tarball of this version: `…/<name>/-/<name>-<version>.tgz`. */
export const isRegistryAddress = (address: string, name: string, version: string): boolean => {
  const found = /^https?:\/\/[^/?#@]+(\/[^?#]*)(?:#[0-9a-f]{40})?$/.exec(address)
  if (found === null) return false
  return decoded(found[1]!).endsWith(`/${name}/-/${unscoped(name)}-${version}.tgz`)
}

/** What an address of a lock is, when it is not a registry's. */
export const foreignAddress = (address: string): ForeignSource =>
  /^https?:/.test(address) ? "url" : (foreignSource(address) ?? "url")
