/** Addresses outside that are told of a Project's events. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EventType } from "@pawl/core/event/Event"
import { Authenticated } from "./Authentication.ts"
import { about, administering } from "./Needs.ts"
import { ById, PageParams, pageOf } from "./Paging.ts"
import { WebhookDeliveryRecord, WebhookRecord } from "./Records.ts"

export const NewWebhookBody = Schema.Struct({
  /** `https://…`, on the public internet. */
  url: Schema.String,
  /** Default: all types. */
  eventTypes: Schema.optionalKey(Schema.Array(EventType))
})

/** A webhook and its secret, which is shown this once. */
const WithSecret = Schema.Struct({ webhook: WebhookRecord, secret: Schema.String })

const DeliveryAnswer = Schema.Struct({ delivery: WebhookDeliveryRecord })

export const WebhooksApi = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/v1/projects/:id/webhooks")
      .setPath(ById)
      .setPayload(NewWebhookBody)
      .addSuccess(WithSecret, { status: 201 })
      .annotateContext(
        about(
          administering,
          "Tell an address of a Project's events from now on",
          "Each event is one POST with the headers of Standard Webhooks, signed with `secret`, which is shown this once. 409 `webhook_limit` when the Project has as many webhooks as it may."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/webhooks")
      .setPath(ById)
      .setUrlParams(PageParams)
      .addSuccess(pageOf(WebhookRecord))
      .annotateContext(about(administering, "The webhooks of a Project, oldest first, without their secrets"))
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/webhooks/:id")
      .setPath(ById)
      .addSuccess(Schema.Struct({ webhook: WebhookRecord }))
      .annotateContext(about(administering, "Delete a webhook", "What waits to be delivered to it is not sent."))
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/v1/webhooks/:id/rotate-secret")
      .setPath(ById)
      .addSuccess(WithSecret)
      .annotateContext(
        about(
          administering,
          "Give a webhook a new secret",
          "The new one is shown this once. Deliveries carry the signatures of both for 24 hours, so that the receiver can change over; then the old one signs nothing."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("deliveries", "/v1/webhooks/:id/deliveries")
      .setPath(ById)
      .setUrlParams(PageParams)
      .addSuccess(pageOf(WebhookDeliveryRecord))
      .annotateContext(
        about(
          administering,
          "What a webhook was told, newest first, and how it went",
          "`event`, `state`, how many `tries`, `nextTryAt` and `lastStatus`."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("ping", "/v1/webhooks/:id/ping")
      .setPath(ById)
      .addSuccess(DeliveryAnswer, { status: 202 })
      .annotateContext(
        about(
          administering,
          "Send a webhook a test message",
          "Its `type` is `webhook.ping`. It is tried once; the list of deliveries says how it went. When it arrives, what waits for its next try is tried at once. 409 `webhook_inactive`."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("redeliver", "/v1/webhook-deliveries/:id/redeliver")
      .setPath(ById)
      .addSuccess(DeliveryAnswer, { status: 202 })
      .annotateContext(
        about(
          administering,
          "Send a delivery once more, now",
          "One that waits does not wait any longer; one that has ended has all its tries again, beside the order of events. 409 `webhook_inactive`."
        )
      )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Webhooks")
