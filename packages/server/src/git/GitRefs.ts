/** Which refs a caller is shown. They come from the ledger, so that a repository that lags behind shows nothing else. */
import { gitPublisher, statementsRef } from "@pawl/adapters-local/repositories/transport/StatementFiles"
import type { ShownRef } from "@pawl/adapters-local/repositories/transport/GitTransport"
import { user } from "@pawl/core/model/Actor"
import { NoSource } from "@pawl/core/app/Apps"
import { newestOf } from "@pawl/core/changeset/ChangeSets"
import { demand, find } from "@pawl/core/ledger/Decision"
import { generationKey } from "@pawl/core/model/Entities"
import { Records } from "@pawl/core/ledger/Records"
import { ServerLimits } from "../ServerLimits.ts"
import { candidateFork, workspaceFork } from "@pawl/core/primitives/Ids"
import { placeOf } from "@pawl/core/project/SourceSync"
import { Effect } from "effect"
import type { TaskRun } from "@pawl/core/model/Task"
import { baseRefOfTask, mainRef, refOfCandidate, refOfChange } from "./RefNames.ts"

/** Canonical at its newest generation. Fails with `NoSource` before the first. */
export const shownMain = Effect.fnUntraced(function* (projectId: string) {
  const head = yield* find("head", projectId)
  if (head === null) return yield* new NoSource({ projectId })
  const { generation, commit } = head.record
  const step = (yield* demand("generation", generationKey(projectId, generation))).record
  return { name: mainRef, commit, at: placeOf(head.record, step) } satisfies ShownRef
})

/** Signed statements, as far as they are published. */
const shownStatements = Effect.fnUntraced(function* (projectId: string) {
  const published = (yield* find("chainLog", projectId))?.record.published ?? []
  const commit = published.find(({ publisher }) => publisher === gitPublisher)?.mark ?? null
  return commit === null ? [] : [{ name: statementsRef, commit, at: { project: projectId } } satisfies ShownRef]
})

/** The Candidates that wait for a decision or a promotion: whoever approves looks at them in a clone of their own. */
const shownCandidates = Effect.fnUntraced(function* (projectId: string) {
  const listing = { projectId, where: { status: "verified" }, order: "newest" } as const
  const { items } = yield* (yield* Records).list("candidate", { ...listing, limit: ServerLimits.gitCandidatesShown })
  return items.flatMap(({ record: { commit, forkDeletedAt, id } }): ReadonlyArray<ShownRef> => {
    if (commit === null || forkDeletedAt !== null) return []
    return [{ name: refOfCandidate(id), commit, at: { project: projectId, fork: candidateFork(id) } }]
  })
})

/** What the agent of a claimed Task is shown: what its work begins with, and nothing beside it. */
export const shownOfTask = ({ id, outside, projectId, taskId }: TaskRun): ReadonlyArray<ShownRef> =>
  outside === undefined
    ? []
    : [{ name: baseRefOfTask(taskId), commit: outside.base, at: { project: projectId, fork: workspaceFork(id) } }]

/**
 * Canonical, its statements, the Candidates that wait, and of the Changes that were worked on of late the caller's own
 * newest ChangeSet. Who may read the Project may read all of it.
 */
export const shownTo = Effect.fnUntraced(function* (userId: string, projectId: string) {
  const main = yield* shownMain(projectId)
  const records = yield* Records
  const listing = { projectId, order: "newest", limit: ServerLimits.gitChangeSetsShown } as const
  const latest = (yield* records.list("changeSet", listing)).items.map(({ record }) => record).reverse()
  const refs: Array<ShownRef> = [main, ...(yield* shownStatements(projectId)), ...(yield* shownCandidates(projectId))]
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
