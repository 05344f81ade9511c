/**
 * `pawl import` of a slug that a Project has already. One whose app never came to live goes on: its source is sent again
 * as a Change, which is checked and promoted like every other. Any other Project is left alone, and the words say how to
 * go on.
 */
import { Effect } from "effect"
import type { PawlClient } from "../../api/Client.ts"
import { Problem } from "../../api/Problem.ts"
import type { AppRecord, CanonicalRecord, ProjectRecord } from "../../api/RecordSchemas.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { sha256, utf8 } from "@pawl/core/primitives/Digest"
import { outcome, outcomeLines } from "./ImportOutcome.ts"
import type { LocalProject } from "./LocalProject.ts"
import { asking, CannotAsk, telling, type RemoteOptions } from "./Remote.ts"

interface Project {
  readonly project: typeof ProjectRecord.Type
  readonly canonical: typeof CanonicalRecord.Type | null
}

interface App {
  readonly enabled: boolean
  readonly app: typeof AppRecord.Type | null
}

/** What a Change needs as its budget. No model is asked for anything. */
const leastBudgetUsd = 0.01

const another = "Give --slug to make a Project of another name"

/** The Project that has a slug, as far as the caller may see it. */
const holder = Effect.fnUntraced(function* (client: PawlClient, slug: string) {
  for (let query: { readonly cursor?: string } = {}; ;) {
    const { items, nextCursor } = yield* client.projects.list({ query })
    const found = items.find((each) => each.slug === slug)
    if (found !== undefined) return found.id
    if (nextCursor === null) return null
    query = { cursor: nextCursor }
  }
})

/** Why a Project is not to be gone on with; null for one that an import left without a live app. */
const whyNot = ({ canonical, project }: Project, { app, enabled }: App): string | null => {
  const { id, slug, status } = project
  if (status === "archived") return `slug_taken: ${id} had the slug ${slug} and is archived; it keeps it. ${another}.`
  if (canonical === null) return null
  const isLive = app !== null && app.status === "live"
  if (enabled && !isLive && canonical.generation === 0) return null
  const what = isLive ? `is live at ${app.url}` : `is at S${canonical.generation}`
  return `slug_taken: ${id} has the slug ${slug} and ${what}; an import alters no Project that stands. ${another}, or send this folder as a Change of ${id}: push it with git, or POST /v1/projects/${id}/changes.`
}

/** Waits until a Candidate is checked; null when that took too long. */
const gated = Effect.fnUntraced(function* (client: PawlClient, id: string) {
  for (let waitedMs = 0; waitedMs < ServerLimits.importWaitMs; waitedMs += ServerLimits.importLookMs) {
    const { candidate } = yield* client.candidates.get({ params: { id } })
    if (candidate.status !== "composing" && candidate.status !== "verifying") return candidate
    yield* Effect.sleep(ServerLimits.importLookMs)
  }
  return null
})

/** Waits until the newest release has ended. */
const released = Effect.fnUntraced(function* (client: PawlClient, id: string) {
  for (let waitedMs = 0; waitedMs < ServerLimits.importWaitMs; waitedMs += ServerLimits.importLookMs) {
    const [newest] = (yield* client.projects.releases({ params: { id }, query: { limit: 1 } })).items
    if (newest !== undefined && newest.status !== "queued" && newest.status !== "building") return
    yield* Effect.sleep(ServerLimits.importLookMs)
  }
})

/** What the folder has otherwise than the Project, by path: what it does not hold is deleted. */
const editsOf = Effect.fnUntraced(function* (client: PawlClient, id: string, { files }: LocalProject) {
  const tree = yield* client.projects.code({ params: { id }, query: {} })
  const there = "entries" in tree ? tree.entries.filter(({ type }) => type !== "directory") : []
  const gone = there.filter(({ path }) => !Object.hasOwn(files, path)).map(({ path }) => [path, null] as const)
  return { ...files, ...Object.fromEntries(gone) }
})

/** The Candidate of the folder as a Change of the Project; the same folder has the same one. Null for nothing new. */
const candidateOf = Effect.fnUntraced(function* (client: PawlClient, id: string, local: LocalProject) {
  const digest = yield* sha256(utf8(JSON.stringify(local.files)))
  const payload = {
    clientRequestId: `pawl-import-${digest.slice(0, 32)}`,
    goal: "Import the folder again",
    budgetUsd: leastBudgetUsd,
    startPlanning: false
  }
  const { change } = yield* client.changes.create({ params: { id }, payload })
  const newest = (yield* client.candidates.list({ params: { id: change.id }, query: {} })).items.at(-1)
  if (newest !== undefined) return newest.id
  const files = yield* editsOf(client, id, local)
  const edit = { message: "Import the folder again", files, baseGeneration: 0 }
  const isNew = yield* client.changesets.create({ params: { id: change.id }, payload: edit }).pipe(
    Effect.as(true),
    // Closed is what it was cancelled as before, for there was nothing new.
    Effect.catchIf(
      (error) => error instanceof Problem && (error.code === "nothing_changed" || error.code === "change_closed"),
      () => Effect.succeed(false)
    )
  )
  if (isNew) return (yield* client.candidates.create({ params: { id: change.id }, payload: {} })).candidate.id
  yield* client.changes.cancel({ params: { id: change.id } }).pipe(
    Effect.catchIf(
      (error) => error instanceof Problem && error.code === "not_cancellable",
      () => Effect.void
    )
  )
  return null
})

/** Sends the folder as a Change, and promotes it where nobody has to decide. */
const sendAgain = Effect.fnUntraced(function* (client: PawlClient, id: string, local: LocalProject) {
  const candidateId = yield* candidateOf(client, id, local)
  if (candidateId === null) {
    yield* client.apps.deploy({ params: { id } })
    return outcomeLines(yield* outcome(client, id), id)
  }
  yield* telling(`${candidateId}: being checked`)
  const candidate = yield* gated(client, candidateId)
  const why = yield* client.candidates.why({ params: { id: candidateId } })
  if (candidate === null || !(why.canPromote || candidate.status === "promoted")) {
    const blocks = why.blocks.map(({ detail }) => `  ${detail}`)
    return { lines: [`${candidateId} is ${why.candidate.status}:`, ...blocks, why.next], exitCode: 1 }
  }
  yield* client.candidates.promote({ params: { id: candidateId } })
  yield* released(client, id)
  return outcomeLines(yield* outcome(client, id), id)
})

/** Goes on with the Project that has the slug, or fails with `CannotAsk` and what to do instead. */
export const importAgain = Effect.fnUntraced(function* (remote: RemoteOptions, slug: string, local: LocalProject) {
  const id = yield* asking(remote, (client) => holder(client, slug))
  if (id === null)
    return yield* new CannotAsk({
      reason: `slug_taken: a Project that you do not see has the slug ${slug}. ${another}.`
    })
  const there = yield* asking(remote, (client) => client.projects.get({ params: { id } }))
  const app = yield* asking(remote, (client) => client.apps.get({ params: { id } }))
  const reason = whyNot(there, app)
  if (reason !== null) return yield* new CannotAsk({ reason })
  yield* telling(`${id} has the slug ${slug} and was never live: going on with it`)
  return yield* asking(remote, (client) =>
    Effect.gen(function* () {
      if (there.canonical === null) yield* client.projects.source({ params: { id }, payload: { files: local.files } })
      const isBuilding = there.canonical === null || app.app === null || app.app.status === "building"
      return isBuilding ? outcomeLines(yield* outcome(client, id), id) : yield* sendAgain(client, id, local)
    })
  )
})
