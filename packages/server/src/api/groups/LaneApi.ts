/** The lane: one line of a Project, in which Changes land in turn. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { LaneState } from "@pawl/core/model/Lane"
import { LaneEntryStatus, LaneOutcomeCode, LanePriority } from "@pawl/core/model/LaneEntry"
import { CandidateId, ChangeId, LaneEntryId } from "@pawl/core/primitives/Ids"
import { WhyLane } from "@pawl/core/why/WhyLane"
import { ServerLimits } from "../../ServerLimits.ts"
import { Authenticated } from "../Authentication.ts"
import { about, administering, promoting, reading } from "../Needs.ts"
import { ById } from "../PageParams.ts"

const Entry = Schema.Struct({
  id: LaneEntryId,
  changeId: ChangeId,
  /** The first words of its Change's goal. */
  title: Schema.String,
  /** The newest Candidate that was composed for it. */
  candidateId: Schema.optionalKey(CandidateId),
  state: LaneEntryStatus,
  /** From 1 on; null for one that has ended. */
  position: Schema.NullOr(Schema.Finite),
  /** The generation that it becomes when those before it land. Not there for one that is passed over, or has ended. */
  predictedGeneration: Schema.optionalKey(Schema.Finite),
  /** How many predictions of it were refuted. */
  predictions: Schema.Finite,
  priority: LanePriority,
  /** Why it is where it is, in words; null when nothing is to be said. */
  reason: Schema.NullOr(Schema.String),
  enteredAt: Schema.String,
  endedAt: Schema.optionalKey(Schema.String),
  outcome: Schema.optionalKey(
    Schema.Struct({
      code: LaneOutcomeCode,
      /** Id of who ended it, when a person did. */
      by: Schema.optionalKey(Schema.String),
      /** The generation that it became. */
      generation: Schema.optionalKey(Schema.Finite)
    })
  )
}).annotate({ identifier: "LaneEntry" })

/** One entry, where it stands. */
export const EntryAnswer = Schema.Struct({ entry: Entry })

const LaneFields = Schema.Struct({
  state: LaneState,
  /** How many entries are predicted at once; 0 when nothing is left of builds or sandbox time. */
  depth: Schema.Finite,
  /** Why it is paused, and the id of who paused it; null while it runs. */
  reason: Schema.NullOr(Schema.String),
  pausedBy: Schema.NullOr(Schema.String)
})

const LaneAnswer = Schema.Struct({
  lane: LaneFields,
  /** Those that wait, in the order of the line. */
  entries: Schema.Array(Entry),
  /** Of the newest 100 that ended, the last end first. */
  ended: Schema.Array(Entry)
}).annotate({ identifier: "Lane" })

const LandBody = Schema.Struct({
  /** What it is composed of is to land; default: all ChangeSets of the Change. */
  candidateId: Schema.optionalKey(Schema.String),
  /** `urgent` goes before those that have not begun. */
  priority: Schema.optionalKey(LanePriority),
  /** In front of all, also of those that have begun, but for those that were passed three times. Needs the role and the scope `admin`. */
  interrupt: Schema.optionalKey(Schema.Boolean)
})

const PauseBody = Schema.Struct({
  reason: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(ServerLimits.waiverReasonLength))
})

const MoveBody = Schema.Struct({
  /** The entry before which it is put; default: at the end. */
  before: Schema.optionalKey(Schema.String)
})

/** Entering, leaving, reading, holding and ordering it. */
export const LaneApi = HttpApiGroup.make("lane")
  .add(
    HttpApiEndpoint.post("land", "/v1/changes/:id/land", {
      params: ById,
      payload: LandBody,
      success: [EntryAnswer.pipe(HttpApiSchema.status(202)), EntryAnswer]
    }).annotateMerge(
      about(
        promoting,
        "Have a Change land in turn",
        "The order to promote it when it stands first, as who asked. 202 when it enters, 200 with its entry when it waits already; one that entered by itself is the caller's then, and `priority` and `interrupt` put one that waits forward. 409 `lane_off`, `change_closed`, and `candidate_limit` where it would be a Candidate too many; 400 `rollback_goes_first` for a rollback. Without `candidateId` all its ChangeSets are composed."
      )
    )
  )
  .add(
    HttpApiEndpoint.delete("leave", "/v1/changes/:id/land", { params: ById, success: EntryAnswer }).annotateMerge(
      about(
        promoting,
        "Take a Change out of the lane",
        "Answers its entry as it ended, also when that was before. With the same ChangeSets it enters by itself no more. 404 for a Change that never entered."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/projects/:id/lane", { params: ById, success: LaneAnswer }).annotateMerge(
      about(
        reading,
        "The lane of a Project",
        "Those that wait in their order, and the newest 100 that have ended, the last end first."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("entry", "/v1/lane-entries/:id", {
      params: ById,
      success: Schema.Struct({ entry: Entry, why: Schema.NullOr(WhyLane) })
    }).annotateMerge(
      about(
        reading,
        "Why an entry stands where it stands",
        "Who stands before it, what it waits for, when it is likely to land, and why each earlier prediction fell. `why` is null for one that has ended."
      )
    )
  )
  .add(
    HttpApiEndpoint.post("pause", "/v1/projects/:id/lane/pause", {
      params: ById,
      payload: PauseBody,
      success: LaneAnswer
    }).annotateMerge(
      about(
        promoting,
        "Pause the lane",
        "What runs ends; nothing is composed and nothing lands until somebody resumes it. Safe to repeat. 409 `lane_off`."
      )
    )
  )
  .add(
    HttpApiEndpoint.post("resume", "/v1/projects/:id/lane/resume", { params: ById, success: LaneAnswer }).annotateMerge(
      about(promoting, "Have a paused lane go on", "Safe to repeat. 409 `lane_off`.")
    )
  )
  .add(
    HttpApiEndpoint.post("move", "/v1/lane-entries/:id/move", {
      params: ById,
      payload: MoveBody,
      success: EntryAnswer
    }).annotateMerge(
      about(
        administering,
        "Put an entry before another one",
        "Those before which it is put count that they were passed; it stays behind those that were passed three times. 409 `change_closed` for one that has ended."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "The lane")
