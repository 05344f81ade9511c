/** Tasks that are worked outside, by agents that people bring. */
import { Overlap } from "@pawl/core/model/Overlap"
import { CheckShown } from "@pawl/core/model/PushedChecks"
import { Limits } from "@pawl/core/primitives/Limits"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { NonNegativeInt } from "../DocumentSchemas.ts"
import { about, reading, writing } from "../Needs.ts"
import { ById } from "../PageParams.ts"
import { ChangeSetRecord, TaskRecord, TaskRunRecord } from "../RecordSchemas.ts"

const seconds = Limits.outsideLeaseMs / 1000

const claim = HttpApiEndpoint.post("claim", "/v1/tasks/:id/claim", {
  params: ById,
  success: Schema.Struct({
    run: TaskRunRecord,
    leaseUntil: Schema.String,
    /** For this Task alone, while the run goes on. Shown once. */
    token: Schema.String,
    git: Schema.Struct({
      /** Asked with the token as the password. */
      url: Schema.String,
      /** Where the work is pushed to. What it begins with is fetched from the same name with `/base` behind it. */
      ref: Schema.String,
      /** The commit that the work begins with. */
      base: Schema.String
    })
  }).pipe(HttpApiSchema.status(201))
}).annotateMerge(
  about(
    writing,
    "Claim a ready Task for an agent of one's own",
    `Makes a run with a lease of ${seconds} seconds, and a token that reaches this Task alone. Renew the lease while the agent works: when it ends, the Task is ready again. It counts to the agents of its Change, and needs none of the server's own. 409 \`not_claimable\`, with the reason, and \`task_not_workable\`.`
  )
)

const brief = HttpApiEndpoint.get("brief", "/v1/runs/:id/brief", {
  params: ById,
  success: Schema.Struct({
    task: TaskRecord,
    brief: Schema.Struct({
      goal: Schema.String,
      title: Schema.String,
      instructions: Schema.String,
      writes: Schema.Array(Schema.String),
      /** Of a repair: what shows the failure; null else. */
      evidence: Schema.NullOr(Schema.String),
      findings: Schema.Array(Schema.Struct({ taskKey: Schema.String, text: Schema.String })),
      notes: Schema.Array(Schema.String),
      overlaps: Schema.Array(Overlap)
    }),
    /** The same in words, for a model: what strangers may have written stands in a fence. */
    text: Schema.String
  })
}).annotateMerge(
  about(reading, "What the agent of a run is to do", "Of a person's run there is a title and nothing more.")
)

const renew = HttpApiEndpoint.post("renew", "/v1/runs/:id/renew", {
  params: ById,
  success: Schema.Struct({ run: TaskRunRecord, leaseUntil: Schema.String })
}).annotateMerge(
  about(
    writing,
    "Renew the lease of a run",
    `From now on it holds for ${seconds} seconds. Asked for by who claimed the Task, or with its token. 409 \`run_not_held\` when it is over.`
  )
)

const claims = HttpApiEndpoint.post("claimPaths", "/v1/runs/:id/claims", {
  params: ById,
  payload: Schema.Struct({
    paths: Schema.Array(Schema.String).check(Schema.isMaxLength(Limits.claimsPerTask)),
    mode: Schema.optionalKey(Schema.Literals(["read", "write"]))
  }),
  success: Schema.Struct({
    /** What others write too. */
    overlaps: Schema.Array(Overlap)
  })
}).annotateMerge(
  about(
    writing,
    "Say what the agent of a run writes, or reads",
    "Others are told. It blocks nobody. 409 `run_not_held`."
  )
)

/** Where the checks of a run stand. */
const Checks = Schema.Struct({
  /** How often they were asked for, this time too. */
  number: NonNegativeInt,
  /** How often they may still be asked for. */
  left: NonNegativeInt,
  /** The commit that they run on. */
  commit: Schema.String,
  /** `dropped`: they could not be run, or the run has ended. */
  state: Schema.Literals(["running", "shown", "dropped"]),
  /** Why there are no checks: `pawl.json` cannot be read, or the Policy refuses a package; null else. */
  broken: Schema.NullOr(Schema.String),
  /** Empty until all have run. */
  results: Schema.Array(CheckShown)
})

/** The checks of a run that were asked for. */
export const ChecksAnswer = Schema.Struct({ checks: Checks })

const askChecks = HttpApiEndpoint.post("askChecks", "/v1/runs/:id/checks", {
  params: ById,
  payload: Schema.Struct({
    /** Runs them anew on a commit that they have run on. */
    again: Schema.optionalKey(Schema.Boolean)
  }),
  success: [ChecksAnswer.pipe(HttpApiSchema.status(202)), ChecksAnswer]
}).annotateMerge(
  about(
    writing,
    "Have the checks run on what was pushed",
    `Those that a Candidate of it would have, in the same sandboxes and within the same bounds. They leave no evidence, and nothing is promoted by them. 202 when they begin, 200 when they were asked for before: the same commit is checked once. Ask by GET how they stand. What is pushed and asked for meanwhile takes their place. A run may have them ${Limits.outsideCheckRuns} times. 409 \`checks_used_up\`, \`nothing_pushed\`, \`run_not_held\`.`
  )
)

const checks = HttpApiEndpoint.get("checks", "/v1/runs/:id/checks", {
  params: ById,
  success: Schema.Struct({ checks: Schema.NullOr(Checks) })
}).annotateMerge(about(reading, "How the checks of what was pushed stand", "Null where none were asked for."))

const publish = HttpApiEndpoint.post("publish", "/v1/runs/:id/publish", {
  params: ById,
  payload: Schema.Struct({ message: Schema.String }),
  success: Schema.Struct({
    run: TaskRunRecord,
    task: TaskRecord,
    /** Null where the work changed nothing. */
    changeset: Schema.NullOr(ChangeSetRecord)
  })
}).annotateMerge(
  about(
    writing,
    "End a run with what was pushed",
    "What was pushed last is the Task's ChangeSet; of a read-only Task the message is what it found. Who claimed it may ask again, and gets the same answer. 409 `nothing_pushed`, `run_not_held`."
  )
)

const giveUp = HttpApiEndpoint.post("giveUp", "/v1/runs/:id/give-up", {
  params: ById,
  payload: Schema.Struct({ reason: Schema.String }),
  success: Schema.Struct({ task: TaskRecord })
}).annotateMerge(
  about(writing, "Give a claimed Task up", "Its run ends, and the Task is `ready` again at once. 409 `run_not_held`.")
)

/** Claimed, told about, renewed, checked, published or given up. */
export const OutsideApi = HttpApiGroup.make("outside")
  .add(claim)
  .add(brief)
  .add(renew)
  .add(claims)
  .add(askChecks)
  .add(checks)
  .add(publish)
  .add(giveUp)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Tasks that are worked outside, by agents that people bring")
