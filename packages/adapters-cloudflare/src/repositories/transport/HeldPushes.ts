/** Takes a push into memory, where it is looked at and forgotten. Nothing of it reaches a repository that stays. */
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { PackRefused, type Pushed, type PushReceiver } from "@pawl/adapters-local/repositories/transport/PushReceiver"
import { pushedEdits } from "@pawl/adapters-local/repositories/transport/PushedEdits"
import { checkTree } from "@pawl/core/project/Edits"
import { type FileContent, type InvalidPath, ObjectNotFound, type TreeTooLarge } from "@pawl/core/project/Repositories"
import { Limits } from "@pawl/core/primitives/Limits"
import { textOf } from "@pawl/core/primitives/Utf8"
import { CloudflareLimits } from "../../CloudflareLimits.ts"
import { commitLinks, type GitObject } from "../GitObject.ts"
import type { HeldRepositories } from "../HeldRepositories.ts"
import { BadPack, objectsIn, type PackBounds } from "../Pack.ts"
import { type Objects, type Tree, treeOf } from "../Tree.ts"

type Receive = typeof PushReceiver.Service.receive

const bounds: PackBounds = {
  objects: CloudflareLimits.gitPushObjects,
  objectBytes: Limits.sourceFileBytes,
  unpackedBytes: CloudflareLimits.gitPushUnpackedBytes
}

const refused = (reason: string) => Result.fail(new PackRefused({ reason }))

/** What was sent, before what canonical has. */
const unpacked = (pack: Uint8Array, canonical: Objects): Result.Result<Objects, PackRefused> =>
  Result.try({
    try: () => {
      const sent = new Map<string, GitObject>()
      for (const object of objectsIn(pack, (id) => canonical.get(id), bounds)) sent.set(object.id, object)
      return { get: (id: string) => sent.get(id) ?? canonical.get(id) }
    },
    catch: (error) =>
      new PackRefused({ reason: error instanceof BadPack ? error.reason : "the pack is damaged: it cannot be read" })
  })

interface SentCommit {
  readonly tree: string
  readonly message: string
  /** Its history, the newest first: whole down to where it began. */
  readonly trees: ReadonlyMap<string, string>
}

/** Commits from one on, each with its tree. Fails where one is missing. */
const treesFrom = (objects: Objects, commit: string): Result.Result<ReadonlyMap<string, string>, PackRefused> => {
  const found = new Map<string, string>()
  const waiting = new Set([commit])
  for (const id of waiting) {
    const object = objects.get(id)
    if (object === undefined) return refused(`${id} is not among what was sent`)
    if (object.type !== "commit") return refused(`${id} is a ${object.type}, not a commit`)
    const { parents, tree } = commitLinks(object.body)
    found.set(id, tree)
    for (const parent of parents) waiting.add(parent)
  }
  return Result.succeed(found)
}

const commitOf = (objects: Objects, id: string): Result.Result<SentCommit, PackRefused> =>
  Result.map(treesFrom(objects, id), (trees) => {
    const text = textOf(objects.get(id)?.body ?? new Uint8Array())
    const end = text.indexOf("\n\n")
    return { tree: trees.get(id) ?? "", message: end < 0 ? "" : text.slice(end + 2), trees }
  })

/** The tree of what was sent: whole, and one that Pawl keeps. */
const sentTree = (objects: Objects, tree: string): Result.Result<Tree, PackRefused | InvalidPath | TreeTooLarge> =>
  Result.gen(function* () {
    const sent = yield* Result.mapError(treeOf(objects, tree), (error) =>
      error._tag === "ObjectNotFound" ? new PackRefused({ reason: `${error.id} is not among what was sent` }) : error
    )
    yield* checkTree(sent.files)
    return sent
  })

const contentsOf = (
  objects: Objects,
  from: Tree,
  to: Tree
): Result.Result<Record<string, FileContent | null>, InvalidPath | ObjectNotFound> =>
  Result.gen(function* () {
    const { deleted, written } = yield* pushedEdits(from.files, to.files)
    const edits = new Map<string, FileContent | null>(deleted.map((path) => [path, null]))
    for (const [path, id] of written) {
      const file = objects.get(id)
      if (file === undefined) return yield* Result.fail(new ObjectNotFound({ what: "file", id }))
      edits.set(path, { base64: Base64.encode(file.body) })
    }
    return Object.fromEntries(edits)
  })

/** Trees of the newest commits that another one does not hold. */
const treesSince = (objects: Objects, trees: SentCommit["trees"], since: string): ReadonlySet<string> => {
  const before = Result.getOrElse(treesFrom(objects, since), () => new Map<string, string>())
  const found = new Set<string>()
  let left = CloudflareLimits.gitPushCommits
  for (const [id, tree] of trees) if (!before.has(id) && left-- > 0) found.add(tree)
  return found
}

/** `PushReceiver` on repositories that are held. */
export const make = (held: HeldRepositories): { readonly receive: Receive } => ({
  receive: ({ commit, pack, project }, look) =>
    Effect.gen(function* () {
      const canonical = yield* held.line({ project })
      const objects = yield* Effect.fromResult(unpacked(pack, canonical))
      const { message, tree, trees } = yield* Effect.fromResult(commitOf(objects, commit))
      const sent = yield* Effect.fromResult(sentTree(objects, tree))
      const pushed: Pushed = {
        commit,
        tree,
        message,
        holds: (ancestor) => Effect.succeed(trees.has(ancestor)),
        treesSince: (since) => Effect.sync(() => treesSince(objects, trees, since)),
        editsFrom: (base, at) =>
          Effect.gen(function* () {
            const from = yield* Effect.fromResult(treeOf(yield* held.line(at), base))
            return yield* Effect.fromResult(contentsOf(objects, from, sent))
          })
      }
      return yield* look(pushed)
    })
})
