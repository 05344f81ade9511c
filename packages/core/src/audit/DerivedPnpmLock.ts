/** What the audit asks of a pnpm-lock.yaml that Pawl is said to have made. */
import { isObject, type JsonObject } from "../packages/PackageManifest.ts"

const part = (object: JsonObject, key: string): JsonObject => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  return isObject(value) ? value : {}
}
const keysOf = (object: JsonObject, key: string): ReadonlyArray<string> => Object.keys(part(object, key))

const kinds = ["dependencies", "devDependencies", "optionalDependencies"] as const

/** `name@version` of what a lock has chosen for a name: a version, or a package of another name; peers are none of it. */
const chosen = (lock: JsonObject, name: string, ref: unknown): string => {
  const text = typeof ref === "string" ? ref : ""
  const key = Object.hasOwn(part(lock, "snapshots"), `${name}@${text}`) ? `${name}@${text}` : text
  return key.split("(", 1)[0] ?? key
}

/** Packages by `name@version`, each as one text: what it is, and by what it is checked. */
const pnpmPackages = (lock: JsonObject): ReadonlySet<string> =>
  new Set(keysOf(lock, "packages").map((key) => identity(lock, key)))

const identity = (lock: JsonObject, key: string): string =>
  `${key} ${String(part(part(part(lock, "packages"), key), "resolution")["integrity"])}`

const address = (key: string): string => {
  const at = key.indexOf("@", 1)
  const name = key.slice(0, at)
  return `https://registry.npmjs.org/${name}/-/${name.slice(name.indexOf("/") + 1)}-${key.slice(at + 1)}.tgz`
}

const entryProblem = (lock: JsonObject, key: string): string | null => {
  const resolution = part(part(part(lock, "packages"), key), "resolution")
  const { integrity, tarball, ...others } = resolution
  if (!/^(?:@[^@/\s]+\/)?[^@/\s]+@\d+\.\d+\.\d+[0-9A-Za-z.+-]*$/.test(key)) return `${key} is no package of a registry`
  if (Object.keys(others).length > 0 || (tarball !== undefined && tarball !== address(key)))
    return `${key} comes from elsewhere than the registry`
  return typeof integrity === "string" && /^sha\d+-/.test(integrity) ? null : `${key} has no integrity`
}

const importerProblem = (lock: JsonObject, manifest: JsonObject): string | null => {
  const root = part(part(lock, "importers"), ".")
  const packages = part(lock, "packages")
  const overridden = new Set(
    keysOf(lock, "overrides").map((key) => (key.split(">").at(-1) ?? "").replace(/(?<=.)@.*$/, ""))
  )
  const peers = part(manifest, "peerDependencies")
  for (const kind of kinds) {
    const has = part(root, kind)
    const needs = Object.entries(part(manifest, kind)).filter(
      ([name]) => kind === "optionalDependencies" || !Object.hasOwn(part(manifest, "optionalDependencies"), name)
    )
    for (const [name, range] of needs) {
      if (!Object.hasOwn(has, name)) {
        if (kind === "optionalDependencies") continue
        return `its ${kind} are not those of package.json`
      }
      const own = part(has, name)
      if (own["specifier"] !== range && !overridden.has(name)) return `its ${kind} are not those of package.json`
      if (!Object.hasOwn(packages, chosen(lock, name, own["version"]))) return `it has no ${name}`
    }
    const names = new Set(needs.map(([name]) => name))
    if (Object.keys(has).some((name) => !names.has(name) && !Object.hasOwn(peers, name)))
      return `its ${kind} are not those of package.json`
  }
  return null
}

/** Why a lock of pnpm does not fit a package.json; null when it does. */
export const pnpmUnfit = (lock: JsonObject | null, manifest: JsonObject | null): string | null => {
  if (lock === null || manifest === null || lock["lockfileVersion"] !== "9.0") return "it is no lock of a package.json"
  if (keysOf(lock, "importers").some((each) => each !== ".")) return "it is the lock of a workspace"
  if (Object.hasOwn(lock, "patchedDependencies")) return "it has patched packages"
  const wrong = importerProblem(lock, manifest)
  if (wrong !== null) return wrong
  const packages = part(lock, "packages")
  for (const key of Object.keys(packages)) {
    const problem = entryProblem(lock, key)
    if (problem !== null) return problem
  }
  for (const [key, snapshot] of Object.entries(part(lock, "snapshots"))) {
    if (!Object.hasOwn(packages, key.split("(", 1)[0] ?? "")) return `it has ${key} without its integrity`
    const needs = isObject(snapshot)
      ? ["dependencies", "optionalDependencies"].flatMap((kind) => Object.entries(part(snapshot, kind)))
      : []
    for (const [name, ref] of needs)
      if (!Object.hasOwn(packages, chosen(lock, name, ref))) return `it has no ${name}, which ${key} needs`
  }
  return null
}

/** A package of a lock that is in none of some others, or is other bytes there; null for none. */
export const pnpmStranger = (lock: JsonObject, others: ReadonlyArray<JsonObject>): string | null => {
  const known = new Set(others.flatMap((each) => [...pnpmPackages(each)]))
  return [...pnpmPackages(lock)].find((each) => !known.has(each)) ?? null
}
