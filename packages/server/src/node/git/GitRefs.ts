/** Which refs a caller is shown. They come from the ledger, so that a repository that lags behind shows nothing else. */
import type { ShownRef } from "@pawl/adapters-local/repositories/transport/GitTransport"
import { user } from "@pawl/core/model/Actor"
import { NoSource } from "@pawl/core/app/Apps"
import { newestOf } from "@pawl/core/changeset/ChangeSets"
import { demand, find } from "@pawl/core/ledger/Decision"
import { generationKey } from "@pawl/core/model/Entities"
import { Records } from "@pawl/core/ledger/Records"
import { ServerLimits } from "../../ServerLimits.ts"
import { workspaceFork } from "@pawl/core/primitives/Ids"
import { placeOf } from "@pawl/core/project/SourceSync"
import { Effect } from "effect"

/** The ref of canonical. */
export const mainRef = "refs/heads/main"
const changeRefs = "refs/changes/"

/** Where a Change is pushed to, and where one's own newest ChangeSet of it is fetched from. */
export const refOfChange = (changeId: string): string => `${changeRefs}${changeId}`

/** The Change that a ref names; `undefined` of any other ref. */
export const changeOfRef = (ref: string): string | undefined => {
  const id = ref.startsWith(changeRefs) ? ref.slice(changeRefs.length) : ""
  return /^chg_[0-9a-f-]{36}$/.test(id) ? id : undefined
}

/** Canonical at its newest generation. Fails with `NoSource` before the first. */
export const shownMain = Effect.fnUntraced(function* (projectId: string) {
  const head = yield* find("head", projectId)
  if (head === null) return yield* new NoSource({ projectId })
  const { generation, commit } = head.record
  const step = (yield* demand("generation", generationKey(projectId, generation))).record
  return { name: mainRef, commit, at: placeOf(head.record, step) } satisfies ShownRef
})

/** Canonical, and of the Changes that were worked on of late the caller's own newest ChangeSet. */
export const shownTo = Effect.fnUntraced(function* (userId: string, projectId: string) {
  const main = yield* shownMain(projectId)
  const records = yield* Records
  const listing = { projectId, order: "newest", limit: ServerLimits.gitChangeSetsShown } as const
  const latest = (yield* records.list("changeSet", listing)).items.map(({ record }) => record).reverse()
  const refs: Array<ShownRef> = [main]
  for (const changeId of new Set(latest.map((each) => each.changeId))) {
    const mine = newestOf(
      latest.filter((each) => each.changeId === changeId),
      user(userId)
    )
    if (mine !== undefined)
      refs.push({
        name: refOfChange(changeId),
        commit: mine.commit,
        at: { project: projectId, fork: workspaceFork(mine.runId) }
      })
  }
  return refs
})
