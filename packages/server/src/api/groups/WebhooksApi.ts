/** Addresses outside that are told of a Project's events. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { WebhookFormat } from "@pawl/core/model/Webhook"
import { Limits } from "@pawl/core/primitives/Limits"
import { EventType } from "@pawl/core/model/Event"
import { Authenticated } from "../Authentication.ts"
import { about, administering } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { WebhookDeliveryRecord, WebhookRecord } from "../RecordSchemas.ts"
import { keepingOthers, namesOf, unknownOf } from "../UnknownFields.ts"

const NewWebhookBody = Schema.Struct({
  /** `https://…`, on the public internet. */
  url: Schema.String,
  /** Default: all types. */
  eventTypes: Schema.optionalKey(Schema.Array(EventType)),
  /** Default: `events`. `slack` for an incoming webhook of Slack, which is told of few types. */
  format: Schema.optionalKey(WebhookFormat)
})

/** What is not sent stays. */
const WebhookChangeBody = Schema.Struct({
  url: Schema.optionalKey(Schema.String),
  /** Null: all types. */
  eventTypes: Schema.optionalKey(Schema.NullOr(Schema.Array(EventType))),
  format: Schema.optionalKey(WebhookFormat),
  /** While it is true nothing is sent, and what happens waits. */
  paused: Schema.optionalKey(Schema.Boolean)
})

/** The fields of a change that nobody knows, such as `status`: a webhook is paused by `paused`. */
export const unknownChange = (sent: object): ReadonlyArray<string> => unknownOf(sent, namesOf(WebhookChangeBody.fields))

const RotateBody = Schema.Struct({
  /** How long the secret before signs too, in seconds; 24 hours without it. 0 after a leak: no older one signs any more. */
  graceSeconds: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: 0, maximum: Limits.webhookSecretMs / 1000 },
        { expected: `a number between 0 and ${Limits.webhookSecretMs / 1000}` }
      )
    )
  )
})

/** A webhook and its secret, which is shown this once. */
const WithSecret = Schema.Struct({ webhook: WebhookRecord, secret: Schema.String })

const DeliveryAnswer = Schema.Struct({ delivery: WebhookDeliveryRecord })

/** Making and ending them, and what was delivered. Secrets are answered once, when they are made. */
export const WebhooksApi = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/v1/projects/:id/webhooks", {
      params: ById,
      payload: NewWebhookBody,
      success: WithSecret.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      about(
        administering,
        "Tell an address of a Project's events from now on",
        "Each event is one POST with the headers of Standard Webhooks, signed with `secret`, which is shown this once. 409 `webhook_limit` when the Project has as many webhooks as it may."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/webhooks", {
      params: ById,
      query: PageParams,
      success: pageOf(WebhookRecord)
    }).annotateMerge(about(administering, "The webhooks of a Project, oldest first, without their secrets"))
  )
  .add(
    HttpApiEndpoint.patch("change", "/v1/webhooks/:id", {
      params: ById,
      payload: keepingOthers(WebhookChangeBody),
      success: Schema.Struct({
        webhook: WebhookRecord,
        /** Fields that were sent and that nobody knows, such as `status`. Not there for none. */
        ignored: Schema.optionalKey(Schema.Array(Schema.String))
      })
    }).annotateMerge(
      about(
        administering,
        "Change a webhook: where it goes, what it is told of, or pause and resume it",
        "While it is paused nothing is sent but pings. What happens meanwhile is sent in order once it is resumed. Fields that nobody knows are ignored, and `ignored` names them. 409 `webhook_inactive`."
      )
    )
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/webhooks/:id", {
      params: ById,
      success: Schema.Struct({ webhook: WebhookRecord })
    }).annotateMerge(about(administering, "Delete a webhook", "What waits to be delivered to it is not sent."))
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/v1/webhooks/:id/rotate-secret", {
      params: ById,
      payload: RotateBody,
      success: WithSecret
    }).annotateMerge(
      about(
        administering,
        "Give a webhook a new secret",
        "The new one is shown this once. Deliveries carry the signatures of both for 24 hours, or as many seconds as `graceSeconds` says, so that the receiver can change over; then the old one signs nothing. With `graceSeconds: 0` no older one signs any more, from now on."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("deliveries", "/v1/webhooks/:id/deliveries", {
      params: ById,
      query: PageParams,
      success: pageOf(WebhookDeliveryRecord)
    }).annotateMerge(
      about(
        administering,
        "What a webhook was told, newest first, and how it went",
        "`event`, `state`, how many `tries`, `nextTryAt` and `lastStatus`."
      )
    )
  )
  .add(
    HttpApiEndpoint.post("ping", "/v1/webhooks/:id/ping", {
      params: ById,
      success: DeliveryAnswer.pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      about(
        administering,
        "Send a webhook a test message",
        "Its `type` is `webhook.ping`. It is tried once; the list of deliveries says how it went. When it arrives, what waits for its next try is tried at once. 409 `webhook_inactive`."
      )
    )
  )
  .add(
    HttpApiEndpoint.post("redeliver", "/v1/webhook-deliveries/:id/redeliver", {
      params: ById,
      success: DeliveryAnswer.pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      about(
        administering,
        "Send a delivery once more, now",
        "One that waits does not wait any longer; one that has ended has all its tries again, beside the order of events. 409 `webhook_inactive`, `webhook_paused`."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Webhooks")
