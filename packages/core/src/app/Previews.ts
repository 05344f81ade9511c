/** A Candidate's preview: the bundle of its `build` check, on a host of its own. A Change keeps at most 3. */
import { Effect } from "effect"
import type { Candidate, CandidateStatus } from "../model/Candidate.ts"
import { verifiedDigest } from "../verification/CandidateEvidence.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Deciding.ts"
import { pointerKey } from "../model/Entities.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { Records } from "../ledger/Records.ts"
import { previewId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { AppData } from "./AppData.ts"
import { pointerRow } from "./Apps.ts"
import { bundleKey, bundlePrefix } from "../bundle/Bundle.ts"
import * as BundleStore from "../bundle/BundleStore.ts"
import { type Channel, type Pointer, pointerStatuses } from "../model/Pointer.ts"
import { PointerLifecycle } from "../model/PointerLifecycle.ts"
import { PointerSignal } from "./PointerSignal.ts"
import { ground, removed } from "./Removal.ts"

export const previewChannel = (candidate: Candidate): Channel => `preview:${previewId(candidate.id)}`

/** The preview row of a Candidate; null without one. Two Candidates may share the 8 characters that name a host: then it is the first one's. */
export const previewOf = (candidate: Candidate) =>
  Effect.map(find("pointer", pointerKey(candidate.projectId, previewChannel(candidate))), (pointer) =>
    pointer?.record.candidate_id === candidate.id ? pointer.record : null
  )

/**
 * Writes the preview row of a Candidate whose `build` check passed, with the very bundle that the check stored. When that
 * cannot be served, the row says so; no other row, and not the Candidate, minds. A Project without an app has no previews.
 */
export const publishPreview = Effect.fnUntraced(function* (candidate: Candidate) {
  const digest = yield* verifiedDigest(candidate.id)
  if (digest === undefined || candidate.commit === null) return
  if ((yield* Settings).appsDomain === null) return
  const incarnation = yield* ground(candidate.projectId)
  if (incarnation === null) return
  const key = bundleKey(bundlePrefix("app-previews", candidate.projectId, candidate.commit))
  const bundle = yield* BundleStore.find(key, digest).pipe(Effect.catchTag("BundleDamaged", () => Effect.succeed(null)))
  const published = yield* decideAndCommit(previewing(candidate, candidate.commit, bundle, incarnation))
  if (published === null) return
  // What crashes before this is wiped with the row, by the daily sweep.
  const data = yield* AppData
  yield* Effect.forEach(published.evicted, (channel) => data.wipe({ project: candidate.projectId, channel }))
  yield* (yield* PointerSignal).moved(published.label)
}, Effect.withSpan("Previews.publish"))

const previewing = Effect.fnUntraced(function* (
  candidate: Candidate,
  commit: string,
  bundle: BundleStore.StoredBundle | null,
  incarnation: number
) {
  const project = (yield* demand("project", candidate.projectId)).record
  const channel = previewChannel(candidate)
  if ((yield* find("pointer", pointerKey(project.id, channel))) !== null) return { answer: null }
  const production = yield* demand("pointer", pointerKey(project.id, "production"))
  // Removed since the bundle was looked for: it may be gone.
  if (production.record.status === "removed" || production.record.incarnation !== incarnation) return { answer: null }
  const change = yield* demand("change", candidate.changeId)
  const room = yield* roomFor(candidate)
  if (room === null) return { answer: null }
  const now = yield* Time.now
  const row = {
    project,
    channel,
    now,
    incarnation,
    candidateId: candidate.id,
    changeId: candidate.changeId
  }
  const evictions = room.flatMap((each) => {
    const gone = removed(each, now)
    return gone === null ? [] : [Commit.update("pointer", each, gone)]
  })
  return {
    answer: { label: project.label, evicted: room.map((each) => each.record.channel) },
    commit: {
      name: "Previews.publish",
      projectId: project.id,
      expects: [Commit.unchanged("pointer", pointerKey(project.id, "production"), production)],
      writes: [
        ...evictions,
        ...(bundle === null
          ? failed(pointerRow({ ...row, status: "building" }))
          : [
              Commit.insert(
                "pointer",
                pointerRow({ ...row, status: "live", served: { commit, generation: null, bundle } })
              )
            ]),
        // Touching the Change guards the rule of at most 3 against another of its Candidates.
        Commit.update("change", change, {})
      ]
    }
  }
})

const failed = (row: Pointer): ReadonlyArray<Commit.Write> => {
  const next = Lifecycle.next(PointerLifecycle, row.status, "buildFailed")
  const reason = "the bundle of the build check is missing or damaged"
  return [
    Commit.insert("pointer", row),
    ...(next._tag === "Failure"
      ? []
      : [Commit.update("pointer", { record: row, revision: 1 }, { status: next.success, reason })])
  ]
}

/** Candidates that cannot ship any more. */
const over: ReadonlyArray<CandidateStatus> = ["stale", "rejected", "promoted", "blocked"]
const serving = pointerStatuses.filter((status) => status !== "removed")

/** The rows that must go for one more preview of the Change, the oldest first; `null` when none of them may. */
const roomFor = Effect.fnUntraced(function* (candidate: Candidate) {
  const previews = yield* (yield* Records).list("pointer", {
    projectId: candidate.projectId,
    where: { changeId: candidate.changeId, status: serving },
    limit: "all"
  })
  const excess = previews.items.length + 1 - Limits.previewsPerChange
  const evicted: Array<Commit.Stored<Pointer>> = []
  for (const each of previews.items) {
    if (evicted.length >= excess) break
    const id = each.record.candidate_id
    const shown = id === null ? null : yield* find("candidate", id)
    if (shown === null || over.includes(shown.record.status)) evicted.push(each)
  }
  return evicted.length >= excess ? evicted : null
})
