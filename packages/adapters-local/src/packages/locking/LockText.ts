/** The text of a lock: the same bytes for the same packages, whichever registry was asked and wherever it was made. */
import stringify from "json-stringify-nice"
import { LocalLimits } from "../../LocalLimits.ts"
import { type Manifest, problem, Refusal } from "./LockInput.ts"
import { type Fields, integrityOf, isFields, own, packageFields, tarballUrl, versionOf } from "./PackageFields.ts"

const last = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)

/** The keys that npm writes first, as @npmcli/arborist has them. */
const firstKeys = [
  "name",
  "version",
  "lockfileVersion",
  "resolved",
  "integrity",
  "requires",
  "packages",
  "dependencies"
]

const entryText = (path: string, value: unknown, names: LockNames): Fields => {
  const fields = isFields(value) ? value : {}
  const alias = own(fields, "name")
  const name = typeof alias === "string" ? alias : last(path)
  const version = versionOf(own(fields, "version"))
  const refuse = (why: string) => new Refusal([problem("package_not_lockable", `${name} cannot be locked: ${why}.`)])
  if (version === null || own(fields, "link") === true) throw refuse("it is no package of a registry")
  const { integrity: _, resolved: __, ...others } = fields
  if (own(fields, "inBundle") === true) return others
  const integrity = integrityOf(own(fields, "integrity"))
  if (integrity === undefined) throw refuse("the registry tells no integrity of it")
  const { version: ___, name: ____, ...rest } = others
  return {
    ...(name === last(path) ? {} : { name }),
    version,
    ...(names === "addresses" ? { resolved: tarballUrl(name, version) } : {}),
    integrity,
    ...rest
  }
}

/** Whether a lock says where its packages are to be had: npm can be told to leave it out. */
export type LockNames = "addresses" | "versions"

/** The lock of a tree, written as npm writes it: version 3, packages by path. Throws a `Refusal`. */
export const lockText = (manifest: Manifest, indent: string, names: LockNames, data: unknown): string => {
  const packages = isFields(data) ? own(data, "packages") : undefined
  const entries = Object.entries(isFields(packages) ? packages : {}).filter(([path]) => path !== "")
  if (entries.length > LocalLimits.lockPackages)
    throw new Refusal([
      problem(
        "too_many_packages",
        `The lock would have ${entries.length} packages, where ${LocalLimits.lockPackages} are allowed. Fewer dependencies are needed.`
      )
    ])
  const { fields } = manifest
  const [name, version] = [own(fields, "name"), own(fields, "version")]
  const root = {
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...packageFields(fields, [
      "license",
      "dependencies",
      "bin",
      "devDependencies",
      "engines",
      "optionalDependencies",
      "peerDependencies",
      "peerDependenciesMeta"
    ])
  }
  const text = {
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": rootOf(root),
      ...Object.fromEntries(entries.map(([path, each]) => [path, entryText(path, each, names)]))
    }
  }
  return `${stringify(text, firstKeys, indent).trimEnd()}\n`
}

/** npm leaves out of `dependencies` what may be missing. */
const rootOf = (root: Fields): Fields => {
  const { dependencies, optionalDependencies } = root
  if (!isFields(dependencies) || !isFields(optionalDependencies)) return root
  const needed = Object.entries(dependencies).filter(([name]) => !Object.hasOwn(optionalDependencies, name))
  const { dependencies: _, ...others } = root
  return needed.length === 0 ? others : { ...others, dependencies: Object.fromEntries(needed) }
}
