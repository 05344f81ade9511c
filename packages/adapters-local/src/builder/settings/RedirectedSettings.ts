/**
 * The settings that a build goes by. Where a build command leaves `.wrangler/deploy/config.json`, its `configPath` names
 * them, as with wrangler: relative to that file, inside the source. The project's own file then only says where a field
 * comes from.
 */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { folderOf, join, plain } from "../bundler/TreePaths.ts"
import { problem } from "../bundler/BundlerProblem.ts"
import { type Fields, readFields, readSettingsFile } from "./SettingsFile.ts"

/** One file of settings, read. */
export interface SettingsText {
  readonly file: string
  readonly fields: Fields
  readonly text: string
}

/** No settings, those that count, or why they cannot be read. */
export type ReadSettings =
  | { readonly _tag: "None" }
  | {
      readonly _tag: "Read"
      readonly settings: SettingsText
      /** Paths in the settings are relative to it; `""` is the root. */
      readonly folder: string
      /** The project's own file, where another one counts. */
      readonly own: SettingsText | null
      /** Whether another program made the settings. */
      readonly redirected: boolean
    }
  | { readonly _tag: "Refused"; readonly problems: ReadonlyArray<BuildProblem> }

type Files = ReadonlyMap<string, { readonly content: Uint8Array }>

/** Where a build command says which settings are to be deployed. */
const redirectFile = ".wrangler/deploy/config.json"

const refused = (code: string, message: string): ReadSettings => ({
  _tag: "Refused",
  problems: [problem(code, message, { file: redirectFile })]
})

/** The path that the redirect names, or why there is none. */
const target = (files: Files): { readonly path: string } | { readonly refused: ReadSettings } => {
  const read = readFields(files, redirectFile)
  if (read._tag !== "Fields")
    return { refused: read._tag === "Refused" ? read : refused("settings_redirect", "It cannot be read.") }
  const more = Object.hasOwn(read.fields, "auxiliaryWorkers") ? read.fields["auxiliaryWorkers"] : undefined
  if (Array.isArray(more) && more.length > 0)
    return {
      refused: refused(
        "several_workers",
        `The build made ${more.length + 1} Workers ("auxiliaryWorkers" names the others): an app is one Worker. Make one of them all, or a Project of each.`
      )
    }
  const named = Object.hasOwn(read.fields, "configPath") ? read.fields["configPath"] : undefined
  if (typeof named !== "string" || named === "")
    return {
      refused: refused(
        "settings_redirect",
        `"configPath" must name the settings file that the build made, relative to ${redirectFile}.`
      )
    }
  const isAbsolute = named.startsWith("/") || /[\\\0]/.test(named) || /^[a-z]:/i.test(named)
  const path = isAbsolute ? undefined : plain(join(folderOf(redirectFile), named))
  if (path === undefined || path === "")
    return { refused: refused("settings_redirect", `"configPath" leads out of the source.`) }
  if (!/\.(?:jsonc?|toml)$/.test(path))
    return {
      refused: refused("settings_redirect", `"configPath" names ${path}, which is no .json, .jsonc or .toml file.`)
    }
  return files.has(path)
    ? { path }
    : {
        refused: refused(
          "settings_redirect",
          `"configPath" names ${path}, which is not there: the build left the redirect without the settings. Run the whole build, or remove ${redirectFile}.`
        )
      }
}

/** The settings of a source with all that a build command left. */
export const readSettings = (files: Files): ReadSettings => {
  const own = readSettingsFile(files)
  if (own._tag === "Refused") return own
  if (!files.has(redirectFile))
    return own._tag === "None" ? own : { _tag: "Read", settings: own, folder: "", own: null, redirected: false }
  const to = target(files)
  if ("refused" in to) return to.refused
  const read = readFields(files, to.path)
  if (read._tag !== "Fields") return read._tag === "Refused" ? read : refused("settings_redirect", "It cannot be read.")
  return {
    _tag: "Read",
    settings: read,
    folder: folderOf(to.path),
    own: own._tag === "Fields" ? own : null,
    redirected: true
  }
}
