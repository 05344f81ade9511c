/**
 * `SourceImport` by git's own fetch: one commit, into a repository that is made for it and removed with it. Only the
 * scheme of the address is allowed, redirects are not followed, no credentials are sent, and nothing is checked out: no
 * filter, hook or submodule of the repository is ever looked at. What the other side says is told in our own words.
 */
import { randomUUID } from "node:crypto"
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { checkTree } from "@pawl/core/project/Edits"
import {
  type FileContent,
  type FileEdits,
  InvalidPath,
  type RepositoriesUnavailable
} from "@pawl/core/project/Repositories"
import {
  type ImportFault,
  type ImportOrigin,
  ImportRefused,
  ImportUnavailable,
  judgedOrigin,
  SourceImport,
  type SourceImportShape
} from "@pawl/core/project/SourceImport"
import { exactText } from "@pawl/core/primitives/Utf8"
import { Effect, Layer, Semaphore } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import { type GitOptions, run, short } from "../GitCommand.ts"
import { io } from "../GitFolder.ts"
import { GitPlace } from "../GitPlace.ts"
import { readTree, type TreeFile } from "../GitTree.ts"
import { folderOf, write } from "./GitFetch.ts"

const settings = [
  "http.followRedirects=false",
  "fetch.unpackLimit=1",
  "transfer.credentialsInUrl=die",
  "index.threads=1",
  "pack.threads=1"
]

const head = "refs/heads/main"
const refuse = (reason: string) => new ImportRefused({ reason })
const away = (error: RepositoriesUnavailable) => new ImportUnavailable({ reason: error.reason })

const refusals: ReadonlyArray<readonly [RegExp, (ref: string | undefined) => string]> = [
  [
    /Authentication failed|could not read (?:Username|Password)|error: 40[134]|not found/i,
    () => "there is no such repository that anyone may read; send a clone of it with pawl import"
  ],
  [
    /couldn't find remote ref/i,
    (ref) => (ref === undefined ? "the repository is empty" : `the repository has no branch or tag ${ref}`)
  ],
  [/error: 30\d|redirect/i, () => "its address redirects elsewhere, which is not followed; name the address itself"]
]

interface Errand {
  readonly view: string
  readonly packBytes: number
  readonly url: string
  readonly ref: string | undefined
}

/** Whether a pack stands there that was cut off at its bound: git itself does not say why it ended. */
const filledUp = ({ packBytes, view }: Errand) =>
  Effect.promise(async () => {
    const folder = join(view, "objects/pack")
    const names = await readdir(folder).catch(() => [])
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
    return sizes.some((size) => size >= packBytes)
  })

const fetched = Effect.fnUntraced(function* (errand: Errand): Effect.fn.Return<void, ImportFault> {
  const { packBytes, ref, url, view } = errand
  const flags = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"]
  const options: GitOptions = {
    gitDir: view,
    args: ["fetch", ...flags, "--no-auto-maintenance", "--", url, `+${ref ?? "HEAD"}:${head}`],
    env: {
      GIT_ALLOW_PROTOCOL: url.slice(0, url.indexOf(":")),
      GIT_ALLOC_LIMIT: `${LocalLimits.gitPushAllocationBytes}`
    },
    settings,
    timeoutMs: LocalLimits.importMs,
    ownGroup: true,
    maxFileBytes: packBytes
  }
  const { code, stderr } = yield* short(options).pipe(Effect.mapError(away))
  if (code === 0) return
  if (yield* filledUp(errand)) return yield* refuse(`it takes more than ${packBytes / 1024 ** 2} MiB, packed`)
  const found = refusals.find(([pattern]) => pattern.test(stderr))
  if (found !== undefined) return yield* refuse(found[1](ref))
  const status = /error: (5\d\d)\b/.exec(stderr)?.[1]
  return yield* new ImportUnavailable({
    reason: status === undefined ? `git fetch ended with ${code}` : `it answered ${status}`
  })
})

const notFiles: Readonly<Record<string, string>> = {
  "its mode is 120000": "it is a symbolic link; put a file in its place",
  "its mode is 160000": "it is a submodule; put its files in its place"
}

/** The tree, and each file's text or bytes. */
const contents = Effect.fnUntraced(function* (view: string): Effect.fn.Return<FileEdits, ImportFault> {
  const { files } = yield* readTree(view, `${head}^{tree}`).pipe(
    Effect.catchTags({
      RepositoriesUnavailable: away,
      InvalidPath: ({ path, reason }) => new InvalidPath({ path, reason: notFiles[reason] ?? reason })
    })
  )
  if (files.size === 0) return yield* refuse("the repository has no files")
  yield* Effect.fromResult(checkTree(files))
  const bytes = yield* blobs(view, [...files.values()])
  const read: Record<string, FileContent> = Object.create(null)
  for (const [index, path] of [...files.keys()].entries()) {
    const body = bytes[index] ?? Buffer.alloc(0)
    if (body.subarray(0, lfsMark.length).equals(lfsMark))
      return yield* new InvalidPath({ path, reason: "its content lies in Git LFS, which is not fetched" })
    read[path] = contentOf(body)
  }
  return read
})

const lfsMark = Buffer.from("version https://git-lfs.github.com/spec/v1\n")

const contentOf = (bytes: Buffer): FileContent => exactText(bytes) ?? { base64: bytes.toString("base64") }

/** What `cat-file` says before the bytes of one object: its id, `blob` and its size. */
const headerBytes = 80

/** The bytes of files, whose sizes are known, in their order. */
const blobs = Effect.fnUntraced(function* (
  view: string,
  files: ReadonlyArray<TreeFile>
): Effect.fn.Return<ReadonlyArray<Buffer>, ImportUnavailable> {
  const total = files.reduce((sum, { size }) => sum + size + headerBytes, 0)
  const broken = new ImportUnavailable({ reason: "what came cannot be read" })
  const { code, stdout } = yield* run({
    gitDir: view,
    args: ["cat-file", "--batch"],
    stdin: files.map(({ id }) => `${id}\n`).join(""),
    maxBytes: total
  }).pipe(Effect.mapError((error) => (error._tag === "TooMuchOutput" ? broken : away(error))))
  if (code !== 0) return yield* broken
  let at = 0
  return files.map(({ size }) => {
    const start = stdout.indexOf(10, at) + 1
    at = start + size + 1
    return stdout.subarray(start, start + size)
  })
})

/** What one import may take. */
interface Bounds {
  readonly hosts: ReadonlyArray<string>
  readonly packBytes: number
}

const make = (root: string, { hosts, packBytes }: Bounds, turns: Semaphore.Semaphore): SourceImportShape => ({
  files: (origin: ImportOrigin) =>
    Effect.gen(function* () {
      const judged = judgedOrigin(origin, hosts)
      if (judged instanceof ImportRefused) return yield* judged
      const view = join(folderOf(root), randomUUID())
      return yield* Effect.acquireUseRelease(
        io("import", () => write(view, new Map(), [])).pipe(Effect.mapError(away)),
        () => Effect.andThen(fetched({ view, packBytes, url: judged.url, ref: origin.ref }), contents(view)),
        () => Effect.promise(() => rm(view, { recursive: true, force: true }).catch(() => undefined))
      )
    }).pipe(turns.withPermits(1), Effect.withSpan("GitSourceImport.files"))
})

/** Imports from these hosts, by way of the folder of repositories. */
export const layer = (options: {
  readonly hosts: ReadonlyArray<string>
  /** Default: `LocalLimits.importPackBytes`. */
  readonly packBytes?: number
}): Layer.Layer<never, never, GitPlace> =>
  Layer.effect(
    SourceImport,
    Effect.map(Effect.all([GitPlace, Semaphore.make(LocalLimits.importsAtOnce)]), ([{ root }, turns]) =>
      make(root, { packBytes: LocalLimits.importPackBytes, ...options }, turns)
    )
  )
