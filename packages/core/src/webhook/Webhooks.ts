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
import { deliveryCommand, forgetAll, queue, waitingOf, WebhookInactive } from "./Deliveries.ts"
import { slackTypes } from "./SlackMessage.ts"
import type { EventType } from "../model/Event.ts"
import { apply, newGroup, newestSequence } from "../event/EventRouter.ts"
import { isPaused, type Webhook, type WebhookFormat, webhookGroup } from "../model/Webhook.ts"
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
  /** Default: `events`. */
  readonly format?: WebhookFormat
}

/** What may be changed of one; what is not given stays. */
export interface WebhookChange {
  readonly url?: string
  /** Null for all. */
  readonly eventTypes?: ReadonlyArray<EventType> | null
  readonly format?: WebhookFormat
  readonly paused?: boolean
}

/** The types as they are stored; refused where nothing would ever be told. */
const checkedTypes = (
  types: ReadonlyArray<EventType> | null,
  format: WebhookFormat | undefined
): Effect.Effect<ReadonlyArray<EventType> | null, InvalidField> => {
  const refuse = (reason: string) => new InvalidField({ code: "invalid_field", field: "eventTypes", reason })
  if (types === null) return Effect.succeed(null)
  if (types.length === 0) return refuse("name at least one type")
  if (format === "slack" && !types.some((type) => slackTypes.includes(type)))
    return refuse(`Slack is told of ${slackTypes.join(", ")}, and none of these is named`)
  return Effect.succeed([...new Set(types)])
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
  const eventTypes = yield* checkedTypes(input.eventTypes ?? null, input.format)
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
        ...(input.format === undefined || input.format === "events" ? {} : { format: input.format }),
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

/** The fields that differ; empty where all is so already. */
const changed = Effect.fnUntraced(function* (before: Webhook, { eventTypes, format, paused, url }: WebhookChange) {
  // Of another format other types may be left, also where they stay.
  const types = yield* checkedTypes(eventTypes === undefined ? before.eventTypes : eventTypes, format ?? before.format)
  return {
    ...(url === undefined ? {} : { url }),
    ...(format === undefined ? {} : { format }),
    ...(eventTypes === undefined ? {} : { eventTypes: types }),
    ...(paused === undefined || paused === isPaused(before) ? {} : { pausedAt: paused ? yield* Time.now : null })
  } satisfies Partial<Webhook>
})

/**
 * Changes a webhook: its address, what it is told of and how, or whether it is paused. What waited while it was paused is
 * sent, in order. Fails with `InvalidField`, `Unknown`, `ProjectArchived`, or `WebhookInactive`.
 */
export const change = Effect.fnUntraced(function* (webhookId: string, input: WebhookChange) {
  if (input.url !== undefined) yield* checkUrl(input.url)
  const made = yield* decideAndCommit(
    Effect.gen(function* () {
      const webhook = yield* demand("webhook", webhookId)
      const { active, projectId } = webhook.record
      yield* demandActive(projectId)
      if (!active) return yield* new WebhookInactive({ webhookId })
      const fields = yield* changed(webhook.record, input)
      const resumes = fields.pausedAt === null
      const waiting = resumes ? yield* waitingOf(webhookId) : []
      return {
        answer: { webhook: { ...webhook.record, ...fields }, resumes },
        commit: {
          name: "Webhooks.change",
          projectId,
          writes: [Commit.update("webhook", webhook, fields)],
          commands: waiting.map(deliveryCommand)
        }
      }
    })
  )
  // The events of meanwhile: of one that is on its way its end goes on with them.
  if (made.resumes) yield* apply(webhookGroup(made.webhook.id), made.webhook.projectId, queue(made.webhook.id))
  return made.webhook
}, Effect.withSpan("Webhooks.change"))

/**
 * Gives a webhook a new secret, which is shown this once. The one before signs beside it for so long, in milliseconds
 * (`Limits.webhookSecretMs` at most), so that a receiver may change over when it can; with 0 all older ones sign nothing
 * any more, as after a leak.
 */
export const rotateSecret = (webhookId: string, graceMs: number = Limits.webhookSecretMs) =>
  Effect.flatMap(makeSecret, (secret) =>
    decideAndCommit(
      Effect.gen(function* () {
        const webhook = yield* demand("webhook", webhookId)
        const nowMs = yield* Time.nowMillis
        const until = Time.fromMillis(nowMs + graceMs)
        const formerSecrets = [{ secret: webhook.record.secret, until }, ...webhook.record.formerSecrets]
          // No older one signs for longer than was said now.
          .map((former) => (former.until < until ? former : { ...former, until }))
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
