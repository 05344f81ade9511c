/** The package.json inside an archive: read with bounds, and held against what the lock says. */
import { Result } from "effect"
import parseVersion from "semver/functions/parse.js"
import { LocalLimits } from "../LocalLimits.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

/** A package.json, with no key `__proto__` anywhere in it. What its fields hold is the package's word. */
export type PackageManifest = Readonly<Record<string, unknown>>

/** How deep brackets stand in each other in a JSON text, those in its strings left out. */
const depthOf = (text: string): number => {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === 0x5c) at++
      else if (code === 0x22) quoted = false
    } else if (code === 0x22) quoted = true
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
  }
  return deepest
}

/** Reads JSON that others wrote, no deeper than `packageJsonDepth`; keys `__proto__` are left out. Fails with what is wrong. */
export const foreignJson = (text: string): Result.Result<unknown, string> => {
  if (depthOf(text) > LocalLimits.packageJsonDepth)
    return Result.fail(`goes deeper than ${LocalLimits.packageJsonDepth} levels`)
  try {
    return Result.succeed(JSON.parse(text, (key, value: unknown) => (key === "__proto__" ? undefined : value)))
  } catch {
    return Result.fail("is not JSON")
  }
}

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Versions are one when they are one to npm, which takes spaces, `v`, `=` and what stands after `+` away. */
const sameVersion = (one: string, other: string): boolean => {
  const left = parseVersion(one, { loose: true })
  const right = parseVersion(other, { loose: true })
  return left === null || right === null ? one.trim() === other.trim() : left.version === right.version
}

/** Reads the package.json of `name` in `version`. Fails with what is wrong, as a sentence goes on after "its package.json". */
export const readManifest = (
  content: Uint8Array,
  expected: { readonly name: string; readonly version: string }
): Result.Result<PackageManifest, string> => {
  if (content.length > LocalLimits.packageManifestBytes)
    return Result.fail(`is over ${LocalLimits.packageManifestBytes} bytes`)
  const read = foreignJson(textOf(content))
  if (Result.isFailure(read)) return Result.fail(read.failure)
  if (!isObject(read.success)) return Result.fail("is not an object")
  const { name, version } = read.success
  if (typeof name !== "string" || name.trim() !== expected.name) return Result.fail("has another name than the lock")
  if (typeof version !== "string" || !sameVersion(version, expected.version))
    return Result.fail("has another version than the lock")
  return Result.succeed(read.success)
}

/** Whether a package says that it brings packages of its own in its `node_modules`. */
export const bringsPackages = (manifest: PackageManifest): boolean =>
  [manifest["bundleDependencies"], manifest["bundledDependencies"]].some(
    (bundled) => bundled === true || (Array.isArray(bundled) && bundled.length > 0)
  )
