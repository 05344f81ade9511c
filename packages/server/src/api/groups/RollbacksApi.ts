/** Rollbacks: an older tree as a new generation. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RiskTier } from "@pawl/core/model/Change"
import { FileChange } from "@pawl/core/model/ChangeSet"
import { CandidateId, ChangeId, ObjectId } from "@pawl/core/primitives/Ids"
import { Timestamp } from "@pawl/core/primitives/Time"
import { Authenticated } from "../Authentication.ts"
import { about, reading, writing } from "../Needs.ts"
import { ById } from "../PageParams.ts"
import { CandidateRecord, ChangeRecord } from "../RecordSchemas.ts"
import { NonNegativeInt } from "../DocumentSchemas.ts"

const RollbackBody = Schema.Struct({
  /** The generation whose tree is to be canonical again. It is older than the head. */
  targetGeneration: NonNegativeInt,
  /** The head that the caller has seen. */
  expectedGeneration: NonNegativeInt,
  /** Why, in a line: it stands in the Change as `rollbackReason`, and in the history. */
  reason: Schema.optionalKey(Schema.String)
})

const RollbackAnswer = Schema.Struct({ change: ChangeRecord, candidate: CandidateRecord })

const PlanBody = Schema.Struct({
  /** The generation to go back to. It is older than the head. */
  targetGeneration: NonNegativeInt,
  /** The head that the caller has seen; without it any head will do. */
  expectedGeneration: Schema.optionalKey(NonNegativeInt)
})

const At = Schema.Struct({ generation: Schema.Finite, commit: ObjectId, tree: ObjectId })

const Plan = Schema.Struct({
  /** The head that all of it is about: the `expectedGeneration` of the rollback. */
  head: At,
  target: At,
  /** What changes from the head to the target: the first files, and counts of all. Null when they cannot be compared. */
  changed: Schema.NullOr(
    Schema.Struct({
      files: Schema.Array(FileChange),
      filesTotal: Schema.Finite,
      additions: Schema.Finite,
      deletions: Schema.Finite
    })
  ),
  /** The generations that are undone, the newest first; `undoneTotal` counts all. */
  undone: Schema.Array(
    Schema.Struct({
      generation: Schema.Finite,
      promotedAt: Timestamp,
      change: Schema.NullOr(
        Schema.Struct({
          id: ChangeId,
          goal: Schema.String,
          kind: Schema.Literals(["goal", "rollback"]),
          riskTier: RiskTier
        })
      )
    })
  ),
  undoneTotal: Schema.Finite,
  /** The riskiest of what it undoes. */
  riskTier: RiskTier,
  checks: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String })),
  policyVersion: Schema.Finite,
  /** How many people must approve, 0 for none; whether each signs with a passkey; whether who asks may be one of them. */
  approval: Schema.Struct({ owed: Schema.Finite, signed: Schema.Boolean, self: Schema.Boolean }),
  /** What it does not bring back; null where it is released to nothing that keeps data. */
  dataWarning: Schema.NullOr(Schema.String),
  /** The same rollback, where somebody asked for it on this head already. */
  underWay: Schema.NullOr(Schema.Struct({ changeId: ChangeId, candidateId: CandidateId }))
})

/** What a rollback would do, and the call that opens a Change of kind `rollback`. */
export const RollbacksApi = HttpApiGroup.make("rollbacks")
  .add(
    HttpApiEndpoint.post("create", "/v1/projects/:id/rollback", {
      params: ById,
      payload: RollbackBody,
      success: RollbackAnswer.pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      about(
        writing,
        "Ask for a rollback",
        "Answers a Change with a Candidate of the older tree, to be approved and promoted as any other; the same again answers the same while it is under way. 409 `stale` when `expectedGeneration` is not the head, whatever the target; then 404 `unknown_generation`; then 400 when the target is not older than the head."
      )
    )
  )
  .add(
    HttpApiEndpoint.post("plan", "/v1/projects/:id/rollback/plan", {
      params: ById,
      payload: PlanBody,
      success: Schema.Struct({ plan: Plan })
    }).annotateMerge(
      about(
        reading,
        "What a rollback would do",
        "Stores nothing. What changes, the Changes that are undone, the risk and the approvals that the gate will ask for, on the head of now. 409 `stale` when `expectedGeneration` is given and is not the head; 404 `unknown_generation`; 400 when the target is not older than the head."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Rollbacks")
