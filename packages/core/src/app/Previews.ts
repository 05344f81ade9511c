/** A Candidate's preview: the bundle of its `build` check, on a host of its own. A Change keeps at most 3. */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Candidate, CandidateStatus } from "../model/Candidate.ts"
import { verifiedDigest } from "../verification/CandidateEvidence.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { pointerKey } from "../model/Entities.ts"
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
import { PointerSignal } from "./PointerSignal.ts"
import { incarnationOf, takeDown } from "./Removal.ts"

/** `preview:` and the first 8 hex characters of the Candidate's id. */
export const previewChannel = (candidate: Candidate): Channel => `preview:${previewId(candidate.id)}`

/** The preview row of a Candidate; null without one. Two Candidates may share the 8 characters that name a host: then it is the first one's. */
export const previewOf = (candidate: Candidate) =>
  Effect.map(find("pointer", pointerKey(candidate.projectId, previewChannel(candidate))), (pointer) =>
    pointer?.record.candidateId === candidate.id ? pointer.record : null
  )

/**
 * Writes the preview row of a Candidate whose `build` check passed, with the very bundle that the check stored. When that
 * cannot be served, the row says so; no other row, and not the Candidate, minds. A Project without an app has no previews.
 */
export const publishPreview = Effect.fnUntraced(function* (candidate: Candidate) {
  const digest = yield* verifiedDigest(candidate.id)
  if (digest === undefined || candidate.commit === null) return
  if ((yield* Settings).appsDomain === null) return
  const incarnation = yield* incarnationOf(candidate.projectId)
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
  const draft = Draft.begin(project.id, system("Previews.publish"), now)
  Draft.expect(draft, Commit.unchanged("pointer", pointerKey(project.id, "production"), production))
  for (const each of room) takeDown(draft, each)
  const row = { project, channel, now, incarnation, candidateId: candidate.id, changeId: candidate.changeId }
  if (bundle === null) {
    const reason = "the bundle of the build check is missing or damaged"
    const building = Draft.insert(draft, "pointer", pointerRow({ ...row, status: "building" }))
    Draft.step(draft, "pointer", building, "buildFailed", { reason })
  } else {
    const served = { commit, generation: null, bundle }
    Draft.insert(draft, "pointer", pointerRow({ ...row, status: "live", served }))
  }
  // Touching the Change guards the rule of at most 3 against another of its Candidates.
  Draft.update(draft, "change", change, {})
  return {
    answer: { label: project.label, evicted: room.map((each) => each.record.channel) },
    commit: Draft.end(draft, { name: "Previews.publish" })
  }
})

/** Candidates that cannot ship any more. */
const closedStatuses: ReadonlyArray<CandidateStatus> = ["stale", "rejected", "promoted", "blocked"]
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
    const id = each.record.candidateId
    const shown = id === null ? null : yield* find("candidate", id)
    if (shown === null || closedStatuses.includes(shown.record.status)) evicted.push(each)
  }
  return evicted.length >= excess ? evicted : null
})
