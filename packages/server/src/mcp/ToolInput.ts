/** What tools take, in the words that they share. */
import { Schema } from "effect"
import { ServerLimits } from "../ServerLimits.ts"

const text = (description: string) => Schema.String.annotate({ description })

/** The id of a Project. */
export const projectId = text("the Project's id, proj_…: list_projects has them")
/** The id of a Change. */
export const changeId = text("the Change's id, chg_…: list_changes has them")
/** The id of a Candidate. */
export const candidateId = text("the Candidate's id, cand_…: get_change has them")
/** A text in words. */
export const words = text

/** How many are listed at most. */
export const limit = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: ServerLimits.mcpItemsMost })).annotate({
    description: `how many at most; ${ServerLimits.mcpItems} when it is left out`
  })
)
/** Where a list goes on. */
export const cursor = Schema.optionalKey(text("nextCursor of the answer before"))
/** Where a long text goes on. */
export const offset = Schema.optionalKey(
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "nextOffset of the answer before" })
)
