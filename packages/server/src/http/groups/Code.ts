/** The source of a Project at one of its trees: a listing, or one file. */
import { NoSource } from "@pawl/core/app/Apps"
import { demand, find } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { candidateFork, workspaceFork } from "@pawl/core/primitives/Ids"
import { type FileText, Repositories, type RepositoryRef } from "@pawl/core/project/Repositories"
import { placeOf } from "@pawl/core/project/SourceSync"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentUser } from "../../api/Authentication.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { DiffSlots, streamed } from "./DiffSlots.ts"
import { Exchange } from "../request/Exchange.ts"
import { withFinalTag } from "../answer/Validators.ts"
import { asBase64, asJsonText, isText } from "../answer/JsonPieces.ts"

/** Where a tree is kept, when it is a generation's or a Candidate's of this Project. */
const keeperOf = Effect.fnUntraced(function* (projectId: string, tree: string) {
  const records = yield* Records
  const generation = (yield* records.list("generation", { projectId, where: { tree }, limit: 1 })).items[0]
  if (generation !== undefined) return placeOf((yield* demand("head", projectId)).record, generation.record)
  const where = { tree, fork: "kept" }
  const candidate = (yield* records.list("candidate", { projectId, where, limit: 1 })).items[0]
  if (candidate === undefined) return yield* new Unknown({ kind: "tree", id: tree })
  return { project: projectId, fork: candidateFork(candidate.record.id) } satisfies RepositoryRef
})

/** A tree, and where it is kept. */
interface Place {
  readonly tree: string
  readonly ref: RepositoryRef
}

const headTree = (projectId: string) =>
  Effect.flatMap(find("head", projectId), (head) =>
    head === null ? new NoSource({ projectId }) : Effect.succeed(head.record.tree)
  )

/** Of a ChangeSet, as long as its fork is there. */
const changeSetPlace = Effect.fnUntraced(function* (projectId: string, id: string) {
  const changeSet = yield* find("changeSet", id)
  const run = changeSet === null ? null : yield* find("taskRun", changeSet.record.runId)
  if (
    changeSet === null ||
    changeSet.record.projectId !== projectId ||
    run === null ||
    run.record.forkDeletedAt !== null
  )
    return yield* new Unknown({ kind: "changeset", id })
  const ref = { project: projectId, fork: workspaceFork(changeSet.record.runId) }
  return { tree: changeSet.record.tree, ref } satisfies Place
})

const treePlace = Effect.fnUntraced(function* (projectId: string, asked: string | undefined) {
  const tree = asked ?? (yield* headTree(projectId))
  return { tree, ref: yield* keeperOf(projectId, tree) } satisfies Place
})

/** A file as JSON: `text` when its bytes are UTF-8 without a zero byte, else `base64`. It is read twice, and never whole. */
const fileAnswer = Effect.fnUntraced(function* (path: string, { pieces, sizeBytes }: FileText) {
  const slots = yield* DiffSlots
  const { user } = yield* CurrentUser
  const isLong = sizeBytes > ServerLimits.answerWholeBytes
  const exchange = yield* Exchange
  if (isLong) exchange.isAwaited(() => slots.waiting() > 0)
  const slotted = isLong ? streamed(slots, user.id, pieces) : pieces
  const isPlain = yield* isText(slotted)
  const head = JSON.stringify({ path, size: sizeBytes, [isPlain ? "text" : "base64"]: "" }).slice(0, -2)
  const json = Stream.make(head).pipe(
    Stream.concat((isPlain ? asJsonText : asBase64)(slotted)),
    Stream.concat(Stream.make('"}'))
  )
  return HttpServerResponse.stream(Stream.encodeText(json), { contentType: "application/json" })
})

/**
 * `{ tree, entries }` without a path, else the file, streamed. Fails with `Unknown` where the tree is none of the
 * Project's, or has no such file; with `NoSource` before the first generation.
 */
export const codeAnswer = Effect.fnUntraced(function* (
  projectId: string,
  asked: { readonly tree?: string; readonly changeset?: string; readonly path?: string }
) {
  const { changeset } = asked
  const { ref, tree } = yield* changeset === undefined
    ? treePlace(projectId, asked.tree)
    : changeSetPlace(projectId, changeset)
  const repositories = yield* Repositories
  const { path } = asked
  // A tree never changes, and what is read of it without its name has the tag of what it was.
  yield* withFinalTag(tree, ...(path === undefined ? [] : [path]))
  if (path === undefined) {
    const entries = yield* repositories
      .list(ref, tree)
      .pipe(Effect.catchTag("ObjectNotFound", () => new Unknown({ kind: "tree", id: tree })))
    return { tree, entries: entries.map((entry) => ({ path: entry.path, type: entry.type, size: entry.size })) }
  }
  const found = yield* repositories
    .open(ref, tree, path)
    .pipe(Effect.catchTag("ObjectNotFound", () => new Unknown({ kind: "file", id: path })))
  return yield* fileAnswer(path, found)
})
