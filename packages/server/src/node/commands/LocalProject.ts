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
import { ServerLimits } from "../../ServerLimits.ts"

/** What is sent, and what is not. */
export interface LocalProject {
  readonly files: Readonly<Record<string, FileContent>>
  /** What was left out although the folder holds it as its own: path and why. */
  readonly leftOut: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

const examples = /\.(?:example|sample|template|dist)$/
const secretNames: ReadonlyArray<RegExp> = [
  /^\.env(?:\..+)?$/,
  /^\.dev\.vars(?:\..+)?$/,
  /\.(?:pem|key|p12|pfx)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)$/
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
  ".DS_Store",
  "dist",
  "coverage"
])

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

/** All paths below the folder but those below `made`, which are told. */
const byHand = async (folder: string, leftOut: LocalProject["leftOut"][number][]): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const folders = [folder]
  for (const next of folders)
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name)
      const shown = relative(folder, path).split(sep).join("/")
      if (made.has(entry.name)) {
        if (entry.name !== ".git") leftOut.push({ path: shown, why: "tools make it" })
      } else if (entry.isDirectory()) folders.push(path)
      else found.push(shown)
      if (found.length > Limits.sourceEntries) return found
    }
  return found
}

const contentOf = (bytes: Buffer): FileContent => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { base64: bytes.toString("base64") }
  }
}

/** Credentials of registries in a `.npmrc`. */
const registryCredentials = /_auth|_password|\busername\b/i

/** Reads it. Rejects where the folder is none. */
export const readLocalProject = async (folder: string): Promise<LocalProject> => {
  const files: Record<string, FileContent> = Object.create(null)
  const leftOut: Array<LocalProject["leftOut"][number]> = []
  await readdir(folder)
  const paths = (await byGit(folder)) ?? (await byHand(folder, leftOut))
  for (const path of paths.slice(0, Limits.sourceEntries + 1)) {
    const about = await lstat(join(folder, path)).catch(() => null)
    // Git still lists what was deleted and not yet committed.
    if (about === null) continue
    if (about.isSymbolicLink()) leftOut.push({ path, why: "it is a link" })
    else if (!about.isFile()) leftOut.push({ path, why: "it is no file" })
    else if (holdsSecrets(basename(path))) leftOut.push({ path, why: "it may hold secrets" })
    else if (about.size > Limits.sourceFileBytes)
      leftOut.push({ path, why: `it has more than ${Limits.sourceFileBytes / 1024 ** 2} MiB` })
    else {
      const bytes = await readFile(join(folder, path))
      if (basename(path) === ".npmrc" && registryCredentials.test(bytes.toString("latin1")))
        leftOut.push({ path, why: "it holds credentials" })
      else files[path] = contentOf(bytes)
    }
  }
  return { files, leftOut }
}

/** A slug out of the folder's name; empty where nothing of it can be one. */
export const slugOf = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, Limits.slugLength)
    .replace(/^-|-$/g, "")
