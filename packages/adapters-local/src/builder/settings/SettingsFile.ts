/**
 * Finds and parses the app's wrangler file. Anyone may have written it: its size is bounded, and whatever
 * a parser throws (an overflowing stack too) becomes a problem.
 */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { isValueTooDeep, tooDeep } from "@pawl/core/primitives/Nesting"
import { wholeText } from "@pawl/core/primitives/Utf8"
import { LocalLimits } from "../../LocalLimits.ts"
import * as Jsonc from "jsonc-parser"
import { parse as parseToml, TomlError } from "smol-toml"
import { type Place, problem } from "../bundler/BundlerProblem.ts"

const settingsNames = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"] as const

/** The top of a settings file: values by name, of any type yet. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is an object with names: no list, no null. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** No file, the fields of the one there is, or why it cannot be read. */
export type SettingsFile =
  | { readonly _tag: "None" }
  | { readonly _tag: "Fields"; readonly file: string; readonly fields: Fields; readonly text: string }
  | { readonly _tag: "Refused"; readonly problems: ReadonlyArray<BuildProblem> }

const refused = (code: string, message: string, place: Place = {}): SettingsFile => ({
  _tag: "Refused",
  problems: [problem(code, message, place)]
})

const placeAt = (text: string, offset: number): Place => {
  const lines = text.slice(0, offset).split("\n")
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

const readJson = (file: string, text: string): SettingsFile => {
  const errors: Array<Jsonc.ParseError> = []
  const value: unknown = Jsonc.parse(text, errors, { allowTrailingComma: true })
  const first = errors[0]
  if (first !== undefined) {
    const what = Jsonc.printParseErrorCode(first.error)
    return refused("settings_unreadable", `${file} is not valid JSON: ${what}.`, {
      file,
      ...placeAt(text, first.offset)
    })
  }
  return isFields(value)
    ? { _tag: "Fields", file, fields: value, text }
    : refused("settings_unreadable", `${file} must hold one object.`, { file })
}

const readToml = (file: string, text: string): SettingsFile => {
  try {
    return { _tag: "Fields", file, fields: parseToml(text), text }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The rest of the message quotes the lines around the mistake.
    const what = (error.message.split("\n", 1)[0] ?? "").replace(/^Invalid TOML document: /, "")
    return refused("settings_unreadable", `${file} is not valid TOML: ${what}.`, {
      file,
      line: error.line,
      column: error.column
    })
  }
}

type Contents = ReadonlyMap<string, { readonly content: Uint8Array }>

/** One file of settings, by its path. */
export const readFields = (files: Contents, file: string): SettingsFile => {
  const content = files.get(file)?.content ?? new Uint8Array()
  if (content.byteLength > LocalLimits.appSettingsBytes)
    return refused(
      "settings_unreadable",
      `${file} is ${content.byteLength} bytes; at most ${LocalLimits.appSettingsBytes} are read.`,
      { file }
    )
  const text = wholeText(content)
  if (text === null) return refused("settings_unreadable", `${file} is not UTF-8 text.`, { file })
  const deep = refused("settings_unreadable", `${file} cannot be read: ${tooDeep}.`, { file })
  try {
    const read = file.endsWith(".toml") ? readToml(file, text) : readJson(file, text)
    return read._tag === "Fields" && isValueTooDeep(read.fields) ? deep : read
  } catch {
    return deep
  }
}

/** The one wrangler file of a source tree, parsed. */
export const readSettingsFile = (files: Contents): SettingsFile => {
  const present = settingsNames.filter((name) => files.has(name))
  const file = present[0]
  if (file === undefined) return { _tag: "None" }
  return present.length > 1
    ? refused("settings_ambiguous", `Only one wrangler file may exist; this source has ${present.join(" and ")}.`, {
        file
      })
    : readFields(files, file)
}
