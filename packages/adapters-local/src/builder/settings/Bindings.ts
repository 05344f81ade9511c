/** Says of each binding that an app cannot have what there is instead. */
import { Limits } from "@pawl/core/primitives/Limits"
import { bindingAdvice, bindingFields, frameworkBindings } from "./SettingsFields.ts"
import { type Fields, isFields } from "./SettingsFile.ts"

const shownNames = 3

const namesIn = (value: unknown, depth: number): ReadonlyArray<string> => {
  if (depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((one) => namesIn(one, depth - 1))
  if (!isFields(value)) return []
  for (const field of ["binding", "name"]) {
    const name = Object.hasOwn(value, field) ? value[field] : undefined
    if (typeof name === "string") return [name]
  }
  return Object.values(value).flatMap((one) => (Array.isArray(one) ? namesIn(one, depth - 1) : []))
}

/** What the app's code would call them: `env.CACHE`. */
const asked = (field: string, value: unknown): string => {
  const named = field === "vars" && isFields(value) ? Object.keys(value) : namesIn(value, 4)
  const names = [...new Set(named)]
    .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name.length <= Limits.repeatedNameLength)
    .map((name) => `env.${name}`)
  if (names.length === 0) return ""
  const more = names.length > shownNames ? ", …" : ""
  return ` (${names.slice(0, shownNames).join(", ")}${more})`
}

/** Whether a value says nothing, however many empty lists and objects it is made of. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (Array.isArray(value) ? value.length === 0 : isFields(value) && Object.values(value).every(isEmpty))

/** The sentence for a field that asks for a binding; null for any other field, and for one that is empty. */
export const bindingSentence = (field: string, value: Fields[string]): string | null => {
  if (!Object.hasOwn(bindingFields, field) || isEmpty(value)) return null
  const advice = Object.hasOwn(bindingAdvice, field) ? `; ${bindingAdvice[field]}` : ""
  return `"${field}"${asked(field, value)} asks for ${bindingFields[field]}, which an app cannot have: its env holds only ASSETS and DATA${advice}.`
}

/** Whether a field of generated settings is no more than what a framework writes there by itself. */
export const isFrameworks = (field: string, value: Fields[string]): boolean => {
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (!Object.hasOwn(frameworkBindings, field) || !isFields(one)) return false
  return Object.keys(one).length === 1 && one["binding"] === frameworkBindings[field]
}
