/** A Candidate's preview: the bundle of its `build` check, on a host of its own. */
import { Effect } from "effect"
import type { Candidate } from "../candidate/Candidate.ts"
import { verifiedDigest } from "../evidence/CandidateEvidence.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Deciding.ts"
import { pointerKey } from "../ledger/Entities.ts"
import { previewId } from "../primitives/Ids.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { pointerRow } from "./Apps.ts"
import { bundleKey, bundlePrefix } from "./Bundle.ts"
import * as BundleStore from "./BundleStore.ts"
import type { Channel } from "./Pointer.ts"
import { PointerSignal } from "./PointerSignal.ts"

export const previewChannel = (candidate: Candidate): Channel => `preview:${previewId(candidate.id)}`

/** Writes the preview row of a Candidate whose `build` check passed, with the very bundle that the check stored. */
export const publishPreview = (candidate: Candidate) =>
  Effect.gen(function* () {
    const digest = yield* verifiedDigest(candidate.id)
    if (digest === undefined || candidate.commit === null) return
    if ((yield* Settings).appsDomain === null) return
    const key = bundleKey(bundlePrefix("app-previews", candidate.projectId, candidate.commit))
    const bundle = yield* BundleStore.find(key, digest).pipe(
      Effect.catchTag("BundleDamaged", () => Effect.succeed(null))
    )
    if (bundle === null) return
    const label = yield* decideAndCommit(previewing(candidate, candidate.commit, bundle))
    yield* (yield* PointerSignal).moved(label)
  }).pipe(Effect.withSpan("Previews.publish"))

const previewing = (candidate: Candidate, commit: string, bundle: BundleStore.StoredBundle) =>
  Effect.gen(function* () {
    const project = (yield* demand("project", candidate.projectId)).record
    const channel = previewChannel(candidate)
    const there = yield* find("pointer", pointerKey(project.id, channel))
    if (there !== null) return { answer: project.label }
    const now = yield* Time.now
    const row = pointerRow({
      project,
      channel,
      now,
      status: "live",
      served: { commit, generation: null, bundle },
      candidateId: candidate.id,
      changeId: candidate.changeId
    })
    return {
      answer: project.label,
      commit: { name: "Previews.publish", projectId: project.id, writes: [Commit.insert("pointer", row)] }
    }
  })
