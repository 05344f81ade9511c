import { Effect } from "effect"
import { beforeEach, expect } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import { CandidateLifecycle } from "@pawl/core/model/CandidateLifecycle"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { refute } from "@pawl/core/candidate/Refutation"
import * as Cancellation from "@pawl/core/change/Cancellation"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"

import { demand } from "@pawl/core/ledger/Decision"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, settle } from "../kit/MemoryPawl.ts"
import { eachRow } from "../kit/Rows.ts"
import { advance, askedFor, candidateOf, every, newProject, opened, newestOf } from "../kit/Scenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const statusOf = (id: string) => Effect.map(demand("candidate", id), ({ record }) => record.status)

/** A Candidate that is still at its first step: asked for, and not composed. */
const composing = Effect.gen(function* () {
  const project = yield* newProject()
  return { project, candidate: yield* askedFor(project.id, "r1", { "a.txt": "a" }) }
})
const verified = Effect.gen(function* () {
  const project = yield* newProject()
  return { project, candidate: yield* candidateOf(project.id, "r1", { "a.txt": "a" }) }
})
/** Verified under a Policy that every tier must be approved under. */
const gatedByPeople = Effect.gen(function* () {
  const project = yield* newProject()
  yield* Policies.change(person, project.id, { approvalRiskTiers: every })
  return { project, candidate: yield* candidateOf(project.id, "r1", { "a.txt": "a" }) }
})
/** Verifying again in place, under a newer Policy, its checks not run yet. */
const verifying = Effect.gen(function* () {
  const { candidate, project } = yield* verified
  yield* Policies.change(person, project.id, { requiredChecks: ["test"] })
  yield* Candidates.request(person, { changeId: candidate.changeId })
  expect(yield* statusOf(candidate.id)).toBe("verifying")
  return { project, candidate }
})

const refuted = ({ candidate }: { readonly candidate: { readonly id: string } }) =>
  Effect.gen(function* () {
    yield* refute(candidate.id, "what it was made on is gone")
    expect((yield* demand("candidate", candidate.id)).record).toMatchObject({ status: "stale", recomposition: 0 })
  })

eachRow(CandidateLifecycle, "candidate", {
  "composing × planRecorded → verifying": verified,
  "composing × notComposable → rejected": Effect.gen(function* () {
    const project = yield* newProject()
    const change = yield* opened(project.id, "r1")
    for (const text of ["one", "two"])
      yield* ChangeSets.record(person, {
        changeId: change.id,
        message: text,
        files: { "result.txt": text },
        baseGeneration: 0
      })
    const { candidate } = yield* Candidates.request(person, { changeId: change.id })
    yield* settle
    expect(yield* statusOf(candidate.id)).toBe("rejected")
  }),
  "composing × canonicalAdvanced → stale": Effect.gen(function* () {
    const project = yield* newProject()
    const rival = yield* candidateOf(project.id, "rival", { "b.txt": "b" })
    const candidate = yield* askedFor(project.id, "r1", { "a.txt": "a" })
    yield* Promotions.promote(person, rival.id)
    yield* settle
    expect(yield* statusOf(candidate.id)).toBe("stale")
  }),
  "verifying × canonicalAdvanced → stale": Effect.gen(function* () {
    const project = yield* newProject()
    const candidate = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
    yield* Policies.change(person, project.id, { requiredChecks: ["test"] })
    const rival = yield* candidateOf(project.id, "rival", { "b.txt": "b" })
    yield* Candidates.request(person, { changeId: candidate.changeId })
    expect(yield* statusOf(candidate.id)).toBe("verifying")
    yield* Promotions.promote(person, rival.id)
    yield* settle
    expect(yield* statusOf(candidate.id)).toBe("stale")
  }),
  "verified × canonicalAdvanced → stale": Effect.gen(function* () {
    const { candidate, project } = yield* verified
    yield* advance(project.id)
    yield* settle
    expect(yield* statusOf(candidate.id)).toBe("stale")
  }),
  "composing × predictionRefuted → stale": Effect.flatMap(composing, refuted),
  "verifying × predictionRefuted → stale": Effect.flatMap(verifying, refuted),
  "verified × predictionRefuted → stale": Effect.flatMap(verified, refuted),
  "verifying × checksPassed → verified": verified,
  "verifying × checksFailed → rejected": Effect.gen(function* () {
    const project = yield* newProject()
    const candidate = yield* candidateOf(project.id, "r1", { "result.txt": "broken" })
    expect(candidate.status).toBe("rejected")
  }),
  "verified × policyChanged → verifying": verifying,
  "verified × approverRejected → rejected": Effect.gen(function* () {
    const { candidate } = yield* gatedByPeople
    yield* Approvals.decide(person, { changeId: candidate.changeId, candidateId: candidate.id, decision: "rejected" })
    expect(yield* statusOf(candidate.id)).toBe("rejected")
  }),
  "verified × swapWon → promoted": Effect.gen(function* () {
    const { candidate } = yield* verified
    yield* Promotions.promote(person, candidate.id)
    expect(yield* statusOf(candidate.id)).toBe("promoted")
  }),
  "composing × changeCancelled → rejected": Effect.gen(function* () {
    const { candidate } = yield* composing
    yield* Cancellation.cancel(person, candidate.changeId)
    expect((yield* demand("candidate", candidate.id)).record.reason).toBe("change cancelled")
  }),
  "verifying × changeCancelled → rejected": Effect.gen(function* () {
    const { candidate } = yield* verifying
    yield* Cancellation.cancel(person, candidate.changeId)
    expect((yield* demand("candidate", candidate.id)).record.reason).toBe("change cancelled")
  }),
  "verified × changeCancelled → rejected": Effect.gen(function* () {
    const { candidate } = yield* verified
    yield* Cancellation.cancel(person, candidate.changeId)
    expect((yield* demand("candidate", candidate.id)).record.reason).toBe("change cancelled")
  }),
  "stale × recompositionsExhausted → blocked": Effect.gen(function* () {
    const { candidate, project } = yield* verified
    for (const _ of ["first", "second", "third"]) {
      yield* advance(project.id)
      yield* settle
    }
    expect(yield* statusOf(candidate.id)).toBe("stale")
    const newest = yield* newestOf(candidate.lineage)
    expect(newest).toMatchObject({ status: "blocked", recomposition: 2 })
  })
})
