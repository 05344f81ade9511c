/** What stands in a layer, and what does not: decided of unpacked packages, wherever their files are kept. */
import { isBelowAny } from "@pawl/core/packages/NpmLock"
import { type LayeredPackage, type PackageProblem, PackagesRefused } from "@pawl/core/packages/PackageStore"
import type { OrderedPackage } from "./InstallMessages.ts"
import { scriptNeeded } from "./InstallScripts.ts"
import type { UnpackedFacts } from "./UnpackedFacts.ts"

/** A package at its place. */
export interface LaidPackage {
  readonly ordered: OrderedPackage
  readonly facts: UnpackedFacts
}

/** What a layer may come to. */
export interface LayerBounds {
  readonly layerBytes: number
  readonly layerFiles: number
}

/** One reason why a package is refused; its place is told by who knows the lock. */
export const refusedPackage = (code: string, message: string): PackagesRefused =>
  new PackagesRefused({ problems: [{ code, message, file: null, line: null }] })

/** What a registry sent is not what the lock says. */
export const otherDigest = ({ integrity, name, version }: OrderedPackage): PackagesRefused =>
  refusedPackage(
    "integrity_mismatch",
    `${name}@${version} is not what the lock says: what the registry sends has another digest than ${integrity.slice(0, 20)}…. It was changed there, or in the lock.`
  )

/** What a package says of its programs cannot be. `words` go on after the package. */
export const wrongPrograms = ({ name, version }: OrderedPackage, words: string): PackagesRefused =>
  refusedPackage("package_program", `${name}@${version} cannot be used: it ${words}.`)

/** A package cannot stand where it should, because another's files are in its way. */
export const clashProblem = ({ line, name, path, version }: OrderedPackage, file: string): PackageProblem => ({
  code: "package_place",
  message: `${name}@${version} cannot stand at ${path}: files of another package are in its way.`,
  file,
  line
})

/** Each archive once, by the first place that asks for it. */
export const archivesOf = (packages: ReadonlyArray<OrderedPackage>): ReadonlyArray<OrderedPackage> =>
  [...new Map(packages.toReversed().map((each) => [each.integrity, each])).values()].toReversed()

/** What of the packages is over a bound, with the biggest of them; `leastBytes` are known of those that were not placed. */
const overBounds = (
  placed: ReadonlyArray<LaidPackage>,
  leastBytes: number,
  { layerBytes, layerFiles }: LayerBounds
): PackageProblem | null => {
  const bytes = Math.max(
    leastBytes,
    placed.reduce((sum, { facts }) => sum + facts.bytes, 0)
  )
  const files = placed.reduce((sum, { facts }) => sum + facts.files.length, 0)
  const told = (what: string, size: (facts: UnpackedFacts) => number, code: string): PackageProblem => {
    const biggest = placed.toSorted((a, b) => size(b.facts) - size(a.facts)).slice(0, 3)
    const names = biggest.map(({ facts }) => `${facts.name}@${facts.version} (${size(facts)})`).join(", ")
    return { code, message: `${what}. The biggest are ${names}.`, file: null, line: biggest[0]?.ordered.line ?? null }
  }
  if (bytes > layerBytes)
    return told(
      `The packages unpack to ${bytes} bytes or more; ${layerBytes} may be installed`,
      (facts) => facts.bytes,
      "packages_over_limit"
    )
  if (files > layerFiles)
    return told(
      `The packages have ${files} files or more; ${layerFiles} may be installed`,
      (facts) => facts.files.length,
      "packages_over_limit"
    )
  return null
}

/** The packages of a layer as they are found, and what is refused of them; the order of the lock is restored at the end. */
export class FoundPackages {
  readonly #facts = new Map<string, UnpackedFacts>()
  readonly #problems: Array<{ readonly at: number; readonly problem: PackageProblem }> = []
  readonly #file: string
  readonly #packages: ReadonlyArray<OrderedPackage>
  readonly #bounds: LayerBounds
  #bytes = 0

  constructor(
    { file, packages }: { readonly file: string; readonly packages: ReadonlyArray<OrderedPackage> },
    bounds: LayerBounds
  ) {
    this.#file = file
    this.#packages = packages
    this.#bounds = bounds
  }

  /** Whether what was found is too much already: nothing more needs to be had. */
  get isFull(): boolean {
    return this.#bytes > this.#bounds.layerBytes
  }

  add({ integrity }: OrderedPackage, facts: UnpackedFacts): void {
    this.#bytes += facts.bytes
    this.#facts.set(integrity, facts)
  }

  refuse(wanted: OrderedPackage, problems: ReadonlyArray<PackageProblem>): void {
    const at = this.#packages.indexOf(wanted)
    for (const problem of problems)
      this.#problems.push({ at, problem: { ...problem, file: this.#file, line: wanted.line } })
  }

  /** The packages that stand in the layer, by path: without what is optional and cannot be used. */
  #placed(): ReadonlyArray<LaidPackage> {
    const leftOut = new Set<string>()
    const placed: Array<LaidPackage> = []
    for (const ordered of this.#packages) {
      const facts = this.#facts.get(ordered.integrity)
      if (facts === undefined) continue
      if (facts.name !== ordered.name || facts.version !== ordered.version)
        this.refuse(ordered, [
          refusedPackage(
            "package_not_as_locked",
            `${ordered.name}@${ordered.version} cannot be used: its archive is that of ${facts.name}@${facts.version}.`
          ).problems[0]!
        ])
      else if (!facts.needsScript) placed.push({ ordered, facts })
      else if (ordered.optional) leftOut.add(ordered.path)
      else
        this.refuse(ordered, [
          refusedPackage("install_script_needed", scriptNeeded(ordered.name, ordered.version, facts.scripts))
            .problems[0]!
        ])
    }
    return leftOut.size === 0 ? placed : placed.filter(({ ordered }) => !isBelowAny(ordered.path, leftOut))
  }

  /** The packages by path, or all that is wrong, in the order of the lock. */
  judged(): { readonly placed: ReadonlyArray<LaidPackage> } | { readonly problems: ReadonlyArray<PackageProblem> } {
    const placed = this.#placed()
    const over = overBounds(placed, this.#bytes, this.#bounds)
    const problems = [
      ...this.#problems.toSorted((a, b) => a.at - b.at).map(({ problem }) => problem),
      ...(over === null ? [] : [{ ...over, file: this.#file }])
    ]
    return problems.length > 0 ? { problems } : { placed }
  }
}

/** Files of a package that the lock does not put something else in the place of: what it has bundled gives way. */
export const standing = ({ facts, ordered }: LaidPackage, places: ReadonlySet<string>): ReadonlyArray<string> =>
  facts.files.filter((file) => {
    if (!file.startsWith("node_modules/")) return true
    for (let end = file.indexOf("/", 13); end >= 0; end = file.indexOf("/", end + 1))
      if (places.has(`${ordered.path}/${file.slice(0, end)}`)) return false
    return !places.has(`${ordered.path}/${file}`)
  })

/** A package as its layer names it. `dev` depends on the lock, not on the layer. */
export const layered = ({ facts, ordered }: LaidPackage): LayeredPackage => ({
  path: ordered.path,
  name: ordered.name,
  version: ordered.version,
  integrity: ordered.integrity,
  dev: false,
  license: facts.license,
  scripts: facts.scripts
})
