/** `PackageStore` over a registry in memory, for tests of what uses packages. Layers are ids alone: nothing is unpacked. */
import { Effect, Layer } from "effect"
import { Base64, Hex } from "effect/encoding"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { canonicalJson, sha256, utf8 } from "@pawl/core/primitives/Digest"
import { pnpmLockFile, readLock } from "@pawl/core/packages/LockFiles"
import {
  dependenciesOf,
  directOf,
  isObject,
  type PackageManifest,
  readManifest,
  readObject
} from "@pawl/core/packages/PackageManifest"
import { readPnpmText } from "@pawl/core/packages/PnpmLockText"
import { packageProblem } from "@pawl/core/packages/PackageProblems"
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import {
  type LockRequest,
  type PackageFacts,
  PackagesRefused,
  PackageStore,
  PackagesUnavailable,
  type ReadLock
} from "@pawl/core/packages/PackageStore"
import { wholeText } from "@pawl/core/primitives/Utf8"

/** One version that the registry has. */
export interface MemoryPackage {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly license?: string
  /** Names of its install scripts. */
  readonly scripts?: ReadonlyArray<string>
  readonly publishedAtMs?: number
  readonly deprecated?: string
  readonly advisories?: PackageFacts["advisories"]
}

/** What the store is made of; `packages` is read at each call, so a test may change it. */
export interface MemoryRegistry {
  readonly packages: ReadonlyArray<MemoryPackage>
  /** False while the registry is away: layers that were made before are still to be had. Default: it is there. */
  readonly isThere?: () => boolean
}

/** The integrity that the registry has for a version: made of its name. */
export const integrityOf = (name: string, version: string): string =>
  `sha256-${Effect.runSync(
    Effect.flatMap(sha256(`${name}@${version}`), (hex) => Effect.map(Effect.fromResult(Hex.decode(hex)), Base64.encode))
  )}`

/** The text of a package-lock.json that has these packages side by side at the root, for a package.json. */
export const lockText = (manifest: string, packages: ReadonlyArray<MemoryPackage>): string => {
  const root: unknown = JSON.parse(manifest)
  const kinds = isObject(root)
    ? [...dependenciesOf(root)].flatMap(([kind, ranges]) =>
        ranges.size === 0 ? [] : [[kind, Object.fromEntries(ranges)]]
      )
    : []
  const entries = packages
    .toSorted((a, b) => compareCodePoints(a.name, b.name))
    .map(({ dependencies, name, scripts, version }) => [
      `node_modules/${name}`,
      {
        version,
        resolved: `https://registry.npmjs.org/${name}/-/${name.slice(name.indexOf("/") + 1)}-${version}.tgz`,
        integrity: integrityOf(name, version),
        ...(dependencies === undefined ? {} : { dependencies }),
        ...((scripts ?? []).length === 0 ? {} : { hasInstallScript: true })
      }
    ])
  const lock = {
    lockfileVersion: 3,
    requires: true,
    packages: Object.fromEntries([["", Object.fromEntries(kinds)], ...entries])
  }
  return `${JSON.stringify(lock, null, 2)}\n`
}

const yamlKinds = ["dependencies", "devDependencies", "optionalDependencies"] as const

/** The text of a pnpm-lock.yaml that has these packages, each once, for a package.json. */
export const pnpmLockText = (manifest: string, packages: ReadonlyArray<MemoryPackage>): string => {
  const root: unknown = JSON.parse(manifest)
  const versions = new Map(packages.map(({ name, version }) => [name, version]))
  const word = (text: string) => `'${text.replaceAll("'", "''")}'`
  const direct = [...(isObject(root) ? dependenciesOf(root) : [])].flatMap(([kind, ranges]) =>
    ranges.size === 0 || !yamlKinds.some((each) => each === kind)
      ? []
      : [
          `    ${kind}:`,
          ...[...ranges].flatMap(([name, range]) => [
            `      ${word(name)}:`,
            `        specifier: ${word(range)}`,
            `        version: ${versions.get(name) ?? ""}`
          ])
        ]
  )
  const sorted = packages.toSorted((a, b) => compareCodePoints(a.name, b.name))
  const entries = sorted.map(
    ({ name, version }) =>
      `  ${word(`${name}@${version}`)}:\n    resolution: {integrity: ${integrityOf(name, version)}}\n`
  )
  const snapshots = sorted.map(({ dependencies = {}, name, version }) => {
    const needs = Object.keys(dependencies).map((each) => `      ${word(each)}: ${versions.get(each) ?? ""}\n`)
    const key = `  ${word(`${name}@${version}`)}:`
    return needs.length === 0 ? `${key} {}\n` : `${key}\n    dependencies:\n${needs.join("")}`
  })
  const importers = direct.length === 0 ? "  .: {}\n" : `  .:\n${direct.join("\n")}\n`
  const parts = [
    `importers:\n\n${importers}`,
    `packages:\n\n${entries.join("\n")}`,
    `snapshots:\n\n${snapshots.join("\n")}`
  ]
  return `lockfileVersion: '9.0'\n\n${parts.slice(0, sorted.length === 0 ? 1 : 3).join("\n")}`
}

const numbers = (version: string): ReadonlyArray<number> => version.split(/[.+-]/).slice(0, 3).map(Number)

const isAtLeast = (version: string, least: string): boolean => {
  const [own, other] = [numbers(version), numbers(least)]
  const at = own.findIndex((number, index) => number !== other[index])
  return at < 0 || own[at]! > (other[at] ?? 0)
}

/** Of ranges only `1.2.3`, `^1.2.3`, `~1.2.3` and `>=1.2.3`; every other one is taken for a tag, which all versions have. */
const satisfies = (version: string, range: string): boolean => {
  const found = /^(\^|~|>=)?(\d+\.\d+\.\d+)$/.exec(range)
  if (found === null) return true
  const [, sign, least = ""] = found
  if (sign === undefined) return version === least
  const same = sign === ">=" ? 0 : sign === "^" ? 1 : 2
  return isAtLeast(version, least) && numbers(version).slice(0, same).join() === numbers(least).slice(0, same).join()
}

const refusal = (code: string, message: string, line: number | null = null) =>
  new PackagesRefused({ problems: [packageProblem(code, message, { file: null, line })] })

const namesOf = (lock: Uint8Array): ReadonlyArray<string> => {
  const read = readObject(wholeText(lock))
  const object = "object" in read ? read.object : readPnpmText(lock)
  const packages = object?.["packages"]
  if (!isObject(packages)) return []
  if (!("object" in read)) return Object.keys(packages)
  return Object.entries(packages).flatMap(([path, entry]) =>
    isObject(entry) && path !== ""
      ? [`${path.slice(path.lastIndexOf("node_modules/") + 13)}@${String(entry["version"])}`]
      : []
  )
}

/** Reads a lock of pnpm as it is written here, each package at its name. */
const readPnpm = (bytes: Uint8Array, manifest: PackageManifest): ReadLock => {
  const lock = readPnpmText(bytes)
  const packages = lock?.["packages"] ?? {}
  const importers = lock?.["importers"]
  const root = isObject(importers) ? importers["."] : undefined
  const behind = manifest.dependencies.filter(({ kind, name, range }) => {
    const own = isObject(root) ? root[kind] : undefined
    const entry = isObject(own) ? own[name] : undefined
    return kind !== "peerDependencies" && !(isObject(entry) && entry["specifier"] === range)
  })
  const file = pnpmLockFile
  const refused = (code: string, message: string): ReadLock => ({
    _tag: "Refused",
    problems: [packageProblem(code, message, { file, line: null })]
  })
  if (lock === null || !isObject(packages)) return refused("lock_unreadable", `${file} cannot be read.`)
  if (behind.length > 0) return refused("lock_behind", `${file} has not ${behind.map(({ name }) => name).join()}.`)
  const places = Object.entries(packages).map(([key, entry]) => {
    const at = key.indexOf("@", 1)
    const resolution = isObject(entry) ? entry["resolution"] : undefined
    return {
      path: `node_modules/${key.slice(0, at)}`,
      name: key.slice(0, at),
      version: key.slice(at + 1),
      integrity: isObject(resolution) ? String(resolution["integrity"]) : "",
      dev: false,
      optional: false,
      installScript: null,
      line: null
    }
  })
  const lockRead = {
    file,
    format: "pnpm",
    packages: places.sort((a, b) => compareCodePoints(a.path, b.path)),
    links: [],
    direct: directOf(manifest)
  } as const
  return { _tag: "Locked", lock: lockRead }
}

const registryUrl = "https://registry.npmjs.org/"
const away = new PackagesUnavailable({ reason: `the registry in memory is away (${registryUrl})` })

const locked = (
  registry: MemoryRegistry,
  { format, locks, manifest, offline }: LockRequest
): Effect.Effect<Uint8Array, PackagesRefused | PackagesUnavailable> => {
  const read = readManifest(manifest)
  if ("wrong" in read) return refusal("manifest_unreadable", `package.json cannot be read: ${read.wrong}.`)
  if (!offline && registry.isThere?.() === false) return away
  const known = locks.map((lock) => new Set(namesOf(lock)))
  const rank = ({ name, version }: MemoryPackage): number => {
    const at = known.findIndex((names) => names.has(`${name}@${version}`))
    return at < 0 ? known.length : at
  }
  const chosen = new Map<string, MemoryPackage>()
  const open = read.dependencies.map(({ name, range }) => ({ name, range }))
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { name, range } = next
    const has = chosen.get(name)
    if (has !== undefined && satisfies(has.version, range)) continue
    const fitting = registry.packages.filter(
      (each) => each.name === name && satisfies(each.version, range) && (!offline || rank(each) < known.length)
    )
    const [best] = fitting.toSorted((a, b) => rank(a) - rank(b) || (isAtLeast(a.version, b.version) ? -1 : 1))
    if (best === undefined || has !== undefined)
      return refusal("version_missing", `No version of ${name} is of ${JSON.stringify(range)} and fits the others.`)
    chosen.set(name, best)
    open.push(...Object.entries(best.dependencies ?? {}).map(([each, wanted]) => ({ name: each, range: wanted })))
  }
  const text = format === "npm" ? lockText : pnpmLockText
  return Effect.succeed(utf8(text(wholeText(manifest) ?? "", [...chosen.values()])))
}

const make = (registry: MemoryRegistry): typeof PackageStore.Service => {
  const made = new Set<string>()
  const find = (name: string, version: string) =>
    registry.packages.find((each) => each.name === name && each.version === version)

  const layer = Effect.fnUntraced(function* (lock: PackageLock) {
    const places = lock.packages.map(({ integrity, name, path, version }) => ({ path, name, version, integrity }))
    const id = yield* sha256(canonicalJson({ places, links: lock.links, direct: lock.direct.map(({ name }) => name) }))
    if (!made.has(id) && lock.packages.length > 0 && registry.isThere?.() === false) return yield* away
    const packages = []
    for (const { dev, integrity, line, name, path, version } of lock.packages) {
      const found = find(name, version)
      if (found === undefined) return yield* refusal("package_missing", `The registry has no ${name} ${version}.`, line)
      if (integrity !== integrityOf(name, version))
        return yield* refusal("integrity_mismatch", `${name} ${version} is not what the lock says.`, line)
      packages.push({
        path,
        name,
        version,
        integrity,
        dev,
        license: found.license ?? null,
        scripts: found.scripts ?? []
      })
    }
    made.add(id)
    return { id, packages }
  })

  return PackageStore.of({
    registry: registryUrl,
    read: (files) =>
      Effect.sync(() =>
        readLock(files, {
          machine: { os: "linux", cpu: "x64", libc: "glibc" },
          satisfies,
          pnpm: readPnpm
        })
      ),
    layer,
    lock: (request) => Effect.suspend(() => locked(registry, request)),
    facts: (packages) =>
      Effect.suspend(() =>
        registry.isThere?.() === false
          ? Effect.fail(away)
          : Effect.succeed(
              packages.map(({ name, version }): PackageFacts => {
                const found = find(name, version)
                return {
                  name,
                  version,
                  publishedAtMs: found?.publishedAtMs ?? null,
                  deprecated: found?.deprecated ?? null,
                  installScript: found === undefined ? null : (found.scripts ?? []).length > 0,
                  advisories: found?.advisories ?? []
                }
              })
            )
      )
  })
}

/** A store over a registry that has these versions; none by default. */
export const layerMemory = (registry: MemoryRegistry = { packages: [] }): Layer.Layer<PackageStore> =>
  Layer.sync(PackageStore, () => make(registry))
