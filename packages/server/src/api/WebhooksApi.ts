/** Addresses outside that are told of a Project's events. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { EventType } from "@pawl/core/event/Event"
import { Schema } from "effect"
import { Authenticated } from "./Authentication.ts"
import { about, administering } from "./Needs.ts"
import { ById, PageParams, pageOf } from "./Paging.ts"
import { WebhookRecord } from "./Records.ts"

export const NewWebhookBody = Schema.Struct({
  /** `https://…`, on the public internet. */
  url: Schema.String,
  /** Default: all types. */
  eventTypes: Schema.optionalWith(Schema.Array(EventType), { exact: true })
})

/** A webhook and its secret, which is shown this once. */
const WithSecret = Schema.Struct({ webhook: WebhookRecord, secret: Schema.String })

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
          "The old one signs nothing from the next delivery on. The new one is shown this once."
        )
      )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Webhooks")
