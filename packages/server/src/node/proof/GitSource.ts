/**
 * A repository as a verifier reads it: through git's own reader, with nothing of its settings that could run a program or
 * open a connection. Trees are walked by their bytes, and each file is read once.
 */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { type MaterialUnreadable, type Source } from "@pawl/core/proof/Material"
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect, type Scope } from "effect"
import { damagedLoose } from "./LooseObjects.ts"
import { oddFiles } from "./OddFiles.ts"
import { unreadable } from "./ProofFiles.ts"

const part = "repo.git"

/** No protocol is allowed, whatever the repository's own settings say: what it lacks is not fetched. */
const environment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  LC_ALL: "C",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0"
})

const settings = ["-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]

/** One run of git in a repository that may be hostile: its exit code and what it printed. */
export const gitOnce = (folder: string, args: ReadonlyArray<string>) => {
  const { error, status, stderr, stdout } = spawnSync("git", [...settings, "--git-dir", folder, ...args], {
    env: environment(),
    maxBuffer: Limits.provenObjectBytes
  })
  return { status: error === undefined ? status : null, stdout, stderr: stderr?.toString() ?? String(error) }
}

interface GitObject {
  readonly type: string
  readonly bytes: Buffer
}

/** Asks `git cat-file --batch` for one object after the other. */
class Reader {
  readonly #git: ChildProcessByStdio<Writable, Readable, null>
  readonly #chunks: AsyncIterator<Buffer>
  #rest = Buffer.alloc(0)

  constructor(folder: string) {
    this.#git = spawn("git", [...settings, "--git-dir", folder, "cat-file", "--batch"], {
      env: environment(),
      stdio: ["pipe", "pipe", "ignore"]
    })
    this.#git.on("error", () => undefined)
    this.#git.stdin.on("error", () => undefined)
    this.#chunks = this.#git.stdout[Symbol.asyncIterator]()
  }

  async #more(id: string): Promise<void> {
    const next = await this.#chunks.next()
    // It ends at an object that it cannot read.
    if (next.done === true) throw new Error(`the object ${id} is damaged`)
    this.#rest = Buffer.concat([this.#rest, next.value])
  }

  /** The object with this id; null for one that is not there. */
  async read(id: string): Promise<GitObject | null> {
    this.#git.stdin.write(`${id}\n`)
    let end = this.#rest.indexOf("\n")
    while (end < 0) {
      await this.#more(id)
      end = this.#rest.indexOf("\n")
    }
    const [, type = "", size = ""] = this.#rest.toString("latin1", 0, end).split(" ")
    this.#rest = this.#rest.subarray(end + 1)
    if (!/^[0-9]+$/.test(size)) return null
    const length = Number(size)
    if (length > Limits.provenObjectBytes) throw new Error(`${id} has ${length} bytes`)
    const parts: Array<Buffer> = []
    // One newline stands behind it.
    for (let missing = length + 1; missing > 0;) {
      if (this.#rest.length === 0) await this.#more(id)
      const piece = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(piece.length)
      missing -= piece.length
      parts.push(piece)
    }
    return { type, bytes: Buffer.concat(parts).subarray(0, length) }
  }

  close(): void {
    this.#git.kill("SIGKILL")
  }
}

interface TreeFile {
  readonly path: Buffer
  readonly line: Buffer
}

const treeMode = "40000"
const linkMode = "160000"
const idBytes = 20
/** Folders inside each other (a path has at most `Limits.pathLength` characters). */
const depthMax = Limits.pathLength

/** Walks trees. What it has read of a file or a folder it knows by its id. */
class Walk {
  readonly #reader: Reader
  readonly #digests = new Map<string, string>()
  readonly #trees = new Map<string, ReadonlyArray<TreeFile>>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async #digest(id: string): Promise<string> {
    const known = this.#digests.get(id)
    if (known !== undefined) return known
    const blob = await this.#reader.read(id)
    if (blob === null) throw new Error(`${id} is missing`)
    const digest = createHash("sha256").update(blob.bytes).digest("hex")
    this.#digests.set(id, digest)
    return digest
  }

  /** The files of a tree with their lines, by paths inside it. */
  async files(id: string, depth = 0): Promise<ReadonlyArray<TreeFile>> {
    const known = this.#trees.get(id)
    if (known !== undefined) return known
    const tree = await this.#reader.read(id)
    if (tree?.type !== "tree" || depth > depthMax) throw new Error(`${id} is no tree`)
    const files: Array<TreeFile> = []
    const { bytes } = tree
    for (let at = 0; at < bytes.length;) {
      const space = bytes.indexOf(0x20, at)
      const zero = bytes.indexOf(0, space)
      const mode = bytes.toString("latin1", at, space)
      const name = bytes.subarray(space + 1, zero)
      const child = bytes.toString("hex", zero + 1, zero + 1 + idBytes)
      if (space < 0 || zero < 0) throw new Error(`${id} is no tree`)
      at = zero + 1 + idBytes
      if (mode === treeMode)
        for (const { line, path } of await this.files(child, depth + 1)) {
          const whole = Buffer.concat([name, Buffer.from("/"), path])
          files.push({ path: whole, line: line.subarray(0, 66) })
        }
      else if (mode !== linkMode)
        files.push({ path: Buffer.from(name), line: Buffer.from(`${await this.#digest(child)}  `) })
    }
    // Large histories have a root for each generation: it is not kept.
    if (depth > 0) this.#trees.set(id, files)
    return files
  }

  async dirHash(tree: string): Promise<string> {
    const files = [...(await this.files(tree))].sort((one, other) => Buffer.compare(one.path, other.path))
    const sum = createHash("sha256")
    for (const { line, path } of files) sum.update(line).update(path).update("\n")
    return sum.digest("hex")
  }
}

const trying = <A>(work: () => Promise<A>): Effect.Effect<A, MaterialUnreadable> =>
  Effect.tryPromise({
    try: work,
    catch: (error) => unreadable(part, error instanceof Error ? error.message : String(error))
  })

/** What is wrong with the packs of a repository; null for nothing. */
const damageOf = (folder: string): string | null => {
  const packs = join(folder, "objects", "pack")
  const indices = existsSync(packs) ? readdirSync(packs).filter((name) => name.endsWith(".idx")) : []
  for (const name of indices) {
    const { status, stderr } = gitOnce(folder, ["verify-pack", join(packs, name)])
    if (status !== 0) return `a pack is damaged: ${stderr.split("\n", 1)[0]?.replaceAll(folder, part) ?? ""}`
  }
  return null
}

/** Where sources lie: the folder of git's own files, and the ref that `main` of the Project stands in. */
export interface Repository {
  readonly folder: string
  readonly main: string
}

const readerOf = (folder: string): Effect.Effect<Reader, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Reader(folder)),
    (reader) => Effect.sync(() => reader.close())
  )

/** Reads files by their names in a repository, `<ref>:<path>`, until the scope ends; null for one that is not there. */
export const gitFiles = (folder: string) =>
  Effect.map(
    readerOf(folder),
    (reader) =>
      (name: string): Effect.Effect<Uint8Array | null, MaterialUnreadable> =>
        trying(async () => {
          const found = await reader.read(name)
          return found?.type === "blob" ? found.bytes : null
        })
  )

/** A repository of which nothing is left: no commit, and no `main`. */
export const lostSource: Source = {
  commits: (ids) => Effect.succeed(ids.map(() => null)),
  main: Effect.succeed(null),
  damagedFiles: Effect.succeed([]),
  damage: Effect.succeed(null)
}

/** Reads a repository, until the scope ends. `oddIn` names what git would wait for: then nothing else is to be asked. */
export const gitSource = (
  { folder, main }: Repository,
  oddIn: (folder: string) => ReadonlyArray<string> = oddFiles
): Effect.Effect<Source, never, Scope.Scope> =>
  Effect.map(readerOf(folder), (reader): Source => {
    const walk = new Walk(reader)
    return {
      commits: (ids) =>
        trying(async () => {
          const found = []
          for (const id of ids) {
            const commit = await reader.read(id)
            const tree =
              commit?.type === "commit"
                ? /^tree ([0-9a-f]{40})\n/.exec(commit.bytes.toString("latin1", 0, 46))?.[1]
                : undefined
            found.push(tree === undefined ? null : { tree, dirHash: trying(() => walk.dirHash(tree)) })
          }
          return found
        }),
      main: Effect.sync(() => {
        const { status, stdout } = gitOnce(folder, ["rev-parse", "--verify", "--quiet", main])
        return status === 0 ? stdout.toString().trim() : null
      }),
      damagedFiles: Effect.sync(() => {
        const odd = oddIn(folder)
        return odd.length > 0 ? odd : damagedLoose(folder)
      }),
      damage: Effect.sync(() => damageOf(folder))
    }
  })
