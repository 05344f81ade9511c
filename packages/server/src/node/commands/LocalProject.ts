/**
 * A project in a folder of this machine, as it is sent: what git would commit of it, without what holds secrets. Where
 * the folder is in no git repository, everything but what tools make.
 */
import { execFile } from "node:child_process"
import { lstat, readdir, readFile } from "node:fs/promises"
import { basename, join, relative, resolve, sep } from "node:path"
import { promisify } from "node:util"
import { Limits } from "@pawl/core/primitives/Limits"
import type { FileContent } from "@pawl/core/project/Repositories"
import { exactText } from "@pawl/core/primitives/Utf8"
import { ServerLimits } from "../../ServerLimits.ts"

/** What is sent, and what is not. */
export interface LocalProject {
  /** Empty where `sizes` come to more than one request may have, or are more than a source may: then nothing is read. */
  readonly files: Readonly<Record<string, FileContent>>
  /** The bytes of each file that is to be sent; the first of them where there are too many. */
  readonly sizes: ReadonlyArray<{ readonly path: string; readonly bytes: number }>
  /** What was left out although the folder holds it as its own: path and why. */
  readonly leftOut: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

const examples = /\.(?:example|sample|template|dist)$/
const secretNames: ReadonlyArray<RegExp> = [
  /^\.env(?:rc|\..+)?$/i,
  /\.env$/i,
  /^\.dev\.vars(?:\..+)?$/i,
  /^(?:[._]netrc|\.git-credentials)$/i,
  /\.(?:pem|key|p12|pfx)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i
]

/** Whether a file of this name usually holds what nobody else may read. */
export const holdsSecrets = (name: string): boolean =>
  !examples.test(name) && secretNames.some((pattern) => pattern.test(name))

/** What package managers and builds make, and no one commits. */
const made = new Set([
  "node_modules",
  ".git",
  ".wrangler",
  ".vite",
  ".astro",
  ".cache",
  ".next",
  ".nuxt",
  ".output",
  ".svelte-kit",
  ".DS_Store",
  "dist",
  "coverage"
])
/** What builds leave at the root; deeper down these names are often a project's own. */
const madeAtRoot = new Set(["build", "out"])

const run = promisify(execFile)

/** The paths that git tracks or would add below the folder; null where it is in no repository, or git is not there. */
const byGit = async (folder: string): Promise<ReadonlyArray<string> | null> => {
  const args = ["-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
  try {
    return (await run("git", args, { maxBuffer: ServerLimits.importListingBytes })).stdout.split("\0").filter(Boolean)
  } catch {
    return null
  }
}

const isMade = (path: string): boolean => made.has(path.slice(path.lastIndexOf("/") + 1)) || madeAtRoot.has(path)

/** What a name becomes that is no UTF-8: no file has it. */
const unreadableName = "\uFFFD"
const nameless = "its name is not UTF-8"

type LeftOut = (path: string, why: string) => void

/** All paths below the folder, a folder at a time, but those below what tools make, which is told. */
const byHand = async function* (folder: string, leaveOut: LeftOut): AsyncGenerator<string> {
  const folders = [folder]
  for (const next of folders)
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name)
      const shown = relative(folder, path).split(sep).join("/")
      if (entry.name === ".git") continue
      if (isMade(shown)) leaveOut(shown, "tools make it")
      else if (entry.isDirectory() && shown.includes(unreadableName)) leaveOut(shown, nameless)
      else if (entry.isDirectory()) folders.push(path)
      else yield shown
    }
}

/** The bytes of a file that is to be sent. One that is not is told; one that git lists and that was deleted is not there. */
const sizeOf = async (folder: string, path: string, leaveOut: LeftOut): Promise<number | null> => {
  const about = path.includes(unreadableName) ? "nameless" : await lstat(join(folder, path)).catch(() => null)
  if (about === null) return null
  if (about === "nameless") leaveOut(path, nameless)
  else if (about.isSymbolicLink()) leaveOut(path, "it is a link")
  else if (!about.isFile()) leaveOut(path, "it is no file")
  else if (holdsSecrets(basename(path))) leaveOut(path, "it may hold secrets")
  else if (about.size > Limits.sourceFileBytes)
    leaveOut(path, `it has more than ${Limits.sourceFileBytes / 1024 ** 2} MiB`)
  else return about.size
  return null
}

const contentOf = (bytes: Buffer): FileContent => exactText(bytes) ?? { base64: bytes.toString("base64") }

/** Settings of package managers, and credentials of registries in them. */
const registrySettings: ReadonlySet<string> = new Set([".npmrc", ".yarnrc", ".yarnrc.yml"])
const registryCredentials = /_auth|_password|\busername\b|npmAuth/i

/** Reads it. Rejects where the folder is none. What is too much for one request is measured, and not read. */
export const readLocalProject = async (folder: string): Promise<LocalProject> => {
  const files: Record<string, FileContent> = Object.create(null)
  const sizes: Array<LocalProject["sizes"][number]> = []
  const leftOut: Array<LocalProject["leftOut"][number]> = []
  const leaveOut: LeftOut = (path, why) => void leftOut.push({ path, why })
  await readdir(folder)
  for await (const path of (await byGit(folder)) ?? byHand(folder, leaveOut)) {
    const bytes = await sizeOf(folder, path, leaveOut)
    if (bytes !== null) sizes.push({ path, bytes })
    if (sizes.length > Limits.sourceEntries) return { files, sizes, leftOut }
  }
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) > Limits.sourceBodyBytes) return { files, sizes, leftOut }
  for (const { path } of sizes) {
    const bytes = await readFile(join(folder, path))
    if (registrySettings.has(basename(path).toLowerCase()) && registryCredentials.test(bytes.toString("latin1")))
      leaveOut(path, "it holds credentials")
    else files[path] = contentOf(bytes)
  }
  return { files, sizes, leftOut }
}

/** A slug out of the folder's name; empty where nothing of it can be one. */
export const slugOf = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, Limits.slugLength)
    .replace(/^-|-$/g, "")
