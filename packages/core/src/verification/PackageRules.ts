/**
 * What the Policy and the rules of risk make of the packages that a Candidate adds or moves. Those that its base has
 * already are not judged: a rule that is new locks no Project. Pure.
 */
import type { ConcernedPackage, PackageConcern, Plan, PlannedPackages } from "../model/Plan.ts"
import type { PackagePolicy } from "../model/Policy.ts"
import { addedDirect, diffOf } from "../packages/PackageDiff.ts"
import type { PackageLock } from "../packages/PackageLock.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { fitsText } from "../project/Globs.ts"

/** All that is judged. */
export interface PackageInput {
  /** Null without a lock file. */
  readonly base: PackageLock | null
  readonly candidate: PackageLock | null
  /** Paths that the composed tree adds or alters: what is vendored is among them. */
  readonly paths: ReadonlyArray<string>
  readonly policy: PackagePolicy
  /** When a version was published, by `versionKey`. One that is not there is of an unknown age. */
  readonly publishedAtMs: ReadonlyMap<string, number>
  /** Whether a version asks for scripts, by `versionKey`, where its lock does not say. One that is not there is unknown. */
  readonly installScripts: ReadonlyMap<string, boolean>
  readonly nowMs: number
}

/** One version of a package, as a key. */
export const versionKey = (name: string, version: string): string => `${name}@${version}`

/** Whether a name fits one of the names of a Policy. Registries take capitals and small letters for the same. */
const isNamed = (names: ReadonlyArray<string>, name: string): boolean =>
  names.some((each) => fitsText(each.toLowerCase(), name.toLowerCase()))

const refusalOf = ({ allow, deny }: PackagePolicy, name: string): PackageConcern | null => {
  if (deny !== undefined && isNamed(deny, name)) return "denied"
  return allow !== undefined && !isNamed(allow, name) ? "not_allowed" : null
}

/** The names of packages that are vendored under some paths: `@a/b` of `node_modules/c/node_modules/@a/b/index.js`. */
const vendoredOf = (paths: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const path of paths) {
    const [, name] = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/@.][^/]*)\//.exec(path) ?? []
    if (name !== undefined && !found.has(name)) found.set(name, path)
  }
  return found
}

/** Whole days since a moment; 0 for one that is still to come. */
export const ageDaysAt = (nowMs: number, publishedAtMs: number): number =>
  Math.max(0, Math.floor((nowMs - publishedAtMs) / Time.dayMs))

const agesOf = ({ nowMs, policy, publishedAtMs }: PackageInput, name: string, version: string) => {
  if ((policy.minAgeDays ?? 0) <= 0) return null
  const published = publishedAtMs.get(versionKey(name, version))
  if (published === undefined) return { concern: "age_unknown" as const }
  const ageDays = ageDaysAt(nowMs, published)
  return ageDays < (policy.minAgeDays ?? 0) ? { concern: "too_young" as const, ageDays } : null
}

/** What is said of the scripts of a version: the lock's word, else the registry's. */
const scriptsOf = ({ installScripts }: PackageInput, locked: boolean | null, name: string, version: string) => {
  const asks = locked ?? installScripts.get(versionKey(name, version))
  if (asks === false) return null
  return { concern: asks === true ? ("install_script" as const) : ("scripts_unknown" as const) }
}

/** One version that is judged, and what the lock says of its scripts. */
interface Judged extends Pick<ConcernedPackage, "name" | "file" | "line"> {
  readonly version: string
  readonly scripts: boolean | null
}

/** All that the Policy and the rules of risk have against one version. */
const concernsOf = (input: PackageInput, { scripts, ...at }: Judged): ReadonlyArray<ConcernedPackage> => {
  const { name, version } = at
  const refused = refusalOf(input.policy, name)
  const age = agesOf(input, name, version)
  const script = scriptsOf(input, scripts, name, version)
  return [
    ...(refused === null ? [] : [{ concern: refused, ...at }]),
    ...(age === null ? [] : [{ ...age, ...at }]),
    ...(script === null ? [] : [{ ...script, ...at }])
  ]
}

/** The concerns about what locks tell. */
const lockedConcerns = (input: PackageInput): ReadonlyArray<ConcernedPackage> => {
  const changes = diffOf(input.base, input.candidate)
  const told = new Set(changes.flatMap(({ name, to }) => (to === null ? [] : [versionKey(name, to)])))
  const direct = addedDirect(input.base, input.candidate)
  const file = input.candidate?.file ?? null
  const concerns = changes.flatMap(({ line, name, scripts, to }) =>
    to === null ? [] : concernsOf(input, { name, version: to, file, line, scripts })
  )
  const news = direct.map(({ locked, name }): ConcernedPackage => {
    return { concern: "new_direct", name, version: locked?.version ?? null, file, line: locked?.line ?? null }
  })
  // A version that stood in the lock already, for another package: nobody chose it then.
  const older = direct.flatMap(({ locked, name }) => {
    if (locked === null || told.has(versionKey(name, locked.version))) return []
    const { installScript: scripts, line, version } = locked
    return concernsOf(input, { name, version, file, line, scripts })
  })
  return [...concerns, ...news, ...older]
}

const vendoredConcerns = (input: PackageInput): ReadonlyArray<ConcernedPackage> =>
  [...vendoredOf(input.paths)].flatMap(([name, file]) => {
    const refused = refusalOf(input.policy, name)
    return refused === null ? [] : [{ concern: refused, name, version: null, file, line: null }]
  })

const gravity: ReadonlyArray<PackageConcern> = [
  "denied",
  "not_allowed",
  "too_young",
  "age_unknown",
  "install_script",
  "scripts_unknown",
  "new_direct"
]

/** What is to be said of a Candidate's packages, the gravest first; null for nothing. */
export const judgePackages = (input: PackageInput): PlannedPackages | null => {
  const concerns = [...lockedConcerns(input), ...vendoredConcerns(input)].toSorted(
    (one, other) => gravity.indexOf(one.concern) - gravity.indexOf(other.concern)
  )
  return concerns.length === 0 ? null : { concerns: concerns.slice(0, Limits.packagesNamed), count: concerns.length }
}

/** The concerns that a Policy has, and not the rules of risk. */
const ofPolicy: ReadonlyArray<PackageConcern> = ["denied", "not_allowed", "too_young", "age_unknown"]

/**
 * What another Policy would say of the packages that a plan names. Others that the Candidate brings are named nowhere: of
 * those nothing is known.
 */
export const judgedAnew = (packages: PlannedPackages | undefined, policy: PackagePolicy): PlannedPackages | null => {
  if (packages === undefined) return null
  const said = new Map(packages.concerns.map((each) => [`${each.name}@${each.version}`, each]))
  const refused = [...said.values()].flatMap((each): ReadonlyArray<ConcernedPackage> => {
    const concern = refusalOf(policy, each.name)
    const { ageDays: _age, ...at } = each
    return concern === null ? [] : [{ ...at, concern }]
  })
  const least = policy.minAgeDays ?? 0
  const others = packages.concerns.filter(({ ageDays, concern }) => {
    if (concern === "too_young") return ageDays !== undefined && ageDays < least
    return concern === "age_unknown" ? least > 0 : !ofPolicy.includes(concern)
  })
  const concerns = [...refused, ...others]
  return concerns.length === 0 ? null : { concerns, count: concerns.length }
}

/** The versions that the registry is asked about: those whose age the Policy asks for, and whose lock says nothing of scripts. */
export const factsWanted = (
  base: PackageLock | null,
  candidate: PackageLock | null,
  policy: PackagePolicy
): ReadonlyArray<{ readonly name: string; readonly version: string }> => {
  const asksAge = (policy.minAgeDays ?? 0) > 0
  const moved = diffOf(base, candidate)
  const direct = addedDirect(base, candidate).flatMap(({ locked, name }) =>
    locked === null ? [] : [{ name, to: locked.version, scripts: locked.installScript }]
  )
  const wanted = [...moved, ...direct].flatMap(({ name, scripts, to: version }) =>
    version !== null && (asksAge || scripts === null) ? [[versionKey(name, version), { name, version }] as const] : []
  )
  return [...new Map(wanted).values()]
}

/** Those that the Policy refuses. */
export const refusedPackages = (packages: PlannedPackages | null): ReadonlyArray<ConcernedPackage> =>
  (packages?.concerns ?? []).filter(({ concern }) => concern === "denied" || concern === "not_allowed")

/** The least risk of a Candidate with such packages; null where they say nothing. */
export const packageRisk = (packages: PlannedPackages | null): "high" | "medium" | null => {
  if (packages === null || packages.concerns.length === 0) return null
  return packages.concerns.some(({ concern }) => concern !== "new_direct") ? "high" : "medium"
}

const placeOf = ({ file, line }: ConcernedPackage): string =>
  file === null ? "" : line === null ? `${file}: ` : `${file}:${line}: `

const wordsOf = (concern: ConcernedPackage, policyVersion: number): string => {
  const policy = `the Project's Policy (version ${policyVersion})`
  switch (concern.concern) {
    case "denied":
      return `${policy} denies it (packages.deny). Take the package out, or let an admin change the Policy.`
    case "not_allowed":
      return `${policy} does not allow it (packages.allow). Take the package out, or let an admin change the Policy.`
    case "too_young":
      return `it was published ${concern.ageDays ?? 0} day(s) ago, later than ${policy} asks for (packages.minAgeDays).`
    case "age_unknown":
      return `the registry did not say when it was published, and ${policy} asks for an age (packages.minAgeDays).`
    case "install_script":
      return "it asks for scripts when it is installed, which never run here."
    case "scripts_unknown":
      return "neither its lock nor the registry said whether it asks for scripts when it is installed."
    case "new_direct":
      return "package.json asks for it, and the base's does not."
  }
}

/** One concern of a plan in a line: where, what, and why. */
export const concernInWords = (concern: ConcernedPackage, plan: Pick<Plan, "policyVersion">): string => {
  const version = concern.version === null ? "" : `@${concern.version}`
  return `${placeOf(concern)}${concern.name}${version}: ${wordsOf(concern, plan.policyVersion)}`
}
