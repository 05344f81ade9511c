/** Adds a package to a package.json as npm does: sorted, in one of its lists alone, and all else as it was. */
import { Result } from "effect"
import { compareCodePoints } from "../primitives/CodePoints.ts"
import { Limits } from "../primitives/Limits.ts"
import { type ManifestText, objectOf, readManifestText, writeManifest } from "./ManifestText.ts"
import { isObject, type JsonObject } from "./PackageManifest.ts"
import { aliasOf, foreignSource, foreignWords, isPackageName } from "./PackageNames.ts"
import { quoted } from "./PackageProblems.ts"

/** What is to be added. */
export interface AddedPackage {
  readonly name: string
  /** What package.json asks for: a version, a range, a tag such as `latest`, or an alias. */
  readonly range: string
  /** Whether only building and checking needs it. */
  readonly dev: boolean
}

const lists = ["dependencies", "devDependencies", "optionalDependencies"] as const

const rangeForm = /^[\w.*^~<>=|+@/: -]+$/

/** What is wrong with what is asked for, in words; null when nothing is. */
const problem = ({ name, range }: AddedPackage): string | null => {
  if (!isPackageName(name)) return `${quoted(name)} is no name of a package`
  const foreign = foreignSource(range)
  if (foreign !== null)
    return `${quoted(range)} ${foreignWords(foreign)}: packages come from the registry alone, name a version or a range`
  const alias = aliasOf(range)
  if (alias !== null && !isPackageName(alias.name)) return `${quoted(alias.name)} is no name of a package`
  const plain = alias === null ? range : alias.range
  if (range.length > Limits.packageRangeLength || !rangeForm.test(range) || /[/:@]/.test(plain))
    return `${quoted(range)} is no version and no range`
  return null
}

const empty: ManifestText = { object: { private: true }, indent: "  ", ending: "\n" }

const listOf = (object: JsonObject, name: string): JsonObject => {
  const list = object[name]
  return isObject(list) ? list : {}
}

const without = (list: JsonObject, name: string): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(list).filter(([each]) => each !== name)

/** The package.json with a package more, or why there can be none. Without one it begins. */
export const addPackage = (bytes: Uint8Array | null, added: AddedPackage): Result.Result<Uint8Array, string> => {
  const wrong = problem(added)
  if (wrong !== null) return Result.fail(wrong)
  const read = bytes === null ? empty : readManifestText(bytes)
  if ("wrong" in read) return Result.fail(`package.json cannot be read: ${read.wrong}`)
  const { name, range } = added
  const list = added.dev ? "devDependencies" : "dependencies"
  const sorted = [...without(listOf(read.object, list), name), [name, range] as const].toSorted(([a], [b]) =>
    compareCodePoints(a, b)
  )
  const entries = Object.entries(read.object).flatMap(([key, value]) => {
    if (key === list) return [[key, objectOf(sorted)] as const]
    if (!lists.some((each) => each === key) || !isObject(value) || !Object.hasOwn(value, name))
      return [[key, value] as const]
    const rest = without(value, name)
    return rest.length === 0 ? [] : [[key, objectOf(rest)] as const]
  })
  const isThere = Object.hasOwn(read.object, list)
  return Result.succeed(writeManifest(read, objectOf(isThere ? entries : [...entries, [list, objectOf(sorted)]])))
}
