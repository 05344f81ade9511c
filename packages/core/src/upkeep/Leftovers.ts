/**
 * The daily look for objects of Projects and apps that were cleaned away: a process that died while it stored something
 * leaves what nobody looks for any more. What is found is cleaned away as the first time. Part of `retention.sweep`.
 */
import { Effect } from "effect"
import { bundleKinds } from "../bundle/Bundle.ts"
import { recordingLeftovers } from "../bundle/Strays.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Process } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { projectCleanup } from "../project/Archival.ts"
import { Repositories } from "../project/Repositories.ts"
import { projectKinds } from "./Cleanup.ts"

const hasObjects = Effect.fnUntraced(
  function* (projectId: string, kinds: ReadonlyArray<string>) {
    const objects = yield* ObjectStore
    for (const kind of kinds) if ((yield* objects.list(`${kind}/${projectId}/`, { limit: 1 })).length > 0) return true
    return false
  },
  Effect.catchTag("InvalidKey", Effect.die)
)

/** A page of archived Projects that count as clean. Answers where the next page begins; null at the end. */
export const sweepArchived = Effect.fnUntraced(function* (after: string | null) {
  const page = yield* (yield* Records).list("project", {
    where: { status: "archived", uncleaned: "no" },
    ...(after === null ? {} : { cursor: after })
  })
  for (const { record } of page.items) {
    yield* Effect.flatMap(Repositories, (repositories) => repositories.remove({ project: record.id }))
    if (yield* hasObjects(record.id, [...projectKinds, ...bundleKinds])) yield* decideAndCommit(uncleaning(record.id))
  }
  return page.nextCursor
})

/** It does not count as clean any more. */
const uncleaning = Effect.fnUntraced(function* (projectId: string) {
  const project = yield* find("project", projectId)
  if (project === null || project.record.cleanedAt === null) return { answer: undefined }
  const writes = [Commit.update("project", project, { cleanedAt: null })]
  const { lease } = yield* Process
  return {
    answer: undefined,
    commit: { name: "Leftovers.uncleaned", projectId, lease, writes, commands: [projectCleanup(projectId)] }
  }
})

/** A page of apps that were removed from Projects that live on. Answers where the next page begins; null at the end. */
export const sweepRemoved = Effect.fnUntraced(function* (after: string | null) {
  const page = yield* (yield* Records).list("pointer", {
    where: { channel: "production", status: "removed" },
    ...(after === null ? {} : { cursor: after })
  })
  for (const { record } of page.items) {
    if (record.leftovers === true || (yield* isArchived(record.projectId))) continue
    if (yield* hasObjects(record.projectId, bundleKinds)) yield* decideAndCommit(recordingLeftovers(record.projectId))
  }
  return page.nextCursor
})

const isArchived = (projectId: string) =>
  Effect.map(find("project", projectId), (project) => project?.record.status === "archived")
