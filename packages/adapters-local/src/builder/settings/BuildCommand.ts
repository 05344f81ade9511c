/**
 * What has to run before a tree can be bundled: the command of `pawl.json`, else that of the wrangler file's `build`, else
 * the `build` script of package.json where the source itself has nothing that could be served. Pure: files in, a command or
 * problems out.
 */
import type { BuildCommand, BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { packageFile, scriptsOf } from "@pawl/core/project/PackageScripts"
import { parsePawlFile, type PawlBuild } from "@pawl/core/project/PawlFile"
import { exactText } from "@pawl/core/primitives/Utf8"
import { Result, Schema } from "effect"
import { problem } from "../bundler/BundlerProblem.ts"
import { treePath } from "./AppSettings.ts"
import type { SettingsText } from "./RedirectedSettings.ts"
import { lineOf } from "./SettingsPlaces.ts"
import { type Fields, isFields, readSettingsFile } from "./SettingsFile.ts"
import { defaultMains, holdsFolder } from "./WithoutSettings.ts"

type Files = ReadonlyMap<string, { readonly content: Uint8Array; readonly executable: boolean }>

const none: BuildCommand = { _tag: "None" }

/** Where the output of builds lies that say nothing else. */
const usualOutputs = ["dist", "build", "out", "_site", ".output"]
/** Where a build leaves the way to another wrangler file. */
const redirects = ".wrangler/deploy"

const textAt = (files: Files, path: string): string | undefined => {
  const file = files.get(path)
  return file === undefined ? undefined : (exactText(file.content) ?? undefined)
}

/** Of a folder of output, its first one below the root; of a file at the root, itself. */
const outputOf = (path: string): string => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : path)

/** What the settings name and the source has not. */
interface Named {
  readonly missing: ReadonlyArray<string>
  readonly hasFile: boolean
  /** The command of the wrangler file's own `build`, in the folder that it names; null for none. */
  readonly own: { readonly command: string } | { readonly problem: BuildProblem } | null
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const stringAt = (fields: Fields, name: string): string | null => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === "string" ? treePath(value) || null : null
}

/** `build` of a wrangler file, as wrangler runs it before it bundles. Without a command it says nothing. */
const ownBuild = ({ fields, file, text }: SettingsText): Named["own"] => {
  const build = Object.hasOwn(fields, "build") ? fields["build"] : undefined
  if (build === undefined || build === null) return null
  const refused = (message: string) => ({
    problem: problem("setting_invalid", message, { file, line: lineOf(file, text, "build") })
  })
  if (!isFields(build)) return refused(`"build" must be an object with a "command".`)
  const { command = "", cwd = "" } = build
  if (command === "") return null
  const folder = typeof cwd === "string" ? treePath(cwd) : null
  if (typeof command !== "string" || command.includes("\0"))
    return refused(`"build.command" must be a line for a shell.`)
  if (folder === null) return refused(`"build.cwd" must name a folder of the source.`)
  return { command: folder === "" ? command : `cd ${quoted(folder)} && sh -c ${quoted(command)}` }
}

const namedBySettings = (files: Files): Named => {
  const read = readSettingsFile(files)
  if (read._tag === "None") return { missing: [], hasFile: false, own: null }
  if (read._tag === "Refused") return { missing: [], hasFile: true, own: null }
  const main = stringAt(read.fields, "main")
  const assets = Object.hasOwn(read.fields, "assets") ? read.fields["assets"] : undefined
  const directory = isFields(assets) ? stringAt(assets, "directory") : null
  return {
    hasFile: true,
    own: ownBuild(read),
    missing: [
      ...(main === null || files.has(main) ? [] : [outputOf(main)]),
      ...(directory === null || holdsFolder(files, directory) ? [] : [directory])
    ]
  }
}

const Dependencies = Schema.Record(Schema.String, Schema.Unknown)
const Package = Schema.fromJsonString(
  Schema.Struct({ dependencies: Schema.optional(Dependencies), devDependencies: Schema.optional(Dependencies) })
)

const vitePlugin = "@cloudflare/vite-plugin"

/** Whether a package.json asks for the plugin that makes the settings by which its build is deployed. */
export const hasVitePlugin = (text: string): boolean => {
  const read = Schema.decodeUnknownOption(Package)(text)
  if (read._tag === "None") return false
  const { dependencies, devDependencies } = read.value
  return [dependencies, devDependencies].some((names) => names !== undefined && Object.hasOwn(names, vitePlugin))
}

const viteSettings = /^vite\.config\.[cm]?[jt]s$/

/** Whether the page of the tree is one that a tool makes of it: Vite, by its settings or its command, or Create React App. */
const isForTool = (files: Files, command: string): boolean => {
  const isVites = /\bvite build\b/.test(command) || [...files.keys()].some((path) => viteSettings.test(path))
  return (files.has("index.html") && isVites) || /\breact-scripts build\b/.test(command)
}

/** Whether nothing of the tree could be served as it stands, though nobody wrote settings; or a tool makes it. */
const isBare = (files: Files, command: string): boolean =>
  isForTool(files, command) || (!defaultMains.some((path) => files.has(path)) && !files.has("public/index.html"))

/** The script with those that npm would run around it, each by a shell of its own, as npm does. */
const scriptCommand = (scripts: Readonly<Record<string, string>>): string | null => {
  const textOfScript = (name: string) => (Object.hasOwn(scripts, name) ? (scripts[name] ?? "") : "")
  if (textOfScript("build").trim() === "") return null
  return ["prebuild", "build", "postbuild"]
    .map(textOfScript)
    .filter((text) => text.trim() !== "")
    .map((text) => `sh -c ${quoted(text)}`)
    .join(" && ")
}

const ofFile = ({ command, output }: PawlBuild, { missing }: Named): BuildCommand => ({
  _tag: "Command",
  command,
  collect: [...new Set([redirects, ...(output === undefined ? [...missing, ...usualOutputs] : [output])])]
})

/** What has to run before these files can be bundled. */
export const buildCommand = (files: Files): BuildCommand => {
  const pawl = textAt(files, "pawl.json")
  const read = pawl === undefined ? null : parsePawlFile(pawl)
  if (read !== null && Result.isFailure(read)) {
    const message = `pawl.json cannot be read: ${read.failure}`
    return { _tag: "Refused", problems: [problem("pawl_json_invalid", message, { file: "pawl.json" })] }
  }
  const named = namedBySettings(files)
  if (read?.success.build !== undefined) return ofFile(read.success.build, named)
  if (named.own !== null && "problem" in named.own) return { _tag: "Refused", problems: [named.own.problem] }
  if (named.own !== null) return ofFile(named.own, named)
  const manifest = textAt(files, packageFile)
  const command = manifest === undefined ? null : scriptCommand(scriptsOf(manifest))
  if (manifest === undefined || command === null) return none
  const asked = named.hasFile
    ? named.missing.length > 0 || hasVitePlugin(manifest)
    : hasVitePlugin(manifest) || isBare(files, command)
  if (!asked) return none
  return { _tag: "Command", command, collect: [...new Set([redirects, ...named.missing, ...usualOutputs])] }
}
