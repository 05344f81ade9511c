/**
 * Looks again at files that Pawl is said to have made while it composed: by the audit's own code. One is as it should be
 * when it has the digest that the Candidate's record names, and is a lock that fits its package.json, or what two
 * package.json come to. Nothing else may be derived.
 */
import { Effect } from "effect"
import type { DerivedFile } from "../model/DerivedFile.ts"
import { canonicalJson, sha256 } from "../primitives/Digest.ts"
import { isTextTooDeep } from "../primitives/Nesting.ts"
import type { RepositoryRef } from "../project/Repositories.ts"
import { wholeText } from "../primitives/Utf8.ts"
import { readBytes } from "../project/Source.ts"
import { readPnpmText } from "../packages/PnpmLockText.ts"
import { pnpmStranger, pnpmUnfit } from "./DerivedPnpmLock.ts"

/** The trees of one merge, by their ids, and the repository that holds them. */
export interface DerivingTrees {
  readonly ref: RepositoryRef
  readonly base: string
  readonly ours: string
  readonly theirs: string
  readonly result: string
}

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (bytes: Uint8Array | null): Json | null => {
  try {
    const text = bytes === null ? null : wholeText(bytes)
    const value: unknown = text === null || isTextTooDeep(text) ? null : JSON.parse(text)
    return isJson(value) ? value : null
  } catch {
    return null
  }
}

const at = (object: Json, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)
const part = (object: Json, key: string): Json => {
  const value = at(object, key)
  return isJson(value) ? value : {}
}
const isEqual = (one: unknown, other: unknown): boolean =>
  one === undefined || other === undefined ? one === other : canonicalJson(one) === canonicalJson(other)

const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]

/** What a package.json needs of one kind: what may be missing is not needed. */
const needs = (object: Json, kind: string): Json => {
  const all = Object.entries(part(object, kind))
  const optional = part(object, "optionalDependencies")
  return Object.fromEntries(kind === "dependencies" ? all.filter(([name]) => !Object.hasOwn(optional, name)) : all)
}

/** A package of a lock as it is compared: which one it is, and by what it is checked. */
const packages = (lock: Json | null): ReadonlyMap<string, Json> =>
  new Map(
    Object.entries(lock === null ? {} : part(lock, "packages")).flatMap(([path, entry]) =>
      path !== "" && isJson(entry) ? [[path, entry] as const] : []
    )
  )

const nameOf = (path: string, entry: Json): string => {
  const name = at(entry, "name")
  return typeof name === "string" ? name : path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
}

const identity = (path: string, entry: Json): string =>
  [nameOf(path, entry), at(entry, "version"), at(entry, "integrity")].map(String).join(" ")

const entryProblem = (path: string, entry: Json): string | null => {
  if (at(entry, "inBundle") === true) return null
  const [resolved, integrity] = [at(entry, "resolved"), at(entry, "integrity")]
  if (!path.startsWith("node_modules/") || at(entry, "link") === true) return `${path} is no package of a registry`
  // npm can be told to leave addresses out: then each package is one of the registry.
  if (resolved !== undefined && !(typeof resolved === "string" && resolved.startsWith("https://registry.npmjs.org/")))
    return `${path} comes from elsewhere than the registry`
  return typeof integrity === "string" && /^sha\d+-/.test(integrity) ? null : `${path} has no integrity`
}

/** Why a lock does not fit a package.json; null when it does. */
const unfit = (lock: Json | null, manifest: Json | null): string | null => {
  if (lock === null || manifest === null || at(lock, "lockfileVersion") !== 3) return "it is no lock of a package.json"
  const root = part(part(lock, "packages"), "")
  const entries = packages(lock)
  const peers = part(manifest, "peerDependenciesMeta")
  for (const kind of kinds) {
    if (!isEqual(needs(manifest, kind), needs(root, kind))) return `its ${kind} are not those of package.json`
    const mayMiss = (name: string) =>
      kind === "optionalDependencies" || (kind === "peerDependencies" && at(part(peers, name), "optional") === true)
    for (const name of Object.keys(needs(manifest, kind)))
      if (!entries.has(`node_modules/${name}`) && !mayMiss(name)) return `it has no ${name}`
  }
  for (const [path, entry] of entries) {
    const problem = entryProblem(path, entry)
    if (problem !== null) return problem
  }
  return null
}

/** Why a value is not what three sides come to; entries of the same field are looked at one by one. */
const unmerged = (base: unknown, ours: unknown, theirs: unknown, result: unknown, depth: number): boolean => {
  if (isEqual(ours, theirs) || isEqual(theirs, base)) return !isEqual(result, ours)
  if (isEqual(ours, base)) return !isEqual(result, theirs)
  const all = [base, ours, theirs, result].map((each) => each ?? {})
  if (depth === 0 || !all.every(isJson)) return true
  const [b = {}, o = {}, t = {}, r = {}] = all
  const keys = new Set([b, o, t, r].flatMap((each) => Object.keys(each)))
  return [...keys].some((key) => unmerged(at(b, key), at(o, key), at(t, key), at(r, key), depth - 1))
}

const lockProblem = Effect.fnUntraced(function* (trees: DerivingTrees, why: DerivedFile["why"], bytes: Uint8Array) {
  const { ours, ref, result, theirs } = trees
  const lock = parse(bytes)
  const problem = unfit(lock, parse(yield* readBytes(ref, result, "package.json")))
  if (problem !== null || why === "made") return problem
  const known = new Set<string>()
  for (const tree of [ours, theirs])
    for (const [path, entry] of packages(parse(yield* readBytes(ref, tree, "package-lock.json"))))
      known.add(identity(path, entry))
  for (const [path, entry] of packages(lock))
    if (!known.has(identity(path, entry))) return `${identity(path, entry)} stands in neither of the two locks`
  return null
})

const pnpmLockProblem = Effect.fnUntraced(function* (trees: DerivingTrees, why: DerivedFile["why"], bytes: Uint8Array) {
  const { ours, ref, result, theirs } = trees
  const lock = readPnpmText(bytes)
  const problem = pnpmUnfit(lock, parse(yield* readBytes(ref, result, "package.json")))
  if (problem !== null || lock === null || why === "made") return problem
  const sides = yield* Effect.forEach([ours, theirs], (tree) =>
    Effect.map(readBytes(ref, tree, "pnpm-lock.yaml"), (side) => (side === null ? null : readPnpmText(side)))
  )
  const stranger = pnpmStranger(
    lock,
    sides.filter((side) => side !== null)
  )
  return stranger === null ? null : `${stranger} stands in neither of the two locks`
})

const manifestProblem = Effect.fnUntraced(function* ({ base, ours, ref, theirs }: DerivingTrees, bytes: Uint8Array) {
  const sides = [
    parse(yield* readBytes(ref, base, "package.json")) ?? {},
    parse(yield* readBytes(ref, ours, "package.json")),
    parse(yield* readBytes(ref, theirs, "package.json"))
  ]
  const [b, o, t] = sides
  const result = parse(bytes)
  if (o === null || t === null || result === null) return "it is no merge of two package.json"
  // Of `pnpm`, the entries of its fields.
  return unmerged(b, o, t, result, 3) ? "it is not what both sides come to" : null
})

/** What is wrong with the files that were derived in one merge, and the paths of those that are as they should be. */
export const derivedFiles = Effect.fnUntraced(function* (trees: DerivingTrees, derived: ReadonlyArray<DerivedFile>) {
  const accepted = new Set<string>()
  const problems: Array<string> = []
  for (const { path, sha256: digest, why } of derived) {
    const wrong = (what: string) => problems.push(`${path} was derived, and ${what}`)
    const bytes = yield* readBytes(trees.ref, trees.result, path)
    if (!["package-lock.json", "pnpm-lock.yaml", "package.json"].includes(path)) wrong("no such file is derived")
    else if (bytes === null) wrong("it is not there")
    else if ((yield* sha256(bytes)) !== digest) wrong("it has not the digest that the Candidate's record names")
    else {
      const judged = path === "pnpm-lock.yaml" ? pnpmLockProblem : lockProblem
      const problem = path === "package.json" ? yield* manifestProblem(trees, bytes) : yield* judged(trees, why, bytes)
      if (problem === null) accepted.add(path)
      else wrong(problem)
    }
  }
  return { accepted, problems }
})
