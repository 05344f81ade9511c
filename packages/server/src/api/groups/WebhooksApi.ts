/** Addresses outside that are told of a Project's events. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EventType } from "@pawl/core/model/Event"
import { Authenticated } from "../Authentication.ts"
import { about, administering } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { WebhookDeliveryRecord, WebhookRecord } from "../RecordSchemas.ts"

const NewWebhookBody = Schema.Struct({
  /** `https://…`, on the public internet. */
  url: Schema.String,
  /** Default: all types. */
  eventTypes: Schema.optionalKey(Schema.Array(EventType))
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
    HttpApiEndpoint.delete("remove", "/v1/webhooks/:id", {
      params: ById,
      success: Schema.Struct({ webhook: WebhookRecord })
    }).annotateMerge(about(administering, "Delete a webhook", "What waits to be delivered to it is not sent."))
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/v1/webhooks/:id/rotate-secret", {
      params: ById,
      success: WithSecret
    }).annotateMerge(
      about(
        administering,
        "Give a webhook a new secret",
        "The new one is shown this once. Deliveries carry the signatures of both for 24 hours, so that the receiver can change over; then the old one signs nothing."
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
        "One that waits does not wait any longer; one that has ended has all its tries again, beside the order of events. 409 `webhook_inactive`."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Webhooks")
