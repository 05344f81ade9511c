/** Says so when a package.json asks for another major version of a vendored package than the app is built with. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { Limits } from "@pawl/core/primitives/Limits"
import { exactText } from "@pawl/core/primitives/Utf8"
import { problem } from "../bundler/BundlerProblem.ts"
import { asksForAnother, vendoredFolder, vendoredPackages } from "./VendoredPackages.ts"

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const rangesOf = (content: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(exactText(content) ?? "")
    const field = isMap(value) ? value["dependencies"] : undefined
    return isMap(field) ? field : {}
  } catch {
    return {}
  }
}

/**
 * Warnings for vendored packages that package.json asks for in another version. A copy in the source's own
 * node_modules is what is built with, and needs no word.
 */
export const versionWarnings = (source: ReadonlyMap<string, Uint8Array>): ReadonlyArray<BuildProblem> => {
  const file = "package.json"
  const ranges = rangesOf(source.get(file) ?? new Uint8Array())
  return vendoredPackages.flatMap((vendored) => {
    const range = Object.hasOwn(ranges, vendored.name) ? ranges[vendored.name] : undefined
    if (typeof range !== "string" || source.has(`${vendoredFolder(vendored.name)}/package.json`)) return []
    const text = `This asks for ${vendored.name} ${range.slice(0, Limits.repeatedNameLength)}; apps are built with ${vendored.version}.`
    return asksForAnother(vendored, range) ? [problem("package_version", text, { file })] : []
  })
}
