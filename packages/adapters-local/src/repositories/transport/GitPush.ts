/** Takes a push into a place of its own, which goes away with the answer. Nothing of it reaches a repository that stays. */
import { randomUUID } from "node:crypto"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { checkTree } from "@pawl/core/project/Edits"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../../LocalLimits.ts"
import { type FileContent, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { failed, run, short } from "../GitCommand.ts"
import { bareConfig, makingMark } from "../FolderFiles.ts"
import { io, sweepMaking } from "../GitFolder.ts"
import { present } from "../GitLookup.ts"
import { isAncestor } from "../GitMerge.ts"
import type { GitReaders } from "../GitReaders.ts"
import { readTree, type Tree } from "../GitTree.ts"
import type { GitWriter } from "../GitWriter.ts"
import { measurePack } from "./PackBounds.ts"
import { pushedEdits } from "./PushedEdits.ts"
import { PackRefused, type Pushed, type PushReceiver } from "./PushReceiver.ts"
import { isObjectId } from "../RepositoryPath.ts"

type Service = typeof PushReceiver.Service

const settings = [
  // It is thrown away.
  "core.fsync=none",
  "pack.threads=1",
  "core.deltaBaseCacheLimit=32m",
  // What is larger than Pawl takes is never held whole.
  `core.bigFileThreshold=${Limits.sourceFileBytes + 1}`
]
const env = { GIT_ALLOC_LIMIT: String(LocalLimits.gitPushAllocationBytes) }

const makePlace = async (place: string): Promise<void> => {
  for (const folder of ["objects/info", "objects/pack", "refs"]) await mkdir(join(place, folder), { recursive: true })
  await writeFile(join(place, "objects/info/alternates"), "../../canon.git/objects\n")
  await writeFile(join(place, "config"), bareConfig)
  await writeFile(join(place, "HEAD"), "ref: refs/heads/main\n")
}

/** git's own words for what is wrong with an object, without ids of this machine's files. */
const objection = (stderr: string): string =>
  /^error: (object [0-9a-f]{40}: .*)$/m.exec(stderr)?.[1]?.slice(0, Limits.repeatedLength) ??
  stderr
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^fatal: /, "")
    .slice(0, Limits.repeatedLength) ??
  ""

/** Unpacks the pack. git checks each object's form, and that all that it names is there. */
const unpack = Effect.fnUntraced(function* (gitDir: string, pack: Uint8Array) {
  const args = ["index-pack", "--stdin", "--fix-thin", "--strict", `--max-input-size=${LocalLimits.gitPushBytes}`]
  const { code, stderr } = yield* short({ gitDir, args, env, settings, stdin: pack })
  if (code === 128 || code === 1) return yield* new PackRefused({ reason: objection(stderr) })
  if (code !== 0) return yield* failed(args, { code, stderr })
})

const commitOf = Effect.fnUntraced(function* (readers: GitReaders, gitDir: string, id: string) {
  const found = isObjectId(id) ? yield* readers.contents(gitDir, id, Limits.sourceFileBytes) : undefined
  if (found === undefined) return yield* new PackRefused({ reason: `${id} is not among what was sent` })
  if (found.type !== "commit") return yield* new PackRefused({ reason: `${id} is a ${found.type}, not a commit` })
  const text = Buffer.from(found.body).toString("utf8")
  const end = text.indexOf("\n\n")
  return { tree: text.slice("tree ".length, "tree ".length + 40), message: end < 0 ? "" : text.slice(end + 2) }
})

const treesSince = (gitDir: string, commit: string, since: string) => {
  const args = [
    "rev-list",
    `--max-count=${LocalLimits.gitPushCommits}`,
    "--no-commit-header",
    "--format=%T",
    commit,
    `^${since}`
  ]
  return run({ gitDir, args, maxBytes: 41 * LocalLimits.gitPushCommits }).pipe(
    Effect.catchTag(
      "TooMuchOutput",
      () => new RepositoriesUnavailable({ operation: "rev-list", reason: "it said too much" })
    ),
    Effect.flatMap((result) =>
      result.code === 0
        ? Effect.succeed<ReadonlySet<string>>(new Set(result.stdout.toString("latin1").split("\n")))
        : failed(args, result)
    )
  )
}

/** What is to be written and deleted to make one tree out of another. */
const editsBetween = Effect.fnUntraced(function* (readers: GitReaders, gitDir: string, from: Tree, to: Tree) {
  const { deleted, written } = yield* Effect.fromResult(pushedEdits(from.files, to.files))
  const edits = new Map<string, FileContent | null>(deleted.map((path) => [path, null]))
  const ids = [...new Set(written.map(([, id]) => id))]
  const blobs = yield* readers.allContents(gitDir, ids, Limits.sourceFileBytes)
  const contents = new Map(ids.map((id, at) => [id, blobs[at]?.body]))
  for (const [path, id] of written) {
    const body = contents.get(id)
    if (body === undefined)
      return yield* new RepositoriesUnavailable({ operation: "receive", reason: `object ${id} is not there` })
    edits.set(path, { base64: Base64.encode(body) })
  }
  return Object.fromEntries(edits)
})

/**
 * `PushReceiver.receive`: unpacks beside canonical, lets the caller look, and removes the place whatever comes of it.
 */
export const receive =
  ({ path: pathOf, readers, writing }: GitWriter): Service["receive"] =>
  ({ commit, pack, project }, look) =>
    Effect.andThen(
      measurePack(pack),
      writing({ project }, (canonical) =>
        Effect.gen(function* () {
          yield* present(canonical)
          yield* io("receive", () => sweepMaking(canonical))
          const place = join(canonical.projectDir, `${makingMark}push-${randomUUID()}`)
          const looking = Effect.gen(function* () {
            yield* unpack(place, pack)
            const { message, tree } = yield* commitOf(readers, place, commit)
            const sent = yield* readTree(place, tree)
            yield* Effect.fromResult(checkTree(sent.files))
            const pushed: Pushed = {
              commit,
              tree,
              message,
              holds: (ancestor) => isAncestor(place, ancestor, commit),
              treesSince: (since) => treesSince(place, commit, since),
              editsFrom: (base, at) =>
                Effect.gen(function* () {
                  const keeper = yield* pathOf(at)
                  yield* present(keeper)
                  return yield* editsBetween(readers, place, yield* readTree(keeper.gitDir, base), sent)
                })
            }
            return yield* look(pushed)
          })
          return yield* Effect.acquireUseRelease(
            io("receive", () => makePlace(place)),
            () => looking,
            () =>
              Effect.andThen(
                readers.close(place),
                Effect.promise(() => rm(place, { recursive: true, force: true }).catch(() => undefined))
              )
          )
        })
      )
    )
