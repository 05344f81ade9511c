/** The app's settings, from its wrangler file or from the shape of the tree. Pure: files in, settings or problems out. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { HtmlHandling, NotFoundHandling, type RunWorkerFirst } from "@pawl/core/bundle/Bundle"
import { Schema } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { ignoredAssets } from "../assets/AppAssets.ts"
import { problem } from "../bundler/BundlerProblem.ts"
import { isSetting, workerFirstProblem } from "../assets/WorkerFirst.ts"
import {
  bindingAdvice,
  bindingFields,
  compatibilityFlags,
  defaultCompatibilityDate,
  ignoredFields,
  latestCompatibilityDate,
  unsupportedFields
} from "./SettingsFields.ts"
import { type Fields, isFields, readSettingsFile } from "./SettingsFile.ts"

/** What a build takes from the settings, with defaults filled in. */
export interface AppSettings {
  /** A path of the tree; null for an app of static assets alone. */
  readonly main: string | null
  readonly compatibilityDate: string
  readonly compatibilityFlags: ReadonlyArray<string>
  readonly assets: {
    /** A folder of the tree, without slashes at its ends; null for none. */
    readonly directory: string | null
    readonly notFoundHandling: typeof NotFoundHandling.Type
    readonly htmlHandling: typeof HtmlHandling.Type
    readonly runWorkerFirst: RunWorkerFirst
  }
  readonly warnings: ReadonlyArray<BuildProblem>
}

/** Settings that a build can go by, or all that is wrong with them. */
export type SettingsResult =
  | { readonly _tag: "Settings"; readonly settings: AppSettings }
  | { readonly _tag: "Refused"; readonly problems: ReadonlyArray<BuildProblem> }

type Files = ReadonlyMap<string, { readonly content: Uint8Array }>

/** The entry of an app that names none, the first that is there. */
export const defaultMains = ["src/index.ts", "src/index.js", "index.ts", "index.js"]
const noAssets: AppSettings["assets"] = {
  directory: null,
  notFoundHandling: "none",
  htmlHandling: "auto-trailing-slash",
  runWorkerFirst: false
}

/** Whether a file lies below a folder. */
export const holdsFolder = (files: Files, folder: string): boolean => {
  for (const path of files.keys()) if (path.startsWith(`${folder}/`)) return true
  return false
}

/** A path from the root of the tree, in its plain form; null when it leads elsewhere. `""` is the root. */
export const treePath = (text: string): string | null => {
  if (text.startsWith("/") || /[\\\0]/.test(text) || /^[a-z]:/i.test(text)) return null
  const segments = text.split("/").filter((segment) => segment !== "" && segment !== ".")
  return segments.includes("..") ? null : segments.join("/")
}

const withoutFile = (files: Files): SettingsResult => {
  const main = defaultMains.find((path) => files.has(path)) ?? null
  const directory = holdsFolder(files, "public") ? "public" : null
  if (main === null && directory === null) {
    const message = `There is nothing to serve: no wrangler file, none of ${defaultMains.join(", ")}, and no file under public/.`
    return { _tag: "Refused", problems: [problem("nothing_to_serve", message)] }
  }
  const settings = {
    main,
    compatibilityDate: defaultCompatibilityDate,
    compatibilityFlags: [],
    assets: { ...noAssets, directory },
    warnings: []
  }
  return { _tag: "Settings", settings }
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (Array.isArray(value) ? value.length === 0 : isFields(value) && Object.values(value).every(isEmpty))

const instead = (binding: string): string => (Object.hasOwn(bindingAdvice, binding) ? ` ${bindingAdvice[binding]}` : "")

/** Reads one wrangler file field by field and keeps every problem, so that all are told at once. */
class Reader {
  readonly problems: Array<BuildProblem> = []
  readonly warnings: Array<BuildProblem> = []
  readonly file: string
  readonly fields: Fields
  readonly files: Files

  constructor(file: string, fields: Fields, files: Files) {
    this.file = file
    this.fields = fields
    this.files = files
  }

  refuse(code: string, message: string): void {
    this.problems.push(problem(code, message, { file: this.file }))
  }

  field(name: string, of: Fields = this.fields): unknown {
    return Object.hasOwn(of, name) ? of[name] : undefined
  }

  surroundings(): void {
    for (const [name, value] of Object.entries(this.fields)) {
      if (Object.hasOwn(bindingFields, name)) {
        if (!isEmpty(value))
          this.refuse(
            "binding_refused",
            `"${name}" asks for ${bindingFields[name]}, which an app cannot have: its env holds only ASSETS and DATA.${instead(name)}`
          )
      } else if (Object.hasOwn(unsupportedFields, name)) {
        if (!isEmpty(value) && value !== false)
          this.refuse("setting_unsupported", `"${name}" is not supported: ${unsupportedFields[name]}.`)
      } else if (!readFields.has(name) && !ignoredFields.has(name)) {
        this.warnings.push(
          problem("setting_ignored", `"${name}" is not a setting that Pawl reads.`, { file: this.file })
        )
      }
    }
  }

  main(): string | null {
    const value = this.field("main")
    if (value === undefined) return null
    const path = typeof value === "string" ? treePath(value) : null
    if (path === null || path === "")
      this.refuse("settings_invalid", `"main" must be a path inside the source, such as "src/index.ts".`)
    else if (!this.files.has(path)) this.refuse("main_missing", `"main" names ${path}, which is not in the source.`)
    return path
  }

  compatibilityDate(): string {
    const value = this.field("compatibility_date") ?? defaultCompatibilityDate
    const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString().slice(0, 10) : value
    if (typeof text !== "string" || !isDate(text)) {
      this.refuse("settings_invalid", `"compatibility_date" must be a date, such as "${defaultCompatibilityDate}".`)
    } else if (text > latestCompatibilityDate) {
      this.refuse(
        "settings_invalid",
        `"compatibility_date" is ${text}; the newest that this runtime knows is ${latestCompatibilityDate}.`
      )
    } else return text
    return defaultCompatibilityDate
  }

  compatibilityFlags(): ReadonlyArray<string> {
    const value = this.field("compatibility_flags") ?? []
    if (!Array.isArray(value) || !value.every((flag) => typeof flag === "string")) {
      this.refuse("settings_invalid", `"compatibility_flags" must be a list of texts.`)
      return []
    }
    for (const flag of value.filter((name) => !compatibilityFlags.has(name)))
      this.refuse(
        "compatibility_flag_refused",
        `The compatibility flag "${flag.slice(0, Limits.repeatedNameLength)}" is not allowed; these are: ${[...compatibilityFlags].join(", ")}.`
      )
    return [...new Set(value)]
  }

  assets(main: string | null): AppSettings["assets"] {
    const value = this.field("assets")
    if (value === undefined) return noAssets
    if (!isFields(value)) {
      this.refuse("settings_invalid", `"assets" must be an object with a "directory".`)
      return noAssets
    }
    const binding = this.field("binding", value)
    if (binding !== undefined && binding !== "ASSETS")
      this.refuse(
        "settings_invalid",
        `"assets.binding" must be "ASSETS": that is the name an app finds its assets under.`
      )
    return {
      directory: this.directory(value, main),
      notFoundHandling: this.choice(value, "not_found_handling", NotFoundHandling, noAssets.notFoundHandling),
      htmlHandling: this.choice(value, "html_handling", HtmlHandling, noAssets.htmlHandling),
      runWorkerFirst: this.runWorkerFirst(value, main)
    }
  }

  directory(assets: Fields, main: string | null): string | null {
    const value = this.field("directory", assets)
    const path = typeof value === "string" ? treePath(value) : null
    if (path === null || path === "") {
      this.refuse(
        "settings_invalid",
        `"assets.directory" must be a folder below the root of the source, such as "./public": all files in it are served to anyone.`
      )
      return null
    }
    if (main !== null && main.startsWith(`${path}/`) && !this.isIgnored(path, main))
      this.refuse(
        "settings_invalid",
        `"main" lies inside "assets.directory": the app's source would be served to anyone. Name it in ${path}/.assetsignore.`
      )
    if (!holdsFolder(this.files, path))
      this.refuse("assets_missing", `"assets.directory" names ${path}, but no file of the source lies there.`)
    return path
  }

  isIgnored(directory: string, path: string): boolean {
    return ignoredAssets(this.files, directory).ignored.has(path.slice(directory.length + 1))
  }

  choice<A extends string>(assets: Fields, name: string, schema: Schema.Literals<ReadonlyArray<A>>, otherwise: A): A {
    const value = this.field(name, assets)
    if (value === undefined) return otherwise
    if (Schema.is(schema)(value)) return value
    this.refuse("settings_invalid", `"assets.${name}" must be one of ${schema.literals.join(", ")}.`)
    return otherwise
  }

  runWorkerFirst(assets: Fields, main: string | null): RunWorkerFirst {
    const value = this.field("run_worker_first", assets) ?? false
    if (value === false) return false
    const wrong = workerFirstProblem(value)
    if (wrong !== null) this.refuse("settings_invalid", `"assets.run_worker_first" ${wrong}`)
    else if (main === null)
      this.refuse("settings_invalid", `"assets.run_worker_first" is set, but there is no "main" to run.`)
    return isSetting(value) ? value : false
  }
}

const readFields = new Set(["main", "compatibility_date", "compatibility_flags", "assets"])

const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** The settings of a source tree, or every reason why it has none. */
export const appSettings = (files: Files): SettingsResult => {
  const read = readSettingsFile(files)
  if (read._tag === "None") return withoutFile(files)
  if (read._tag === "Refused") return read
  const reader = new Reader(read.file, read.fields, files)
  reader.surroundings()
  const main = reader.main()
  const settings: AppSettings = {
    main,
    compatibilityDate: reader.compatibilityDate(),
    compatibilityFlags: reader.compatibilityFlags(),
    assets: reader.assets(main),
    warnings: reader.warnings
  }
  if (reader.problems.length === 0 && main === null && settings.assets.directory === null)
    reader.refuse("nothing_to_serve", `${read.file} has neither "main" nor "assets": there is nothing to serve.`)
  return reader.problems.length > 0 ? { _tag: "Refused", problems: reader.problems } : { _tag: "Settings", settings }
}

/** The folder of assets alone, from the files of settings: what a tree that builds serves to anyone. */
export const assetsFolder = (
  settings: ReadonlyMap<string, Uint8Array>,
  folders: ReadonlySet<string>
): string | null => {
  const read = readSettingsFile(new Map([...settings].map(([path, content]) => [path, { content }])))
  if (read._tag === "Refused") return null
  if (read._tag === "None") return folders.has("public") ? "public" : null
  const assets = Object.hasOwn(read.fields, "assets") ? read.fields["assets"] : undefined
  const directory = isFields(assets) && Object.hasOwn(assets, "directory") ? assets["directory"] : undefined
  const path = typeof directory === "string" ? treePath(directory) : null
  return path === "" ? null : path
}
