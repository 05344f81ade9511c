/** One delivery of an event to a webhook: the body of the command `webhook.deliver`. */
import { Effect, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Deciding.ts"
import { step } from "../ledger/Processes.ts"
import { Limits } from "../primitives/Limits.ts"
import { EventLog } from "./EventLog.ts"
import { apply } from "./EventRouter.ts"
import { type Webhook, webhookGroup } from "./Webhook.ts"
import { deactivate, queue } from "./Webhooks.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** The receiver answered, but not with a 2xx. */
export class WebhookRefused extends Schema.TaggedError<WebhookRefused>()("WebhookRefused", {
  webhookId: Schema.String,
  status: Schema.Number
}) {
  override get message() {
    return `${this.webhookId} answered ${this.status}`
  }
}

/** The delivery has ended: the webhook's next event may be queued, and is. */
const ended = (webhookId: string, sequence: number) =>
  Effect.zipRight(
    decideAndCommit(
      Effect.gen(function* () {
        const webhook = yield* find("webhook", webhookId)
        if (webhook?.record.sending?.sequence !== sequence) return { answer: undefined }
        return {
          answer: undefined,
          commit: {
            name: "Webhooks.ended",
            projectId: webhook.record.projectId,
            writes: [Commit.update("webhook", webhook, { sending: null })]
          }
        }
      })
    ),
    Effect.flatMap(find("webhook", webhookId), (webhook) =>
      webhook === null ? Effect.void : apply(webhookGroup(webhookId), webhook.record.projectId, queue(webhookId))
    )
  )

/** The last try has failed: the delivery waits for a person, and the webhook's other events go on. */
export const deliveryDied = ended

const send = (webhook: Webhook, sequence: number) =>
  Effect.gen(function* () {
    const [event] = yield* (yield* EventLog).read(webhook.projectId, sequence - 1, 1)
    if (event === undefined) return yield* Effect.dieMessage(`${webhook.projectId} has no event ${sequence}`)
    const status = yield* (yield* WebhookSender).send({
      url: webhook.url,
      secret: webhook.secret,
      id: event.id,
      body: JSON.stringify(event),
      timeoutMs: Limits.webhookTimeoutMs
    })
    if (status === 410) return "gone" as const
    if (status >= 200 && status < 300) return "delivered" as const
    return yield* new WebhookRefused({ webhookId: webhook.id, status })
  })

/**
 * Delivers an event. 2xx ends it, 410 deactivates the webhook; anything else is tried again, at most
 * `Limits.webhookAttempts` times, then it is a dead letter. A webhook that is gone or inactive ends it quietly.
 */
export const deliver = (webhookId: string, sequence: number) =>
  Effect.gen(function* () {
    const webhook = yield* find("webhook", webhookId)
    if (webhook === null || !webhook.record.active) return
    // Journalled: a worker that takes over after this does not send again.
    const outcome = yield* step("sent", send(webhook.record, sequence))
    if (outcome === "gone") yield* deactivate(webhookId)
    else yield* ended(webhookId, sequence)
  }).pipe(Effect.withSpan("Webhooks.deliver"))
