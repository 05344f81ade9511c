/** Who made what a Candidate is composed of: read when it is composed, so that its promotion reads nothing more for it. */
import { Schema } from "effect"
import { ChangeSetId, ObjectId } from "../primitives/Ids.ts"
import { Actor } from "./Actor.ts"

/** One ChangeSet of a Candidate and its author, by ids alone. */
export const Made = Schema.Struct({
  /** Of the composition, in its order. */
  changeSet: ChangeSetId,
  /** Its commit, which the composed one was merged of. */
  digest: Schema.Struct({ gitCommit: ObjectId }),
  author: Schema.Struct({
    ...Actor.fields,
    /** Of an agent: the person who opened the Change. */
    for: Schema.optionalKey(Schema.String),
    /** Of an agent's run: the model of its last call, by its provider's name. */
    model: Schema.optionalKey(Schema.String),
    /** The tier that was asked in that call. */
    tier: Schema.optionalKey(Schema.String)
  })
})
export interface Made extends Schema.Schema.Type<typeof Made> {}
