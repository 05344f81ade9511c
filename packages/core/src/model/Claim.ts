/** A claim: what a Task reads or writes, known to others while it works. It blocks nobody. */
import { Schema } from "effect"
import { ChangeId, ClaimId, ProjectId, TaskId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"

/** Each status that a Claim can have (decisions, "Agents"). */
export const claimStatuses = [
  /** The agent of its Task is at work. */
  "held",
  /** Its Task ended, or waits for people. */
  "released",
  /** Nobody renewed it: who worked is gone. */
  "expired"
] as const
/** One of `claimStatuses`. */
export const ClaimStatus = Schema.Literals(claimStatuses)
export type ClaimStatus = typeof ClaimStatus.Type

/** What a Task says that it reads or writes (decisions, "Agents"). */
export const Claim = Schema.Struct({
  /** `clm_` and 24 hex digits of a digest: of its Task, its kind, its mode and its value. */
  id: ClaimId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The Change of its Task. */
  changeId: ChangeId,
  /** Who works. */
  taskId: TaskId,
  /** What `value` names. */
  kind: Schema.Literals(["path", "symbol", "route"]),
  /** A path, or a folder; `src/cart.ts#Cart.add`; or `GET /hours`. */
  value: Schema.String,
  /** Whether it is read or written. */
  mode: Schema.Literals(["read", "write"]),
  /** Where it is. */
  status: ClaimStatus,
  /** When it expires, or would have. */
  until: Timestamp,
  /** When it was first held. */
  createdAt: Timestamp,
  /** When it moved last, or was renewed. */
  updatedAt: Timestamp
}).pipe(withWireNames({ status: "state" }))
export interface Claim extends Schema.Schema.Type<typeof Claim> {}
