/** The app's settings, from its wrangler file or from the shape of the tree. Pure: files in, settings or problems out. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { HtmlHandling, NotFoundHandling, type RunWorkerFirst } from "@pawl/core/bundle/Bundle"
import { Schema } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { ignoredAssets } from "../assets/AppAssets.ts"
import { problem } from "../bundler/BundlerProblem.ts"
import { isSetting, workerFirstProblem } from "../assets/WorkerFirst.ts"
import {
  bindingFields,
  compatibilityFlags,
  defaultCompatibilityDate,
  frameworkBindings,
  ignoredFields,
  latestCompatibilityDate,
  unsupportedFields
} from "./SettingsFields.ts"
import { type Fields, isFields, readSettingsFile } from "./SettingsFile.ts"
import { join, plain } from "../bundler/TreePaths.ts"
import { bindingSentence, isEmpty, isFrameworks } from "./Bindings.ts"
import { moduleFields, moduleSettings, type ModuleSettings, noModuleSettings } from "./ModuleSettings.ts"
import { type ReadSettings, readSettings } from "./RedirectedSettings.ts"
import { lineOf } from "./SettingsPlaces.ts"
import { defaultMains, holdsFolder, shapeOf } from "./WithoutSettings.ts"

/** What a build takes from the settings, with defaults filled in. */
export interface AppSettings extends ModuleSettings {
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

const noAssets: AppSettings["assets"] = {
  directory: null,
  notFoundHandling: "none",
  htmlHandling: "auto-trailing-slash",
  runWorkerFirst: false
}

/** A path from the root of the tree, in its plain form; null when it leads elsewhere. `""` is the root. */
export const treePath = (text: string): string | null => {
  if (text.startsWith("/") || /[\\\0]/.test(text) || /^[a-z]:/i.test(text)) return null
  const segments = text.split("/").filter((segment) => segment !== "" && segment !== ".")
  return segments.includes("..") ? null : segments.join("/")
}

/** The same for a path that is relative to a folder of the tree, and may lead up within it. */
const pathFrom = (folder: string, text: string): string | null => {
  if (folder === "") return treePath(text)
  if (text.startsWith("/") || /[\\\0]/.test(text) || /^[a-z]:/i.test(text)) return null
  return plain(join(folder, text)) ?? null
}

const withoutFile = (files: Files, generated: ReadonlySet<string>): SettingsResult => {
  const { directory, main, notFoundHandling } = shapeOf(files, generated)
  if (main === null && directory === null) {
    const message = `There is nothing to serve: no wrangler file, none of ${defaultMains.join(", ")}, and no file under public/.`
    return { _tag: "Refused", problems: [problem("nothing_to_serve", message)] }
  }
  const settings = {
    main,
    compatibilityDate: defaultCompatibilityDate,
    compatibilityFlags: [],
    assets: { ...noAssets, directory, notFoundHandling },
    ...noModuleSettings,
    warnings: []
  }
  return { _tag: "Settings", settings }
}

/** Reads one wrangler file field by field and keeps every problem, so that all are told at once. */
class Reader {
  readonly problems: Array<BuildProblem> = []
  readonly warnings: Array<BuildProblem> = []
  readonly from: Extract<ReadSettings, { readonly _tag: "Read" }>
  readonly fields: Fields
  readonly files: Files
  /** Whether a build command ran. */
  readonly isBuilt: boolean

  constructor(from: Reader["from"], files: Files, isBuilt: boolean) {
    this.from = from
    this.fields = from.settings.fields
    this.files = files
    this.isBuilt = isBuilt
  }

  /** `field`: at the top of the file. Where another program made the file, its own says more. */
  refuse(code: string, message: string, field: string): void {
    const { own, settings } = this.from
    const { file, text } = own !== null && !isEmpty(this.field(field, own.fields)) ? own : settings
    this.problems.push(problem(code, message, { file, line: lineOf(file, text, field) }))
  }

  warn(code: string, message: string, field: string): void {
    const { file, text } = this.from.settings
    this.warnings.push(problem(code, message, { file, line: lineOf(file, text, field) }))
  }

  /** Of settings that were generated, what the project's own do not ask for. */
  isFrameworks(name: string, value: unknown): boolean {
    const { own, redirected } = this.from
    return redirected && isFrameworks(name, value) && (own === null || isEmpty(this.field(name, own.fields)))
  }

  path(text: string): string | null {
    return pathFrom(this.from.folder, text)
  }

  field(name: string, of: Fields = this.fields): unknown {
    return Object.hasOwn(of, name) ? of[name] : undefined
  }

  surroundings(): void {
    for (const [name, value] of Object.entries(this.fields)) {
      const binding = bindingSentence(name, value)
      if (binding !== null && this.isFrameworks(name, value))
        this.warn(
          "binding_left_out",
          `"${name}" (env.${frameworkBindings[name]}) is what the framework writes by itself: it is left out, and what uses it fails when it runs.`,
          name
        )
      else if (binding !== null) this.refuse("binding_refused", binding, name)
      else if (Object.hasOwn(unsupportedFields, name)) {
        if (!isEmpty(value) && value !== false)
          this.refuse("setting_unsupported", `"${name}" is not supported: ${unsupportedFields[name]}.`, name)
      } else if (!isKnown(name) && !isEmpty(value)) {
        const { file, text } = this.from.settings
        this.warnings.push(
          problem(
            "setting_ignored",
            `"${name.slice(0, Limits.repeatedNameLength)}" is not a setting that Pawl reads.`,
            {
              file,
              line: lineOf(file, text, name)
            }
          )
        )
      }
    }
  }

  main(): string | null {
    const value = this.field("main")
    if (value === undefined) return null
    const path = typeof value === "string" ? this.path(value) : null
    if (path === null || path === "")
      this.refuse("settings_invalid", `"main" must be a path inside the source, such as "src/index.ts".`, "main")
    else if (!this.files.has(path))
      this.refuse("main_missing", `"main" names ${path}, which is ${this.nowhere()}.`, "main")
    return path
  }

  nowhere(): string {
    return this.isBuilt
      ? "neither in the source nor among what the build command left"
      : `not in the source; when a command makes it, name that in pawl.json: "build": { "command": "npm run build" }`
  }

  compatibilityDate(): string {
    const value = this.field("compatibility_date") ?? defaultCompatibilityDate
    const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString().slice(0, 10) : value
    if (typeof text !== "string" || !isDate(text)) {
      this.refuse(
        "settings_invalid",
        `"compatibility_date" must be a date, such as "${defaultCompatibilityDate}".`,
        "compatibility_date"
      )
    } else if (text > latestCompatibilityDate) {
      // As wrangler does it: new projects have the date of the day that they were made on.
      this.warn(
        "compatibility_date_unknown",
        `"compatibility_date" is ${text}; the newest that this runtime knows is ${latestCompatibilityDate}, and the app runs with that.`,
        "compatibility_date"
      )
      return latestCompatibilityDate
    } else return text
    return defaultCompatibilityDate
  }

  compatibilityFlags(): ReadonlyArray<string> {
    const value = this.field("compatibility_flags") ?? []
    if (!Array.isArray(value) || !value.every((flag) => typeof flag === "string")) {
      this.refuse("settings_invalid", `"compatibility_flags" must be a list of texts.`, "compatibility_flags")
      return []
    }
    for (const flag of value.filter((name) => !compatibilityFlags.has(name)))
      this.refuse(
        "compatibility_flag_refused",
        `The compatibility flag "${flag.slice(0, Limits.repeatedNameLength)}" is not allowed; these are: ${[...compatibilityFlags].join(", ")}.`,
        "compatibility_flags"
      )
    return [...new Set(value)]
  }

  assets(main: string | null): AppSettings["assets"] {
    const value = this.field("assets")
    if (value === undefined) return noAssets
    if (!isFields(value)) {
      this.refuse("settings_invalid", `"assets" must be an object with a "directory".`, "assets")
      return noAssets
    }
    const binding = this.field("binding", value)
    if (binding !== undefined && binding !== "ASSETS")
      this.refuse(
        "settings_invalid",
        `"assets.binding" must be "ASSETS": that is the name an app finds its assets under.`,
        "assets"
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
    const path = typeof value === "string" ? this.path(value) : null
    if (path === null || path === "") {
      this.refuse(
        "settings_invalid",
        `"assets.directory" must be a folder below the root of the source, such as "./public": all files in it are served to anyone.`,
        "assets"
      )
      return null
    }
    if (main !== null && main.startsWith(`${path}/`) && !this.isIgnored(path, main))
      this.refuse(
        "settings_invalid",
        `"main" lies inside "assets.directory": the app's source would be served to anyone. Name it in ${path}/.assetsignore.`,
        "assets"
      )
    if (!holdsFolder(this.files, path))
      this.refuse(
        "assets_missing",
        `"assets.directory" names ${path}, where no file lies: it is ${this.nowhere()}.`,
        "assets"
      )
    return path
  }

  isIgnored(directory: string, path: string): boolean {
    return ignoredAssets(this.files, directory).ignored.has(path.slice(directory.length + 1))
  }

  choice<A extends string>(assets: Fields, name: string, schema: Schema.Literals<ReadonlyArray<A>>, otherwise: A): A {
    const value = this.field(name, assets)
    if (value === undefined) return otherwise
    if (Schema.is(schema)(value)) return value
    this.refuse("settings_invalid", `"assets.${name}" must be one of ${schema.literals.join(", ")}.`, "assets")
    return otherwise
  }

  runWorkerFirst(assets: Fields, main: string | null): RunWorkerFirst {
    const value = this.field("run_worker_first", assets) ?? false
    if (value === false) return false
    const wrong = workerFirstProblem(value)
    if (wrong !== null) this.refuse("settings_invalid", `"assets.run_worker_first" ${wrong}`, "assets")
    else if (main === null)
      this.refuse("settings_invalid", `"assets.run_worker_first" is set, but there is no "main" to run.`, "assets")
    return isSetting(value) ? value : false
  }
}

const isKnown = (name: string): boolean =>
  readFields.has(name) || ignoredFields.has(name) || Object.hasOwn(bindingFields, name)

/** The fields that are read. */
export const readFields: ReadonlySet<string> = new Set([
  "main",
  "compatibility_date",
  "compatibility_flags",
  "assets",
  ...moduleFields
])

const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** All that a wrangler file says, with what is wrong with it. */
const readAll = (read: Extract<ReadSettings, { readonly _tag: "Read" }>, files: Files, isBuilt: boolean) => {
  const reader = new Reader(read, files, isBuilt)
  reader.surroundings()
  const main = reader.main()
  const settings: AppSettings = {
    main,
    compatibilityDate: reader.compatibilityDate(),
    compatibilityFlags: reader.compatibilityFlags(),
    assets: reader.assets(main),
    ...moduleSettings(
      {
        field: (name) => reader.field(name),
        path: (text) => reader.path(text),
        refuse: (code, message, field) => reader.refuse(code, message, field)
      },
      main
    ),
    warnings: reader.warnings
  }
  if (reader.problems.length === 0 && main === null && settings.assets.directory === null)
    reader.refuse(
      "nothing_to_serve",
      `${read.settings.file} has neither "main" nor "assets": there is nothing to serve.`,
      ""
    )
  return { settings, problems: reader.problems }
}

/**
 * The settings of a source tree, or every reason why it has none. `generated` are the files of it that a build command
 * made; null when none ran.
 */
export const appSettings = (files: Files, generated: ReadonlySet<string> | null = null): SettingsResult => {
  const read = readSettings(files)
  if (read._tag === "None") return withoutFile(files, generated ?? new Set())
  if (read._tag === "Refused") return read
  const { problems, settings } = readAll(read, files, generated !== null)
  return problems.length > 0 ? { _tag: "Refused", problems } : { _tag: "Settings", settings }
}

/** What a build command may still make. */
const stillMissing = new Set(["main_missing", "assets_missing"])

/**
 * The settings that a source has before its build command ran, which may make others; null for none, or when it is
 * refused whatever the command makes. A main module that is not there yet is null.
 */
export const foreseenSettings = (files: Files): AppSettings | null => {
  const read = readSettings(files)
  if (read._tag === "Refused") return null
  if (read._tag === "None") {
    const shape = withoutFile(files, new Set())
    return shape._tag === "Settings" ? shape.settings : null
  }
  const { problems, settings } = readAll(read, files, true)
  if (problems.some(({ code }) => !stillMissing.has(code))) return null
  return settings.main === null || files.has(settings.main) ? settings : { ...settings, main: null }
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
