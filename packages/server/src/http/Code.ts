/** The source of a Project at one of its trees: a listing, or one file. */
import { NoSource } from "@pawl/core/app/Apps"
import { demand, find } from "@pawl/core/ledger/Deciding"
import { Records } from "@pawl/core/ledger/Records"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { candidateFork } from "@pawl/core/primitives/Ids"
import { Repositories, type RepositoryRef } from "@pawl/core/project/Repositories"
import { placeOf } from "@pawl/core/promotion/SourceSync"
import { Effect, Encoding } from "effect"

/** Where a tree is kept, when it is a generation's or a Candidate's of this Project. */
const keeperOf = (projectId: string, tree: string) =>
  Effect.gen(function* () {
    const records = yield* Records
    const generation = (yield* records.list("generation", { projectId, where: { tree }, limit: 1 })).items[0]
    if (generation !== undefined) return placeOf((yield* demand("head", projectId)).record, generation.record)
    const where = { tree, fork: "kept" }
    const candidate = (yield* records.list("candidate", { projectId, where, limit: 1 })).items[0]
    if (candidate === undefined) return yield* new Unknown({ kind: "tree", id: tree })
    return { project: projectId, fork: candidateFork(candidate.record.id) } satisfies RepositoryRef
  })

const headTree = (projectId: string) =>
  Effect.flatMap(find("head", projectId), (head) =>
    head === null ? new NoSource({ projectId }) : Effect.succeed(head.record.tree)
  )

/** Text when the bytes are UTF-8 without a zero byte, else base64. */
const contentOf = (bytes: Uint8Array): { readonly text: string } | { readonly base64: string } => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes("\0")) return { text }
  } catch {
    // Not UTF-8.
  }
  return { base64: Encoding.encodeBase64(bytes) }
}

export const codeAnswer = (projectId: string, asked: { readonly tree?: string; readonly path?: string }) =>
  Effect.gen(function* () {
    const tree = asked.tree ?? (yield* headTree(projectId))
    const ref = yield* keeperOf(projectId, tree)
    const repositories = yield* Repositories
    const { path } = asked
    if (path === undefined) {
      const entries = yield* repositories
        .list(ref, tree)
        .pipe(Effect.catchTag("ObjectNotFound", () => new Unknown({ kind: "tree", id: tree })))
      return { tree, entries: entries.map((entry) => ({ path: entry.path, type: entry.type, size: entry.size })) }
    }
    const bytes = yield* repositories
      .read(ref, tree, path)
      .pipe(Effect.catchTag("ObjectNotFound", () => new Unknown({ kind: "file", id: path })))
    return { path, size: bytes.length, ...contentOf(bytes) }
  })
