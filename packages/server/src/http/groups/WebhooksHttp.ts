/** Webhooks. Their secrets leave the server in the two answers that make one, and nowhere else. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Deliveries from "@pawl/core/webhook/Deliveries"
import { type Webhook, viewOf } from "@pawl/core/model/Webhook"
import { change, create, list, remove, rotateSecret } from "@pawl/core/webhook/Webhooks"
import { unknownChange } from "../../api/groups/WebhooksApi.ts"
import { ignoring } from "../../api/UnknownFields.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { actor, onDelivery, onProject, onWebhook } from "../request/Reach.ts"

const withSecret = (webhook: Webhook) => ({ webhook: viewOf(webhook), secret: Redacted.value(webhook.secret) })

/** Handlers of `webhooks`, and of their deliveries. */
export const WebhooksHttp = HttpApiBuilder.group(PawlApi, "webhooks", (handlers) =>
  handlers
    .handle("create", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return withSecret(yield* create(yield* actor, project.id, payload))
        })
      )
    )
    .handle("list", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          const page = yield* list(project.id, query)
          return { items: page.items.map((each) => viewOf(each.record)), nextCursor: page.nextCursor }
        })
      )
    )
    .handle("change", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const webhook = yield* onWebhook(params.id)
          return { webhook: viewOf(yield* change(webhook.id, payload)), ...ignoring(unknownChange(payload)) }
        })
      )
    )
    .handle("remove", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const webhook = yield* onWebhook(params.id)
          return { webhook: viewOf(yield* remove(webhook.id)) }
        })
      )
    )
    .handle("rotateSecret", ({ params, payload: { graceSeconds } }) =>
      answering(
        Effect.gen(function* () {
          const webhook = yield* onWebhook(params.id)
          return withSecret(
            yield* rotateSecret(webhook.id, graceSeconds === undefined ? undefined : graceSeconds * 1000)
          )
        })
      )
    )
    .handle("deliveries", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const webhook = yield* onWebhook(params.id)
          const page = yield* Deliveries.list(webhook.id, query)
          return { items: page.items.map((each) => each.record), nextCursor: page.nextCursor }
        })
      )
    )
    .handle("ping", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const webhook = yield* onWebhook(params.id)
          return { delivery: yield* Deliveries.ping(yield* actor, webhook.id) }
        })
      )
    )
    .handle("redeliver", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const delivery = yield* onDelivery(params.id)
          return { delivery: yield* Deliveries.redeliver(delivery.id) }
        })
      )
    )
)
