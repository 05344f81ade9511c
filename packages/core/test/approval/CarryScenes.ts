/** Approvals given to a Candidate that another Change then overtakes. */
import { Effect } from "effect"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import { approvalsOf } from "@pawl/core/approval/Standing"
import { demand } from "@pawl/core/ledger/Decision"
import type { PolicyFields } from "@pawl/core/model/Policy"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { person, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newestOf, newProject } from "../kit/Scenes.ts"

/** What the Candidate makes of its files. */
export const own = { "own.js": "own()", "shared.js": "shared()" }

/** A Project that carries approvals over, if nothing else is said. */
export const carryingProject = (fields: Partial<PolicyFields> = {}) =>
  Effect.gen(function* () {
    const project = yield* newProject()
    const first = yield* candidateOf(project.id, "first", { "own.js": "before()", "shared.js": "before()" })
    yield* Promotions.promote(person, first.id)
    yield* settle
    yield* Policies.change(person, project.id, {
      approvalRiskTiers: ["medium", "high"],
      lane: { mode: "on", carryApprovals: "same-blobs" },
      ...fields
    })
    return project.id
  })

export const grant = (by: typeof person, candidate: { readonly changeId: string; readonly id: string }) =>
  Approvals.decide(by, { changeId: candidate.changeId, candidateId: candidate.id, decision: "granted" })

/** A Candidate that these people have granted. */
export const granted = (projectId: string, by: ReadonlyArray<typeof person> = [person]) =>
  Effect.gen(function* () {
    const candidate = yield* candidateOf(projectId, "own", own)
    yield* Effect.forEach(by, (each) => grant(each, candidate))
    return candidate
  })

/** Another Change lands, and the Candidate is composed anew on it. */
export const overtaken = (
  projectId: string,
  candidate: { readonly id: string },
  by: ReadonlyArray<typeof person> = [person],
  files: Record<string, string> = { "else.js": "elsewhere" }
) =>
  Effect.gen(function* () {
    const rival = yield* candidateOf(projectId, "rival", files)
    yield* Effect.forEach(by, (each) => grant(each, rival))
    yield* Promotions.promote(person, rival.id)
    yield* settle
    return (yield* newestOf(candidate.id))!
  })

/** The decisions on a Candidate. */
export const rowsOf = (candidate: { readonly id: string }) =>
  Effect.map(approvalsOf(candidate.id), (found) => found.map(({ record }) => record))

export const statusOf = (changeId: string) => Effect.map(demand("change", changeId), ({ record }) => record.status)
