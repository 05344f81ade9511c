/** Commands that failed too often and wait for a person: retry or dismiss. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { about, reading, readingOwn, writing } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { DeadLetterRecord } from "../RecordSchemas.ts"

const DeadLetterAnswer = Schema.Struct({ deadLetter: DeadLetterRecord })

/** Those of a Project, and those of the directory. */
export const DeadLettersApi = HttpApiGroup.make("deadLetters")
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/dead-letters", {
      params: ById,
      query: PageParams,
      success: pageOf(DeadLetterRecord)
    }).annotateMerge(about(reading, "The dead letters of a Project, oldest first"))
  )
  .add(
    HttpApiEndpoint.get("ofDirectory", "/v1/dead-letters", {
      query: PageParams,
      success: pageOf(DeadLetterRecord)
    }).annotateMerge(
      about(
        readingOwn,
        "The dead letters of the directory that the caller looks after, oldest first",
        "For owners: of Projects that could not be provisioned, those of the caller's organizations; of the installation's upkeep, for owners of its first organization."
      )
    )
  )
  .add(
    HttpApiEndpoint.post("retry", "/v1/dead-letters/:id/retry", {
      params: ById,
      success: DeadLetterAnswer
    }).annotateMerge(
      about(
        writing,
        "Queue a dead letter again, with its tries restored",
        "The Task of a failed `agent.wake` is ready again, and what depends on it waits for it again."
      )
    )
  )
  .add(
    HttpApiEndpoint.post("dismiss", "/v1/dead-letters/:id/dismiss", {
      params: ById,
      success: DeadLetterAnswer
    }).annotateMerge(
      about(
        writing,
        "Forget a dead letter",
        "The Task of an `agent.wake` stays blocked. A Change whose planning was given up fails. A Project whose provisioning was given up is archived."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Commands that failed too often")
