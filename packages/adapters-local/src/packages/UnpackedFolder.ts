/**
 * Unpacked archives in a folder, by their digest: each once, shared by all layers by hard links. It is written whole under
 * another name, then renamed; two who unpack the same are both right.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Option, Result, Schema } from "effect"
import { needsScript, scriptNames } from "./InstallScripts.ts"
import { programsOf } from "./PackagePrograms.ts"
import type { PackageManifest } from "./TarballManifest.ts"
import type { UnpackedPackage } from "./Tarball.ts"

/** What is known of an unpacked package without looking into its files. */
export const UnpackedFacts = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  bytes: Schema.Finite,
  license: Schema.NullOr(Schema.String),
  scripts: Schema.Array(Schema.String),
  /** Nothing in it works before a script of it has run. */
  needsScript: Schema.Boolean,
  programs: Schema.Array(Schema.Struct({ name: Schema.String, target: Schema.String })),
  /** Paths below the package's folder. */
  files: Schema.Array(Schema.String)
})
export interface UnpackedFacts extends Schema.Schema.Type<typeof UnpackedFacts> {}

/** `sha512-<hex>` of an integrity: a name for files and objects. */
export const digestName = (integrity: string): string => {
  const at = integrity.indexOf("-")
  return `${integrity.slice(0, at)}-${Buffer.from(integrity.slice(at + 1), "base64").toString("hex")}`
}

/** Where the files of a package lie below its unpacked folder. */
export const contentFolder = "package"
const factsFile = "facts.json"
/** Holds the bytes of the files, as digits: for who counts without reading all that is known. */
export const sizeFile = "size"

const licenseForm = /^[A-Za-z0-9.+() -]{1,200}$/

/** A word or an SPDX expression; of old packages the `type` of an object. */
const licenseOf = ({ license }: PackageManifest): string | null => {
  const said = typeof license === "object" && license !== null && "type" in license ? license.type : license
  return typeof said === "string" && licenseForm.test(said.trim()) ? said.trim() : null
}

const decodeFacts = Schema.decodeUnknownOption(Schema.fromJsonString(UnpackedFacts))

/** What is known of an unpacked folder, which counts as used; null when there is none. */
export const factsIn = (folder: string): UnpackedFacts | null => {
  try {
    const now = new Date()
    const text = readFileSync(join(folder, factsFile), "utf8")
    utimesSync(join(folder, sizeFile), now, now)
    return Option.getOrNull(decodeFacts(text))
  } catch {
    return null
  }
}

/** What is known of a package. Fails with what is wrong, as a sentence goes on after its name. */
export const factsOf = (
  { files, manifest }: UnpackedPackage,
  { name, version }: { readonly name: string; readonly version: string }
): Result.Result<UnpackedFacts, string> => {
  const paths = new Set(files.map(({ path }) => path))
  return Result.map(programsOf(manifest, paths), (programs) => ({
    name,
    version,
    bytes: files.reduce((sum, { content }) => sum + content.length, 0),
    license: licenseOf(manifest),
    scripts: scriptNames(manifest, paths),
    needsScript: needsScript(manifest, paths),
    programs,
    files: [...paths].sort()
  }))
}

/** Whether somebody else had put the same there first. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "EEXIST" || error.code === "ENOTEMPTY")

/**
 * Writes an unpacked package to `folder`, by way of `temporary`, which is on the same disk and not there yet. Files have the
 * modes that npm gives them: tools copy packages into their output and write there. A sandbox mounts all of it read-only.
 * The files of programs may be run, whatever the archive says.
 */
export const writeUnpacked = (
  folder: string,
  temporary: string,
  { files }: UnpackedPackage,
  facts: UnpackedFacts
): void => {
  const runnable = new Set(facts.programs.map(({ target }) => target))
  const made = new Set<string>()
  for (const { content, executable, path } of files) {
    const place = join(temporary, contentFolder, path)
    const parent = dirname(place)
    if (!made.has(parent)) mkdirSync(parent, { recursive: true })
    made.add(parent)
    writeFileSync(place, content, { mode: executable || runnable.has(path) ? 0o755 : 0o644, flag: "wx" })
  }
  writeFileSync(join(temporary, factsFile), JSON.stringify(facts))
  writeFileSync(join(temporary, sizeFile), String(facts.bytes))
  mkdirSync(dirname(folder), { recursive: true })
  try {
    renameSync(temporary, folder)
  } catch (error) {
    if (!isTaken(error)) throw error
    rmSync(temporary, { recursive: true, force: true })
  }
}
