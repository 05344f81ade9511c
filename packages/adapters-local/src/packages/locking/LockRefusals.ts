/** Says in words why no lock can be made, from what the making of it threw. */
import type { PackageProblem } from "@pawl/core/packages/PackageStore"
import { short } from "@pawl/core/primitives/ShortText"
import { problem } from "./LockInput.ts"
import { type Fields, isFields, own } from "./PackageFields.ts"

const text = (fields: Fields, name: string): string | null => {
  const value = own(fields, name)
  return typeof value === "string" ? short(value) : null
}

const inside = (fields: Fields, ...names: ReadonlyArray<string>): Fields => {
  let at: unknown = fields
  for (const name of names) at = isFields(at) ? own(at, name) : undefined
  return isFields(at) ? at : {}
}

const asked = (fields: Fields): string => {
  const pkgid = text(fields, "pkgid") ?? text(inside(fields, "spec"), "raw")
  const wanted = text(fields, "wanted")
  const from = text(fields, "requiredBy")
  const what = pkgid ?? wanted ?? text(fields, "name404") ?? "a package"
  const by = from === null || from === "" || from === "." ? "" : `, which ${from} needs`
  return `${what}${by}`
}

const conflict = (fields: Fields): string => {
  const [edge, current] = [inside(fields, "edge"), inside(fields, "current")]
  const wanted = `${text(edge, "name") ?? "a package"}@${text(edge, "spec") ?? "?"}`
  const by = text(inside(edge, "from"), "name")
  const there = text(current, "version")
  const instead = there === null ? "" : `, and ${text(current, "name") ?? "it"}@${there} is there`
  return `${wanted}${by === null ? "" : `, which ${by} needs,`} does not fit the other packages${instead}`
}

/** Why no lock can be made. `offline`: only versions of the given locks could be taken. */
export const whyRefused = (error: unknown, offline: boolean): ReadonlyArray<PackageProblem> => {
  const fields: Fields = typeof error === "object" && error !== null ? { ...error } : {}
  const code = text(fields, "code") ?? ""
  if (code === "ERESOLVE")
    return [problem("lock_conflict", `The packages do not fit each other: ${conflict(fields)}. Choose another range.`)]
  if (["ETARGET", "ENOVERSIONS", "E404"].includes(code))
    return offline
      ? [problem("lock_conflict", `Neither lock has a version that fits ${asked(fields)}: ${short(messageOf(error))}.`)]
      : [
          problem(
            "package_missing",
            `There is no such package or version: ${asked(fields)} (${short(messageOf(error))}).`
          )
        ]
  if (code.startsWith("EALLOW"))
    return [
      problem(
        "package_source",
        `${text(fields, "package") ?? "A dependency"} is needed by ${text(fields, "requiredBy") ?? "a package"}, and is no package of the registry. Use a release of ${text(fields, "requiredBy") ?? "that package"} without git, file or URL dependencies.`
      )
    ]
  if (code === "EBADPLATFORM")
    return [
      problem(
        "package_machine",
        `${text(fields, "pkgid") ?? "A package"} does not run on Linux of this kind. Use another one.`
      )
    ]
  return [problem("lock_not_made", `No lock can be made for this package.json: ${short(messageOf(error))}.`)]
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message.replace(/\.$/, "") : "unknown")
