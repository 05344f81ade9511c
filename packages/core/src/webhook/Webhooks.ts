/**
 * Webhooks: who is told of a Project's events. Each is a consumer group whose effect is a delivery, one at a time, so
 * that events arrive in order; one that cannot be delivered becomes a dead letter and the next goes on.
 */
import { Effect, Redacted, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { Actor } from "../model/Actor.ts"
import { Secrets } from "../access/Secrets.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive } from "../project/ArchivedProject.ts"
import { consumerKey } from "../model/Consumer.ts"
import { forgetAll } from "./Deliveries.ts"
import type { EventType } from "../model/Event.ts"
import { newGroup, newestSequence } from "../event/EventRouter.ts"
import { type Webhook, webhookGroup } from "../model/Webhook.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** The Project has as many webhooks as one may have. Delete one first. */
export class WebhookLimit extends Schema.TaggedError<WebhookLimit>()("WebhookLimit", { max: Schema.Finite }) {
  override get message() {
    return `The Project has its ${this.max} webhooks. Delete one first.`
  }
}

/** What is asked of a new webhook. */
export interface NewWebhook {
  readonly url: string
  /** Default: all. */
  readonly eventTypes?: ReadonlyArray<EventType>
}

const makeSecret: Effect.Effect<Redacted.Redacted, never, Secrets> = Effect.gen(function* () {
  const bytes = yield* (yield* Secrets).bytes(Limits.webhookSecretBytes)
  return Redacted.make(`whsec_${Base64.encode(bytes)}`)
})

const checkUrl = (url: string) => {
  const refuse = (reason: string) => new InvalidField({ code: "invalid_field", field: "url", reason })
  if (url.length > Limits.webhookUrlLength) return refuse(`use at most ${Limits.webhookUrlLength} characters`)
  return Effect.flatMap(WebhookSender, (sender) => sender.check(url)).pipe(
    Effect.mapError(({ reason }) => refuse(reason))
  )
}

/** The webhooks of a Project, oldest first, a page at a time. */
export const list = (projectId: string, page: { readonly limit?: number; readonly cursor?: string }) =>
  Effect.flatMap(Records, (records) => records.list("webhook", { projectId, ...page }))

/**
 * Makes a webhook. It is told of the events from now on. The answer holds its secret, which is shown this once. Fails
 * with `InvalidField`, `WebhookLimit`, `ProjectArchived` or `Unknown`.
 */
export const create = Effect.fnUntraced(function* (actor: Actor, projectId: string, input: NewWebhook) {
  yield* checkUrl(input.url)
  const id = `whk_${yield* makeUlid}` as const
  const secret = yield* makeSecret
  const eventTypes = input.eventTypes === undefined ? null : [...new Set(input.eventTypes)]
  if (eventTypes?.length === 0)
    return yield* new InvalidField({ code: "invalid_field", field: "eventTypes", reason: "name at least one type" })
  return yield* decideAndCommit(
    Effect.gen(function* () {
      const project = yield* demandActive(projectId)
      const { items } = yield* (yield* Records).list("webhook", { projectId, limit: "all" })
      if (items.length >= Limits.webhooksPerProject) return yield* new WebhookLimit({ max: Limits.webhooksPerProject })
      const now = yield* Time.now
      const webhook: Webhook = {
        id,
        projectId: project.record.id,
        url: input.url,
        eventTypes,
        secret,
        formerSecrets: [],
        active: true,
        sending: null,
        deliveries: 0,
        createdAt: now,
        createdBy: actor.id
      }
      const writes = [
        // Writing the Project guards the number of webhooks against a racing request.
        Commit.update("project", project, {}),
        Commit.insert("webhook", webhook),
        newGroup(project.record.id, webhookGroup(id), yield* newestSequence(projectId), now)
      ]
      return { answer: webhook, commit: { name: "Webhooks.create", projectId, writes } }
    })
  )
}, Effect.withSpan("Webhooks.create"))

/** The writes that take a webhook's consumer group away: no further event is queued for it. Empty when it is gone. */
export const consumerRemoval = (webhook: Webhook) =>
  Effect.map(
    find("consumer", consumerKey(webhook.projectId, webhookGroup(webhook.id))),
    (consumer): ReadonlyArray<Commit.Write> =>
      consumer === null
        ? []
        : [
            {
              _tag: "Delete",
              kind: "consumer",
              id: consumerKey(webhook.projectId, webhookGroup(webhook.id)),
              revision: consumer.revision
            }
          ]
  )

/** Deletes a webhook with its secret. What is queued for it is not sent any more. */
export const remove = (webhookId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const webhook = yield* demand("webhook", webhookId)
      const deletion: Commit.Write = { _tag: "Delete", kind: "webhook", id: webhookId, revision: webhook.revision }
      const writes = [deletion, ...(yield* consumerRemoval(webhook.record))]
      return {
        answer: webhook.record,
        commit: { name: "Webhooks.remove", projectId: webhook.record.projectId, writes }
      }
    })
  ).pipe(
    Effect.tap((webhook) => forgetAll(webhook.projectId, webhook.id)),
    Effect.withSpan("Webhooks.remove")
  )

/**
 * Gives a webhook a new secret, which is shown this once. The one before signs beside it for `Limits.webhookSecretMs`,
 * so that a receiver may change over when it can.
 */
export const rotateSecret = (webhookId: string) =>
  Effect.flatMap(makeSecret, (secret) =>
    decideAndCommit(
      Effect.gen(function* () {
        const webhook = yield* demand("webhook", webhookId)
        const nowMs = yield* Time.nowMillis
        const until = Time.fromMillis(nowMs + Limits.webhookSecretMs)
        const formerSecrets = [{ secret: webhook.record.secret, until }, ...webhook.record.formerSecrets]
          .filter((former) => former.until > Time.fromMillis(nowMs))
          .slice(0, Limits.webhookFormerSecrets)
        return {
          answer: { ...webhook.record, secret, formerSecrets },
          commit: {
            name: "Webhooks.rotateSecret",
            projectId: webhook.record.projectId,
            writes: [Commit.update("webhook", webhook, { secret, formerSecrets })]
          }
        }
      })
    )
  ).pipe(Effect.withSpan("Webhooks.rotateSecret"))
