/** Whether a plan still says what it would say if it were made now. */
import { Effect } from "effect"
import type { Policy } from "../approval/Policy.ts"
import { demand } from "../ledger/Deciding.ts"
import { releasesTo } from "../release/ReleaseTargets.ts"
import type { Candidate } from "./Candidate.ts"

/** Made under another Policy, or without the build that the Project's app owes since it was deployed. */
export const isOutdated = (candidate: Candidate, policy: Policy) =>
  Effect.gen(function* () {
    const plan = candidate.plan_json
    if (plan === null || plan.policyVersion !== policy.version) return true
    if (plan.checks.some((check) => check.kind === "build")) return false
    const change = (yield* demand("change", candidate.changeId)).record
    return change.kind !== "rollback" && (yield* releasesTo(candidate.projectId))?._tag === "App"
  })
