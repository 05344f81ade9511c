/** Says in words why pnpm made no lock. */
import type { PackageProblem } from "@pawl/core/packages/PackageStore"
import { short } from "@pawl/core/primitives/ShortText"
import { problem } from "./LockInput.ts"
import { type Fields, isFields, own } from "./PackageFields.ts"
import { foreignPackage } from "./PnpmRegistry.ts"

const text = (fields: Fields, name: string): string => {
  const value = own(fields, name)
  return typeof value === "string" ? value : ""
}

const messageOf = (error: Fields, url: string): string => {
  const inner = own(error, "err")
  const message = text(isFields(inner) ? inner : error, "message")
  return short(message.replaceAll(url, "").replaceAll(/%2f/gi, "/").split("\n", 1)[0]!.trim().replace(/\.$/, ""))
}

/** Which package needs it; nothing for package.json itself. */
const neededBy = (error: Fields): string => {
  const stack = own(error, "pkgsStack")
  const last: unknown = Array.isArray(stack) ? stack.at(-1) : undefined
  return isFields(last) ? `${text(last, "name")}@${text(last, "version")}` : ""
}

const codeOf = (error: Fields): string => {
  const inner = own(error, "err")
  return text(error, "code") || text(isFields(inner) ? inner : {}, "code")
}

/** The package that there is not, and as what it was asked for. */
const missing = (message: string): string =>
  /^No matching version found for (\S+)/.exec(message)?.[1] ?? /^GET (\S+): /.exec(message)?.[1] ?? message

/** Why no lock can be made. `url`: the registry that pnpm saw. `offline`: only versions of the given locks could be taken. */
export const whyPnpmRefused = (error: Fields, url: string, offline: boolean): ReadonlyArray<PackageProblem> => {
  const [by, code, message] = [neededBy(error), codeOf(error), messageOf(error, url)]
  const whose = by === "" ? "" : `, which ${by} needs`
  if (message.includes(foreignPackage) || code === "ERR_PNPM_EXOTIC_SUBDEP")
    return [
      problem(
        "package_source",
        `${by === "" ? "A dependency" : by} needs what is no package of the registry. Use a release of it without git, file or URL dependencies.`
      )
    ]
  if (["ERR_PNPM_FETCH_404", "ERR_PNPM_NO_MATCHING_VERSION", "ERR_PNPM_NO_VERSIONS"].includes(code))
    return offline
      ? [problem("lock_conflict", `Neither lock has a version that fits ${missing(message)}${whose}.`)]
      : [problem("package_missing", `There is no such package or version: ${missing(message)}${whose}.`)]
  return [problem("lock_not_made", `No lock can be made for this package.json: ${message || "pnpm does not say why"}.`)]
}
