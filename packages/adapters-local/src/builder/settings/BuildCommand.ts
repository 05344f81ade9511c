/**
 * What has to run before a tree can be bundled: the command of `pawl.json`, else the `build` script of package.json where
 * the source itself has nothing that could be served. Pure: files in, a command or problems out.
 */
import type { BuildCommand } from "@pawl/core/bundle/AppBuilder"
import { packageFile, parsePawlFile, type PawlBuild, scriptsOf } from "@pawl/core/project/PawlFile"
import { Result, Schema } from "effect"
import { problem } from "../bundler/BundlerProblem.ts"
import { treePath } from "./AppSettings.ts"
import { type Fields, isFields, readSettingsFile, textOf } from "./SettingsFile.ts"
import { defaultMains, holdsFolder } from "./WithoutSettings.ts"

type Files = ReadonlyMap<string, { readonly content: Uint8Array; readonly executable: boolean }>

const none: BuildCommand = { _tag: "None" }

/** Where the output of builds lies that say nothing else. */
const usualOutputs = ["dist", "build", "out", "_site", ".output"]
/** Where a build leaves the way to another wrangler file. */
const redirects = ".wrangler/deploy"

const textAt = (files: Files, path: string): string | undefined => {
  const file = files.get(path)
  return file === undefined ? undefined : textOf(file.content)
}

/** Of a folder of output, its first one below the root; of a file at the root, itself. */
const outputOf = (path: string): string => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : path)

/** What the settings name and the source has not. */
interface Named {
  readonly missing: ReadonlyArray<string>
  readonly hasFile: boolean
}

const stringAt = (fields: Fields, name: string): string | null => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === "string" ? treePath(value) || null : null
}

const namedBySettings = (files: Files): Named => {
  const read = readSettingsFile(files)
  if (read._tag === "None") return { missing: [], hasFile: false }
  if (read._tag === "Refused") return { missing: [], hasFile: true }
  const main = stringAt(read.fields, "main")
  const assets = Object.hasOwn(read.fields, "assets") ? read.fields["assets"] : undefined
  const directory = isFields(assets) ? stringAt(assets, "directory") : null
  return {
    hasFile: true,
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

const hasVitePlugin = (text: string): boolean => {
  const read = Schema.decodeUnknownOption(Package)(text)
  if (read._tag === "None") return false
  const { dependencies, devDependencies } = read.value
  return [dependencies, devDependencies].some((names) => names !== undefined && Object.hasOwn(names, vitePlugin))
}

const viteSettings = /^vite\.config\.[cm]?[jt]s$/

/** Whether nothing of the tree could be served as it stands, though nobody wrote settings; or its page is one for Vite. */
const isBare = (files: Files): boolean =>
  (files.has("index.html") && [...files.keys()].some((path) => viteSettings.test(path))) ||
  (!defaultMains.some((path) => files.has(path)) && !files.has("public/index.html"))

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

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

const ofPawlFile = ({ command, output }: PawlBuild, { missing }: Named): BuildCommand => ({
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
  if (read?.success.build !== undefined) return ofPawlFile(read.success.build, named)
  const manifest = textAt(files, packageFile)
  const command = manifest === undefined ? null : scriptCommand(scriptsOf(manifest))
  if (manifest === undefined || command === null) return none
  const asked = named.hasFile
    ? named.missing.length > 0 || hasVitePlugin(manifest)
    : hasVitePlugin(manifest) || isBare(files)
  if (!asked) return none
  return { _tag: "Command", command, collect: [...new Set([redirects, ...named.missing, ...usualOutputs])] }
}
