/** The scripts of a package.json. They stand apart from `PawlFile`: the process of a build loads no Effect for them. */
import { isTextTooDeep } from "../primitives/Nesting.ts"

/** The file whose scripts are the checks where no `pawl.json` stands. */
export const packageFile = "package.json"

/** The scripts of a package.json, by name. */
export type Scripts = Readonly<Record<string, string>>

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const recordOf = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const read: unknown = JSON.parse(text)
    return isRecord(read) ? read : null
  } catch {
    return null
  }
}

const isScripts = (value: unknown): value is Scripts =>
  isRecord(value) && Object.values(value).every((script) => typeof script === "string")

/** None for a text that is no package.json, or where one of them is no text. */
export const scriptsOf = (text: string): Scripts => {
  const read = recordOf(text)
  const scripts = read !== null && Object.hasOwn(read, "scripts") ? read["scripts"] : {}
  return isScripts(scripts) ? scripts : {}
}

/** A package.json with some scripts put over its own; null for a text that is none. */
export const withScripts = (text: string, scripts: Scripts): string | null => {
  const read = isTextTooDeep(text) ? null : recordOf(text)
  return read === null ? null : JSON.stringify({ ...read, scripts: { ...scriptsOf(text), ...scripts } })
}
