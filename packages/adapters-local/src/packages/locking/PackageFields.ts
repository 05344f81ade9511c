/**
 * What is believed of a package's fields, whoever wrote them: a person's lock file or a registry. Only what npm itself
 * keeps in a lock is taken, each in its own shape.
 */
import { isPackageName } from "@pawl/core/packages/PackageNames"
import { valid } from "semver"

/** A JSON object of anyone. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A field that stands in the object itself. */
export const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)

const longestText = 2000
const isText = (value: unknown): value is string => typeof value === "string" && value.length <= longestText

/** An object without what is not wanted in it; undefined when nothing is left. */
const filtered = (value: unknown, keeps: (name: string, value: unknown) => boolean): Fields | undefined => {
  if (!isFields(value)) return undefined
  const entries = Object.entries(value).filter(([name, each]) => name !== "__proto__" && keeps(name, each))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const ranges = (value: unknown): Fields | undefined =>
  filtered(value, (name, each) => isPackageName(name) && isText(each))

const texts = (value: unknown): Fields | undefined => filtered(value, (_, each) => isText(each))

const list = (value: unknown): ReadonlyArray<string> | undefined => {
  const all = typeof value === "string" ? [value] : value
  if (!Array.isArray(all)) return undefined
  const kept = all.filter(isText)
  return kept.length === 0 ? undefined : kept
}

const peersMeta = (value: unknown): Fields | undefined => {
  const kept = filtered(value, (name, each) => isPackageName(name) && isFields(each))
  return kept === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(kept).map(([name, each]) => [
          name,
          { optional: isFields(each) && own(each, "optional") === true }
        ])
      )
}

const funding = (value: unknown): unknown => {
  const one = (each: unknown) => isText(each) || (isFields(each) && isText(own(each, "url")))
  const plain = (each: unknown) =>
    isFields(each) ? filtered(each, (name, text) => ["type", "url"].includes(name) && isText(text)) : each
  if (Array.isArray(value)) return value.length <= 20 && value.every(one) ? value.map(plain) : undefined
  return one(value) ? plain(value) : undefined
}

const license = (value: unknown): unknown => {
  if (isFields(value)) return isText(own(value, "type")) ? own(value, "type") : undefined
  return isText(value) ? value : undefined
}

const flag = (value: unknown): true | undefined => (value === true ? true : undefined)

const readers: Readonly<Record<string, (value: unknown) => unknown>> = {
  dependencies: ranges,
  devDependencies: ranges,
  optionalDependencies: ranges,
  peerDependencies: ranges,
  peerDependenciesMeta: peersMeta,
  bundleDependencies: list,
  engines: texts,
  os: list,
  cpu: list,
  libc: list,
  bin: (value) => (isText(value) ? value : texts(value)),
  deprecated: (value) => (isText(value) && value !== "" ? value : undefined),
  hasInstallScript: flag,
  funding,
  license
}

const ofPackages = Object.keys(readers).filter((name) => name !== "devDependencies")

/** Those fields of a package that a lock may keep and that are what they should be. */
export const packageFields = (fields: Fields, names: ReadonlyArray<string> = ofPackages): Fields =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = readers[name]?.(own(fields, name))
      return value === undefined ? [] : [[name, value]]
    })
  )

/** What pnpm alone keeps of a package: what it bundles, by either of its two names, and a folder that programs are in. */
export const pnpmFields = (fields: Fields): Fields => {
  const bundled = own(fields, "bundledDependencies") ?? own(fields, "bundleDependencies")
  const bundles = bundled === true ? true : list(bundled)
  const directories = own(fields, "directories")
  const bin = isFields(directories) ? own(directories, "bin") : undefined
  return {
    ...(bundles === undefined ? {} : { bundledDependencies: bundles }),
    ...(isText(bin) ? { directories: { bin } } : {})
  }
}

/** A version as registries have them; null for anything else. */
export const versionOf = (value: unknown): string | null =>
  isText(value) && value.length <= 256 && valid(value) === value ? value : null

/** What a tarball is checked by (w3.org/TR/SRI); undefined for anything else. */
export const integrityOf = (value: unknown): string | undefined =>
  isText(value) && /^(?:sha(?:1|256|384|512)-[A-Za-z0-9+/]+={0,2} ?)+$/.test(value) ? value : undefined

/** Where the public registry has a tarball: locks name it, whatever registry was asked. */
export const tarballUrl = (name: string, version: string): string =>
  `https://registry.npmjs.org/${name}/-/${name.slice(name.lastIndexOf("/") + 1)}-${version}.tgz`
