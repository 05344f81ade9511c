/** The packages of a pnpm-lock.yaml as a graph, from the root: what is needed by whom, and what does not fit this machine. */
import { judgedIntegrity } from "@pawl/core/packages/NpmLock"
import { fits, type Machine, needsInWords } from "@pawl/core/packages/PackageMachine"
import {
  foreignSource,
  foreignWords,
  isPackageName,
  isPackageVersion,
  isRegistryAddress
} from "@pawl/core/packages/PackageNames"
import { packageProblem, quoted } from "@pawl/core/packages/PackageProblems"
import type { PackageProblem } from "@pawl/core/packages/PackageStore"
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import { mapIn, textIn, textsIn, type YamlMap } from "./PnpmYaml.ts"

/** What to do about a lock that is of no use, as a sentence. */
export const pnpmMend = "Run `pnpm install --lockfile-only` with pnpm 9 or 10, and commit the lock."

/** One package with its peers: a `snapshot` of the lock. */
export interface PnpmNode {
  /** `name@version(peer@version)`: a name of its own in the lock. */
  readonly key: string
  readonly name: string
  readonly version: string
  readonly integrity: string
  readonly optional: boolean
  readonly line: number
  /** By the name that it imports them under, the keys of what it needs; what was left out is not among them. */
  readonly needs: Map<string, string>
  /** Whether something else than building needs it. */
  used: boolean
}

/** A dependency of the root or of a package. */
export interface PnpmEdge {
  readonly alias: string
  /** A version, or `name@version` under another name, with peers. */
  readonly ref: string
  readonly optional: boolean
  readonly line: number
}

const instead = "Packages come from the registry alone: name a published version."

const edgesIn = (snapshot: YamlMap): ReadonlyArray<PnpmEdge> =>
  ["dependencies", "optionalDependencies"].flatMap((kind) =>
    [...mapIn(snapshot, kind)].map(([alias, { line, value }]) => ({
      alias,
      ref: typeof value === "string" || typeof value === "number" ? String(value) : "",
      optional: kind === "optionalDependencies",
      line
    }))
  )

/** Walks the lock. Each package is judged when something needs it. */
export class PnpmGraph {
  /** By key, in the order in which they are met from the root. */
  readonly nodes = new Map<string, PnpmNode>()
  readonly problems: Array<PackageProblem> = []
  readonly #leftOut = new Set<string>()
  readonly #packages: YamlMap
  readonly #snapshots: YamlMap
  readonly #machine: Machine

  constructor(lock: YamlMap, machine: Machine) {
    this.#packages = mapIn(lock, "packages")
    this.#snapshots = mapIn(lock, "snapshots")
    this.#machine = machine
  }

  #refuse(code: string, message: string, line: number): null {
    this.problems.push(packageProblem(code, message, { file: pnpmLockFile, line }))
    return null
  }

  #leave(key: string): null {
    this.#leftOut.add(key)
    return null
  }

  /** The key of what an edge leads to. */
  #keyOf({ alias, line, ref }: PnpmEdge): string | null {
    for (const key of [`${alias}@${ref}`, ref]) if (this.#snapshots.has(key)) return key
    const foreign = foreignSource(ref)
    return foreign === null
      ? this.#refuse(
          "lock_unreadable",
          `${quoted(alias)} is needed as ${quoted(ref)}, which the lock does not have. ${pnpmMend}`,
          line
        )
      : this.#refuse("package_source", `${quoted(alias)} (${quoted(ref)}) ${foreignWords(foreign)}. ${instead}`, line)
  }

  /** A snapshot, judged; null when it is refused or left out. */
  #judge(key: string, edge: PnpmEdge): PnpmNode | null {
    const snapshot = mapIn(this.#snapshots, key)
    const base = key.split("(", 1)[0]!
    const at = base.indexOf("@", 1)
    const [name, version] = at < 0 ? [base, ""] : [base.slice(0, at), base.slice(at + 1)]
    const line = this.#packages.get(base)?.line ?? this.#snapshots.get(key)?.line ?? edge.line
    if (!isPackageName(name)) return this.#refuse("package_name", `${quoted(name)} is no name of a package.`, line)
    const about = mapIn(this.#packages, base)
    const needs = { os: textsIn(about, "os"), cpu: textsIn(about, "cpu"), libc: textsIn(about, "libc") }
    const optional = edge.optional || snapshot.get("optional")?.value === true
    if (!fits(needs, this.#machine)) {
      if (optional) return this.#leave(key)
      const { cpu, libc, os } = this.#machine
      const words = `${name} is not for this kind of machine (${os} ${cpu} ${libc}): it needs ${needsInWords(needs)}.`
      return this.#refuse("package_machine", words, line)
    }
    const resolution = mapIn(about, "resolution")
    const tarball = textIn(resolution, "tarball")
    const isForeign = ["type", "repo", "directory", "path"].some((field) => resolution.has(field))
    if (!isPackageVersion(version) || isForeign || (tarball !== null && !isRegistryAddress(tarball, name, version))) {
      const source =
        foreignSource(version) ?? (resolution.has("directory") ? "file" : resolution.has("repo") ? "git" : "url")
      return this.#refuse("package_source", `${name} (${quoted(version)}) ${foreignWords(source)}. ${instead}`, line)
    }
    const spot = { file: pnpmLockFile, line }
    const integrity = judgedIntegrity(`${name} ${version}`, textIn(resolution, "integrity"), spot, pnpmMend)
    if ("code" in integrity) return this.#refuse(integrity.code, integrity.message, line)
    return { key, name, version, integrity: integrity.integrity, optional, line, needs: new Map(), used: false }
  }

  /** The package that an edge leads to, walked no further; null when there is none. */
  #meet(edge: PnpmEdge): { readonly node: PnpmNode; readonly isNew: boolean } | null {
    const key = this.#keyOf(edge)
    if (key === null || this.#leftOut.has(key)) return null
    const known = this.nodes.get(key)
    if (known !== undefined) return { node: known, isNew: false }
    const node = this.#judge(key, edge)
    if (node === null) return null
    this.nodes.set(key, node)
    return { node, isNew: true }
  }

  /** Adds what the root needs, and all that follows, the nearest first. Answers the keys by the names they have there. */
  add(edges: ReadonlyArray<PnpmEdge>, used: boolean): ReadonlyMap<string, string> {
    const direct = new Map<string, string>()
    let level: ReadonlyArray<readonly [into: Map<string, string>, edge: PnpmEdge]> = edges.map((edge) => [direct, edge])
    while (level.length > 0) {
      const next: Array<readonly [Map<string, string>, PnpmEdge]> = []
      for (const [into, edge] of level) {
        if (!isPackageName(edge.alias)) {
          this.#refuse("package_name", `${quoted(edge.alias)} is no name of a package.`, edge.line)
          continue
        }
        const met = this.#meet(edge)
        if (met === null) continue
        into.set(edge.alias, met.node.key)
        const goesOn = met.isNew || (used && !met.node.used)
        if (used) met.node.used = true
        if (!goesOn) continue
        const needs = edgesIn(mapIn(this.#snapshots, met.node.key))
        for (const each of needs) next.push([met.node.needs, each])
      }
      level = next
    }
    return direct
  }
}
