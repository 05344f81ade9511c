/** What a rollback would do, before anybody asks for it: what changes, what is undone, and what the gate will ask. */
import { Effect } from "effect"
import { planFrom } from "../candidate/RollbackPlan.ts"
import { demand } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change, RiskTier } from "../model/Change.ts"
import type { FileChange } from "../model/ChangeSet.ts"
import { generationKey } from "../model/Entities.ts"
import type { Generation, Head } from "../model/Generation.ts"
import type { Check } from "../model/Plan.ts"
import { Limits } from "../primitives/Limits.ts"
import { refuseArchived } from "../project/ArchivedProject.ts"
import { releasesTo } from "../project/ReleaseTargets.ts"
import { Repositories } from "../project/Repositories.ts"
import { placeOf } from "../project/SourceSync.ts"
import { reading, underWayOrNext } from "./Rollbacks.ts"

/** A generation that is undone. */
export interface Undone {
  readonly generation: number
  readonly promotedAt: Generation["promotedAt"]
  /** Null for one that no Change made. */
  readonly change: Pick<Change, "id" | "goal" | "kind" | "riskTier"> | null
}

/** What changes in the source, from the head to the target. */
export interface Changed {
  /** The first of them, in the order of the diff. */
  readonly files: ReadonlyArray<FileChange>
  readonly filesTotal: number
  readonly additions: number
  readonly deletions: number
}

/** What a rollback would do on one head. */
export interface Outlook {
  readonly head: Pick<Head, "generation" | "commit" | "tree">
  readonly target: Pick<Generation, "generation" | "commit" | "tree">
  /** Null where the trees are too large to be compared. */
  readonly changed: Changed | null
  /** The newest first; `undoneTotal` counts all. */
  readonly undone: ReadonlyArray<Undone>
  readonly undoneTotal: number
  readonly riskTier: RiskTier
  readonly checks: ReadonlyArray<Pick<Check, "id" | "title">>
  readonly policyVersion: number
  readonly approval: {
    /** How many people must approve; 0 for none. */
    readonly owed: number
    /** Whether each must sign with a passkey. */
    readonly signed: boolean
    /** Whether who asks for the rollback may approve it. */
    readonly self: boolean
  }
  /** What it does not bring back, in words; null where it is released to nothing that keeps data. */
  readonly dataWarning: string | null
  /** The same rollback, where it was asked for on this head already. */
  readonly underWay: { readonly changeId: Change["id"]; readonly candidateId: Candidate["id"] } | null
}

const undoneBetween = Effect.fnUntraced(function* (projectId: string, target: number, head: number) {
  const count = Math.min(head - target, Limits.undoneNamed)
  const keys = Array.from({ length: count }, (_, index) => generationKey(projectId, head - index))
  const records = yield* Records
  const found = yield* records.many("generation", keys)
  const generations = keys.flatMap((key) => found.get(key)?.record ?? [])
  const changes = yield* records.many("change", [...new Set(generations.flatMap(({ changeId }) => changeId ?? []))])
  return generations.map(({ changeId, generation, promotedAt }): Undone => {
    const change = changeId === null ? undefined : changes.get(changeId)?.record
    if (change === undefined) return { generation, promotedAt, change: null }
    const { goal, id, kind, riskTier } = change
    return { generation, promotedAt, change: { id, goal, kind, riskTier } }
  })
})

/** What lies in the source between two commits, without its text. */
const changedBetween = Effect.fnUntraced(function* (head: Head, from: Generation, to: Generation) {
  const repositories = yield* Repositories
  const text = yield* repositories.diffText(placeOf(head, from), from.commit, to.commit)
  const changes = yield* text.changes
  const sum = (of: (file: FileChange) => number) => changes.reduce((total, file) => total + of(file), 0)
  return {
    files: changes.slice(0, Limits.rollbackFilesNamed),
    filesTotal: changes.length,
    additions: sum(({ additions }) => additions),
    deletions: sum(({ deletions }) => deletions)
  } satisfies Changed
})

const warningOf = (target: number): string =>
  `Data stays as it is: what the app stored since S${target} is not undone, and the code of S${target} must be able to read it.`

/**
 * What going back would do on the head. Refuses as `Rollbacks.request` does; without an expected head any will do. Nothing
 * is stored.
 */
export const foresee = Effect.fnUntraced(
  function* (projectId: string, targetGeneration: number, expectedGeneration: number | null) {
    yield* refuseArchived(projectId)
    const { head, target } = yield* reading({ projectId, targetGeneration, expectedGeneration })
    const { commit, generation, tree } = head.record
    const policy = (yield* demand("policy", projectId)).record
    const plan = yield* planFrom(target, generation, policy)
    const top = (yield* demand("generation", generationKey(projectId, generation))).record
    const found = yield* underWayOrNext({ projectId, targetGeneration, expectedGeneration: generation })
    return {
      head: { generation, commit, tree },
      target: { generation: target.generation, commit: target.commit, tree: target.tree },
      changed: yield* changedBetween(head.record, top, target).pipe(
        Effect.catchTag("TreeTooLarge", () => Effect.succeed(null)),
        Effect.catchTag("ObjectNotFound", Effect.die)
      ),
      undone: yield* undoneBetween(projectId, target.generation, generation),
      undoneTotal: generation - target.generation,
      riskTier: plan.riskTier,
      checks: plan.checks.map(({ id, title }) => ({ id, title })),
      policyVersion: policy.version,
      approval: {
        owed: plan.approvalRequired ? policy.approvalsRequired : 0,
        signed: plan.approvalRequired && (policy.approvalsSigned ?? []).includes(plan.riskTier),
        self: policy.allowSelfApproval
      },
      dataWarning: (yield* releasesTo(projectId)) === null ? null : warningOf(target.generation),
      underWay: found._tag === "Next" ? null : { changeId: found.change.record.id, candidateId: found.candidate.id }
    } satisfies Outlook
  },
  (effect, projectId) => effect.pipe(Effect.withSpan("Rollbacks.foresee", { attributes: { projectId } }))
)
