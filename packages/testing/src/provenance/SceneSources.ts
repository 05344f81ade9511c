/** The repository of a scene: a commit for each generation, made by `git fast-import` in a bare repository of its own. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** A commit of a scene. */
export interface SceneCommit {
  readonly commit: string
  readonly tree: string
  readonly dirHash: string
  readonly files: ReadonlyMap<string, string>
}

const shaOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** SHA-256 over the lines `<sha256>  <path>\n`, sorted by the bytes of the paths. */
const dirHashOf = (files: ReadonlyMap<string, string>): string =>
  shaOf(
    [...files]
      .sort(([one], [other]) => byBytes(one, other))
      .map(([path, text]) => `${shaOf(text)}  ${path}\n`)
      .join("")
  )

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

/**
 * Makes a bare repository with one line of commits, and nothing in it that a verifier does not read: one pack, `main`, and
 * what git itself must have.
 */
export const makeRepository = (
  folder: string,
  generations: ReadonlyArray<ReadonlyMap<string, string>>
): ReadonlyArray<SceneCommit> => {
  const git = (args: ReadonlyArray<string>, input = "") =>
    execFileSync("git", ["-C", folder, ...args], {
      input,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
      maxBuffer: 64 * 1024 * 1024
    })
  mkdirSync(folder, { recursive: true })
  git(["init", "-q", "--bare", "-b", "main", "--template="])
  const stream = generations.map((files, n) => {
    const changes = [...files].map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`).join("")
    const from = n === 0 ? "" : `from :${n}\n`
    return `commit refs/heads/main\nmark :${n + 1}\ncommitter Pawl <pawl@localhost> ${1_780_000_000 + n * 60} +0000\n${data(`S${n}`)}${from}deleteall\n${changes}\n`
  })
  git(["fast-import", "--quiet"], stream.join(""))
  git(["-c", "repack.writeBitmaps=false", "-c", "pack.writeReverseIndex=false", "repack", "-q", "-a", "-d", "-n"])
  const main = git(["rev-parse", "main"]).trim()
  const commits = git(["log", "--reverse", "--format=%H %T", "main"]).trim().split("\n")
  // Git needs no more than these to read it.
  for (const name of ["config", "description", "packed-refs", "logs", "info", join("objects", "info")])
    rmSync(join(folder, name), { recursive: true, force: true })
  mkdirSync(join(folder, "refs", "heads"), { recursive: true })
  writeFileSync(join(folder, "refs", "heads", "main"), main)
  return commits.map((line, n) => {
    const [commit = "", tree = ""] = line.split(" ")
    const files = generations[n] ?? new Map()
    return { commit, tree, dirHash: dirHashOf(files), files }
  })
}
