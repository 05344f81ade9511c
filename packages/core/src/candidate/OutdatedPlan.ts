/** Whether a plan still says what it would say if it were made now. */
import { Effect } from "effect"
import type { Policy } from "../model/Policy.ts"
import { demand } from "../ledger/Decision.ts"
import { mustBuild } from "./RollbackPlan.ts"
import { releasesTo } from "../project/ReleaseTargets.ts"
import type { Candidate } from "../model/Candidate.ts"

/**
 * Made under another Policy, or without a build that is owed by now: by the Project's app since it was deployed, or by
 * a rollback since the bundle of its tree is gone.
 */
export const isOutdated = Effect.fnUntraced(function* (candidate: Candidate, policy: Policy) {
  const { plan, projectId, tree } = candidate
  if (plan === null || tree === null || plan.policyVersion !== policy.version) return true
  // A Candidate whose packages are refused is not built.
  if (plan.checks.some(({ kind }) => kind === "build" || kind === "packages")) return false
  const change = (yield* demand("change", candidate.changeId)).record
  if (change.kind === "rollback") return yield* mustBuild(projectId, tree)
  return (yield* releasesTo(projectId))?._tag === "App"
})
