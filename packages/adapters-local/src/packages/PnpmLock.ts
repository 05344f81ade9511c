/** pnpm-lock.yaml, version 9, laid out as pnpm does it: packages below `node_modules/.pnpm`, and links to what each needs. */
import { type LockReading, tooManyPackages } from "@pawl/core/packages/NpmLock"
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import type { PackageLink } from "@pawl/core/packages/PackageLock"
import {
  dependenciesOf,
  type DependencyKind,
  directOf,
  type PackageManifest
} from "@pawl/core/packages/PackageManifest"
import { aliasOf } from "@pawl/core/packages/PackageNames"
import { packageProblem, quoted } from "@pawl/core/packages/PackageProblems"
import type { PackageProblem, ReadLock } from "@pawl/core/packages/PackageStore"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { sha256AtOnce } from "@pawl/core/primitives/Digest"
import { LocalLimits } from "../LocalLimits.ts"
import { type PnpmEdge, PnpmGraph, pnpmMend, type PnpmNode } from "./PnpmGraph.ts"
import { mapIn, readYaml, textIn, WrongYaml, type YamlMap } from "./PnpmYaml.ts"
import { wholeText } from "@pawl/core/primitives/Utf8"

const file = pnpmLockFile
const store = "node_modules/.pnpm"

/** A name for a folder: pnpm's own, and one with a digest where that would be long or have capitals. */
const folderName = (key: string): string => {
  const plain = key
    .replaceAll("/", "+")
    .replace(/\)$/, "")
    .replaceAll(/\)\(|[()]/g, "_")
  if (/^[a-z0-9@._+~-]{1,120}$/.test(plain)) return plain
  const readable = plain.replaceAll(/[^A-Za-z0-9@._+~-]/g, "+").slice(0, 87)
  return `${readable}_${sha256AtOnce(key).slice(0, 32)}`
}

const folderOf = (node: PnpmNode): string => `${store}/${folderName(node.key)}/node_modules`
const placeOf = (node: PnpmNode): string => `${folderOf(node)}/${node.name}`

/** Links from each package to what it needs, from the root to its own, and for whoever imports what it does not name. */
const linksOf = (
  nodes: ReadonlyMap<string, PnpmNode>,
  direct: ReadonlyMap<string, string>
): ReadonlyArray<PackageLink> => {
  const links = new Map<string, string>()
  const link = (path: string, key: string) => {
    const node = nodes.get(key)
    if (node !== undefined && !links.has(path) && path !== placeOf(node)) links.set(path, placeOf(node))
  }
  for (const [alias, key] of direct) link(`node_modules/${alias}`, key)
  for (const node of nodes.values())
    for (const [alias, key] of node.needs) {
      // What has the package's own name stands below it, as its folder is taken.
      link(alias === node.name ? `${placeOf(node)}/node_modules/${alias}` : `${folderOf(node)}/${alias}`, key)
      link(`${store}/node_modules/${alias}`, key)
    }
  return [...links].map(([path, target]) => ({ path, target })).sort((a, b) => compareCodePoints(a.path, b.path))
}

interface Importer {
  readonly kind: DependencyKind
  readonly name: string
  readonly specifier: string
  readonly edge: PnpmEdge
}

const kinds = ["dependencies", "optionalDependencies", "devDependencies"] as const

const importersOf = (root: YamlMap): ReadonlyArray<Importer> =>
  kinds.flatMap((kind) =>
    [...mapIn(root, kind)].map(([name, { line, value }]) => {
      const entry: YamlMap = value instanceof Map ? value : new Map()
      const edge = { alias: name, ref: textIn(entry, "version") ?? "", optional: kind === "optionalDependencies", line }
      return { kind, name, specifier: textIn(entry, "specifier") ?? "", edge }
    })
  )

/** Names that the lock has another range for than package.json, because the whole was told to. */
const overridden = (lock: YamlMap): ReadonlySet<string> =>
  new Set([...mapIn(lock, "overrides").keys()].map((key) => (key.split(">").at(-1) ?? "").replace(/(?<=.)@.*$/, "")))

/** What package.json asks for and the lock does not have so. */
const behind = (
  importers: ReadonlyArray<Importer>,
  manifest: PackageManifest,
  exempt: ReadonlySet<string>
): ReadonlyArray<PackageProblem> => {
  const wanted = dependenciesOf(manifest.object)
  const lacking = manifest.dependencies.flatMap(({ kind, line, name, range }) => {
    const own = importers.find((each) => each.name === name && (each.kind === kind || kind === "peerDependencies"))
    // Peers of the root are installed only when pnpm is told so.
    const isMissing = own === undefined && kind !== "peerDependencies" && !manifest.optional.has(name)
    const isOther = own !== undefined && own.specifier !== range && kind !== "peerDependencies" && !exempt.has(name)
    if (!isMissing && !isOther) return []
    const says = isMissing
      ? `package.json asks for ${quoted(name)} (${quoted(range)}) in ${kind}, the lock does not.`
      : `package.json asks for ${quoted(name)} in ${kind} as ${quoted(range)}, the lock as ${quoted(own?.specifier)}.`
    return [packageProblem("lock_behind", `${says} ${pnpmMend}`, { file: "package.json", line })]
  })
  const spare = importers.flatMap(({ edge, kind, name }) => {
    if (wanted.get(kind)?.has(name) === true || wanted.get("peerDependencies")?.has(name) === true) return []
    const says = `The lock has ${quoted(name)} in ${kind}, package.json does not.`
    return [packageProblem("lock_behind", `${says} ${pnpmMend}`, { file, line: edge.line })]
  })
  return [...lacking, ...spare]
}

/** Direct dependencies for which another package or version stands in the lock than was asked for. */
const unmet = (
  importers: ReadonlyArray<Importer>,
  direct: ReadonlyMap<string, string>,
  { nodes }: PnpmGraph,
  exempt: ReadonlySet<string>,
  satisfies: LockReading["satisfies"]
): ReadonlyArray<PackageProblem> =>
  importers.flatMap(({ edge, name, specifier }) => {
    const node = nodes.get(direct.get(name) ?? "")
    if (node === undefined || exempt.has(name)) return []
    const alias = aliasOf(specifier)
    if (node.name === (alias?.name ?? name) && satisfies(node.version, alias?.range ?? specifier)) return []
    const says = `${name} is asked for as ${quoted(specifier)}, and ${node.name} ${node.version} stands in the lock.`
    return [packageProblem("lock_behind", `${says} ${pnpmMend}`, { file, line: edge.line })]
  })

/** What makes a lock one of something else than one package with what a registry has. */
export const oddities = (lock: YamlMap): ReadonlyArray<PackageProblem> => {
  const patched = lock.get("patchedDependencies")
  const others = [...mapIn(lock, "importers")].filter(([name]) => name !== ".")
  return [
    ...(patched === undefined
      ? []
      : [
          packageProblem(
            "package_patched",
            "The lock has patched packages. Patch what you import in your own source instead.",
            {
              file,
              line: patched.line
            }
          )
        ]),
    ...others
      .slice(0, 1)
      .map(([name, { line }]) =>
        packageProblem(
          "package_workspaces",
          `The lock is of a workspace: it has ${quoted(name)} beside the root. A Project is one package: make a Project of each.`,
          { file, line }
        )
      )
  ]
}

const refusal = (problems: ReadonlyArray<PackageProblem>): ReadLock => ({ _tag: "Refused", problems })

const unreadable = (words: string, code = "lock_unreadable"): ReadLock =>
  refusal([packageProblem(code, `${file} ${words}. ${pnpmMend}`, { file, line: null })])

const lockedBy = (lock: YamlMap, manifest: PackageManifest, { machine, satisfies }: LockReading): ReadLock => {
  const version = textIn(lock, "lockfileVersion") ?? "none"
  if (!/^9\.\d+$|^9$/.test(version)) return unreadable(`is of version ${quoted(version)}; 9 is read`, "lock_version")
  const importers = importersOf(mapIn(mapIn(lock, "importers"), "."))
  const exempt = overridden(lock)
  const graph = new PnpmGraph(lock, machine)
  const edgesOf = (dev: boolean) =>
    importers.filter(({ kind }) => (kind === "devDependencies") === dev).map(({ edge }) => edge)
  const used = graph.add(edgesOf(false), true)
  const direct = new Map([...used, ...graph.add(edgesOf(true), false)])
  const problems = [
    ...manifest.problems,
    ...oddities(lock),
    ...behind(importers, manifest, exempt),
    ...graph.problems,
    ...tooManyPackages(file, graph.nodes.size)
  ]
  // Where an entry was refused, or the lock is of another package.json, that is told alone.
  if (problems.length === 0) problems.push(...unmet(importers, direct, graph, exempt, satisfies))
  if (problems.length > 0) return refusal(problems)
  const packages = [...graph.nodes.values()].map((node) => ({
    path: placeOf(node),
    name: node.name,
    version: node.version,
    integrity: node.integrity,
    dev: !node.used,
    optional: node.optional,
    // The lock does not say it.
    installScript: null,
    ...(node.needs.size === 0 ? {} : { needs: [...node.needs.keys()].sort(compareCodePoints) }),
    line: node.line
  }))
  if (new Set(packages.map(({ path }) => path)).size !== packages.length)
    return unreadable("has two packages for one place")
  return {
    _tag: "Locked",
    lock: {
      file,
      format: "pnpm",
      packages: packages.sort((a, b) => compareCodePoints(a.path, b.path)),
      links: linksOf(graph.nodes, direct),
      direct: directOf(manifest)
    }
  }
}

/** Reads a pnpm-lock.yaml that stands beside this package.json. A parser of YAML takes fifty times the memory of its text. */
export const readPnpmLock = (
  bytes: Uint8Array,
  manifest: PackageManifest,
  reading: LockReading,
  maxBytes: number = LocalLimits.pnpmLockBytes
): ReadLock => {
  if (bytes.length > maxBytes) return unreadable(`is larger than ${maxBytes} bytes`, "lock_over_limit")
  const text = wholeText(bytes)
  if (text === null) return unreadable("is not UTF-8")
  try {
    return lockedBy(readYaml(text), manifest, reading)
  } catch (error) {
    if (error instanceof WrongYaml) return unreadable(error.message)
    throw error
  }
}
