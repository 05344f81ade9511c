/** Reads what a lock of pnpm is to be made of: lock files and settings of anyone. What is strange in them is refused. */
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import { isObject } from "@pawl/core/packages/PackageManifest"
import { foreignSource, foreignWords, isPackageName, isRegistryAddress } from "@pawl/core/packages/PackageNames"
import { packageProblems, quoted } from "@pawl/core/packages/PackageProblems"
import type { PackageProblem } from "@pawl/core/packages/PackageStore"
import { LocalLimits } from "../../LocalLimits.ts"
import { pnpmMend } from "../PnpmGraph.ts"
import { oddities } from "../PnpmLock.ts"
import { mapIn, plainOf, readYaml, textIn, WrongYaml, type YamlMap } from "../PnpmYaml.ts"
import { problem, Refusal } from "./LockInput.ts"
import { type Fields, integrityOf, isFields, own, packageFields, pnpmFields, versionOf } from "./PackageFields.ts"
import { wholeText } from "@pawl/core/primitives/Utf8"

/** A pnpm-lock.yaml of which every package is one of a registry. */
export interface PnpmLockInput {
  /** What the whole was told: how peers are had, what is overridden. */
  readonly about: Fields
  /** By kind and name: the range that was asked for, and what was chosen. */
  readonly direct: Readonly<Record<string, Readonly<Record<string, Fields>>>>
  /** By `name@version`. */
  readonly packages: Readonly<Record<string, Fields>>
  /** By `name@version(peer@version)`. */
  readonly snapshots: Readonly<Record<string, Fields>>
  /** Whether it says where its packages are to be had: pnpm can be told to. */
  readonly hasAddresses: boolean
}

/** The kinds of dependencies that a lock of pnpm keeps. */
export const pnpmKinds = ["dependencies", "devDependencies", "optionalDependencies"] as const

const unreadable = (words: string, code = "lock_unreadable"): Refusal =>
  new Refusal([problem(code, `${pnpmLockFile} ${words}. ${pnpmMend}`, pnpmLockFile)])

const byName = (value: unknown): Readonly<Record<string, Fields>> =>
  Object.fromEntries(
    Object.entries(isFields(value) ? value : {}).map(([name, each]) => [name, isFields(each) ? each : {}])
  )

/** The name and the version of `name@version`. */
export const nameAndVersion = (key: string): readonly [name: string, version: string] => {
  const base = key.split("(", 1)[0] ?? key
  const at = base.indexOf("@", 1)
  return at < 0 ? [base, ""] : [base.slice(0, at), base.slice(at + 1)]
}

/** A text, also one that looks like a number. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined

const texts = (value: unknown): Fields | undefined => {
  const kept = Object.entries(isFields(value) ? value : {}).flatMap(([name, each]) => {
    const text = textOf(each)
    return text === undefined ? [] : [[name, text] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const textList = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined

const kept = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** One package as a lock may keep it. Throws a `Refusal` for one that no registry has. */
const packageOf = (key: string, fields: Fields, line: number): Fields => {
  const [name, version] = nameAndVersion(key)
  const refuse = (code: string, message: string) =>
    new Refusal([{ code, message: `${message} ${pnpmMend}`, file: pnpmLockFile, line }])
  if (!isPackageName(name)) throw refuse("package_name", `${quoted(name)} is no name of a package.`)
  const resolution = own(fields, "resolution")
  const tarball = isFields(resolution) ? own(resolution, "tarball") : undefined
  const isHad = tarball === undefined || (typeof tarball === "string" && isRegistryAddress(tarball, name, version))
  const isForeign =
    !isFields(resolution) || ["type", "repo", "directory", "path"].some((each) => Object.hasOwn(resolution, each))
  if (versionOf(version) === null || isForeign || !isHad)
    throw refuse("package_source", `${name} (${quoted(version)}) is no package of a registry.`)
  const integrity = integrityOf(own(resolution, "integrity"))
  if (integrity === undefined) throw refuse("integrity_missing", `${name} ${version} has no integrity.`)
  const {
    bin: _,
    bundleDependencies: __,
    dependencies: ___,
    optionalDependencies: ____,
    ...about
  } = packageFields(fields)
  const { bundledDependencies } = pnpmFields(fields)
  return kept({
    resolution: { integrity, ...(tarball === undefined ? {} : { tarball: "" }) },
    ...about,
    hasBin: own(fields, "hasBin") === true ? true : undefined,
    bundledDependencies
  })
}

const snapshotOf = (fields: Fields): Fields =>
  kept({
    dependencies: texts(own(fields, "dependencies")),
    optionalDependencies: texts(own(fields, "optionalDependencies")),
    transitivePeerDependencies: textList(own(fields, "transitivePeerDependencies")),
    optional: own(fields, "optional") === true ? true : undefined
  })

const directOf = (value: unknown): Readonly<Record<string, Fields>> =>
  Object.fromEntries(
    Object.entries(byName(value)).map(([name, each]) => [
      name,
      kept({ specifier: textOf(own(each, "specifier")), version: textOf(own(each, "version")) })
    ])
  )

/** What was there from the beginning of the lock and goes on to be. */
const aboutOf = (lock: Fields): Fields => {
  const settings = own(lock, "settings")
  const ignored = own(lock, "ignoredOptionalDependencies")
  const checksum = own(lock, "packageExtensionsChecksum")
  return kept({
    settings: isFields(settings)
      ? Object.fromEntries(Object.entries(settings).filter(([, each]) => ["boolean", "number"].includes(typeof each)))
      : undefined,
    overrides: texts(own(lock, "overrides")),
    packageExtensionsChecksum: typeof checksum === "string" ? checksum : undefined,
    ignoredOptionalDependencies: textList(ignored)
  })
}

const lockOf = (map: YamlMap): PnpmLockInput => {
  const version = textIn(map, "lockfileVersion") ?? "none"
  if (!/^9\.\d+$|^9$/.test(version)) throw unreadable(`is of version ${quoted(version)}; 9 is read`, "lock_version")
  const odd = oddities(map)
  if (odd.length > 0) throw new Refusal(odd)
  if (map.has("pnpmfileChecksum"))
    throw unreadable("was made with a .pnpmfile.cjs, which is not run here", "lock_pnpmfile")
  const lock = plainOf(map)
  const fields = isFields(lock) ? lock : {}
  const importer = byName(own(fields, "importers"))["."] ?? {}
  const packages = byName(own(fields, "packages"))
  const judged = Object.entries(packages).map(([key, each]) => {
    const line = mapIn(map, "packages").get(key)?.line ?? 1
    return [key, packageOf(key, each, line)] as const
  })
  const snapshots = Object.entries(byName(own(fields, "snapshots"))).map(
    ([key, each]) => [key, snapshotOf(each)] as const
  )
  const known = new Set(judged.map(([key]) => key))
  const unknown = snapshots.find(([key]) => !known.has(nameAndVersion(key).join("@")))
  if (unknown !== undefined) throw unreadable(`has ${quoted(unknown[0])} without its integrity`)
  return {
    about: aboutOf(fields),
    direct: Object.fromEntries(pnpmKinds.map((kind) => [kind, directOf(own(importer, kind))])),
    packages: Object.fromEntries(judged),
    snapshots: Object.fromEntries(snapshots),
    hasAddresses: judged.some(([, { resolution }]) => isFields(resolution) && Object.hasOwn(resolution, "tarball"))
  }
}

const readText = (bytes: Uint8Array): YamlMap => {
  if (bytes.length > LocalLimits.pnpmLockBytes)
    throw unreadable(`is larger than ${LocalLimits.pnpmLockBytes} bytes`, "lock_over_limit")
  const text = wholeText(bytes)
  if (text === null) throw unreadable("is not UTF-8")
  try {
    return readYaml(text)
  } catch (error) {
    throw error instanceof WrongYaml ? unreadable(error.message) : error
  }
}

/** Reads a pnpm-lock.yaml of version 9. Throws a `Refusal`. */
export const readPnpmInput = (bytes: Uint8Array): PnpmLockInput => lockOf(readText(bytes))

const specsOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : isFields(value) ? Object.values(value).flatMap(specsOf) : []

const foreignProblems = (what: string, file: string, value: unknown): ReadonlyArray<PackageProblem> =>
  specsOf(value).flatMap((spec) => {
    const foreign = spec.startsWith("$") || spec === "-" ? null : foreignSource(spec)
    const message = `${quoted(what)} asks for ${quoted(spec)}, which ${foreign === null ? "" : foreignWords(foreign)}. Packages come from the registry alone: name a published version.`
    return foreign === null ? [] : [problem("package_source", message, file)]
  })

const extensionsOf = (value: unknown): Fields | undefined => {
  const all = Object.entries(isFields(value) ? value : {}).flatMap(([name, each]) =>
    isFields(each)
      ? [
          [
            name,
            packageFields(each, ["dependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta"])
          ]
        ]
      : []
  )
  return all.length === 0 ? undefined : Object.fromEntries(all)
}

/** The settings of a place that change which packages there are. Throws a `Refusal`. */
const settingsIn = (settings: Fields, file: string): Fields => {
  if (own(settings, "patchedDependencies") !== undefined)
    throw new Refusal([
      problem(
        "package_patched",
        `${file} has patched packages. Patch what you import in your own source instead.`,
        file
      )
    ])
  if (own(settings, "configDependencies") !== undefined)
    throw new Refusal([
      problem(
        "package_settings",
        `${file} has "configDependencies", which bring code that is not run here. Remove them.`,
        file
      )
    ])
  const overrides = texts(own(settings, "overrides"))
  const packageExtensions = extensionsOf(own(settings, "packageExtensions"))
  const ignored = own(settings, "ignoredOptionalDependencies")
  const problems = [
    ...foreignProblems("overrides", file, overrides),
    ...foreignProblems("packageExtensions", file, packageExtensions)
  ]
  if (problems.length > 0) throw new Refusal(packageProblems(problems))
  return kept({
    overrides,
    packageExtensions,
    ignoredOptionalDependencies: textList(ignored)
  })
}

const workspaceFile = "pnpm-workspace.yaml"

const workspaceOf = (bytes: Uint8Array): Fields => {
  try {
    const text = wholeText(bytes)
    if (text === null || bytes.length > LocalLimits.manifestBytes) throw new WrongYaml("is too long or not UTF-8")
    const settings = text.trim() === "" ? {} : plainOf(readYaml(text))
    return isFields(settings) ? settings : {}
  } catch (error) {
    if (!(error instanceof WrongYaml)) throw error
    throw new Refusal([problem("lock_settings", `${workspaceFile} ${error.message}.`, workspaceFile)])
  }
}

/** What package.json and pnpm-workspace.yaml say of packages beside naming them. Throws a `Refusal`. */
export const pnpmSettings = (manifest: Uint8Array, workspace: Uint8Array | null): Fields => {
  const object: unknown = JSON.parse(wholeText(manifest) ?? "{}")
  const fields = isObject(object) ? object : {}
  const inManifest = own(fields, "pnpm")
  const resolutions = texts(own(fields, "resolutions"))
  const problems = foreignProblems("resolutions", "package.json", resolutions)
  if (problems.length > 0) throw new Refusal(packageProblems(problems))
  const first = settingsIn(isFields(inManifest) ? inManifest : {}, "package.json")
  const second = workspace === null ? {} : settingsIn(workspaceOf(workspace), workspaceFile)
  const overrides = { ...resolutions, ...(isFields(first["overrides"]) ? first["overrides"] : {}) }
  return { ...first, ...(Object.keys(overrides).length === 0 ? {} : { overrides }), ...second }
}
