/**
 * What a webhook is told: the next event of its Project, when the one before it has ended; and what a person asks for, a
 * test ping or a delivery once more. How far a webhook has come is the place of its consumer group, so that a receiver
 * that is away for days leaves one delivery waiting here and all else in the event log.
 */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Records } from "../ledger/Records.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import { Commands } from "../work/Commands.ts"
import { type Decide, NotYet } from "../event/Consumption.ts"
import { type Delivery, deliveryId, pingType } from "../model/Delivery.ts"
import { isPaused, type Webhook } from "../model/Webhook.ts"
import { slackTypes } from "./SlackMessage.ts"

/** Nothing is sent to this webhook any more: its receiver answered 410. Make a new one. */
export class WebhookInactive extends Schema.TaggedError<WebhookInactive>()("WebhookInactive", {
  webhookId: Schema.String
}) {
  override get message() {
    return `The receiver of ${this.webhookId} wanted nothing any more. Make a new webhook.`
  }
}

/** A person has paused it. Resume it first. */
export class WebhookPaused extends Schema.TaggedError<WebhookPaused>()("WebhookPaused", { webhookId: Schema.String }) {
  override get message() {
    return `${this.webhookId} is paused. Resume it: what waits is sent then.`
  }
}

/** The command that sends a delivery, now. */
export const deliveryCommand = ({
  event,
  id,
  webhookId
}: Pick<Delivery, "event" | "id" | "webhookId">): NewCommand => ({
  kind: "webhook.deliver",
  id: commandId("webhook.deliver", id),
  payload: { webhookId, deliveryId: id, ...(event.sequence === null ? {} : { sequence: event.sequence }) }
})

/** A new delivery of a webhook, numbered. The one that is one too many goes, unless it waits for something. */
export const numbering = Effect.fnUntraced(function* (
  webhook: Commit.Stored<Webhook>,
  what: Pick<Delivery, "event" | "askedBy">,
  fields: (made: Delivery) => Partial<Webhook> = () => ({})
) {
  const { deliveries, id: webhookId, projectId } = webhook.record
  const now = yield* Time.now
  const number = deliveries + 1
  const delivery: Delivery = {
    id: deliveryId(webhookId, number),
    projectId,
    webhookId,
    ...what,
    state: "waiting",
    tries: 0,
    nextTryAt: now,
    lastStatus: null,
    lastProblem: null,
    createdAt: now,
    updatedAt: now
  }
  const last = number - Limits.webhookDeliveriesKept
  const old = last < 1 ? null : yield* find("webhookDelivery", deliveryId(webhookId, last))
  const isOver =
    old !== null && (old.record.event.sequence === null || !["waiting", "failed"].includes(old.record.state))
  const writes: ReadonlyArray<Commit.Write> = [
    Commit.update("webhook", webhook, { deliveries: number, ...fields(delivery) }),
    Commit.insert("webhookDelivery", delivery),
    ...(isOver ? [deletion(old)] : [])
  ]
  return { delivery, writes, commands: [deliveryCommand(delivery)] }
})

const deletion = ({ record, revision }: Commit.Stored<Delivery>): Commit.Write => ({
  _tag: "Delete",
  kind: "webhookDelivery",
  id: record.id,
  revision
})

/** What a webhook's group does with an event: it queues the delivery, when the one before it has ended. */
export const queue =
  (webhookId: string): Decide<Records> =>
  ({ id, sequence, type }) =>
    Effect.gen(function* () {
      const webhook = yield* find("webhook", webhookId)
      if (webhook === null || !webhook.record.active) return null
      const { eventTypes } = webhook.record
      if (eventTypes !== null && !eventTypes.includes(type)) return null
      if (webhook.record.format === "slack" && !slackTypes.includes(type)) return null
      // Whoever resumes it goes on with the group.
      if (isPaused(webhook.record)) return new NotYet(null)
      // Whoever ends that delivery goes on with the group.
      if (webhook.record.sending !== null) return new NotYet(null)
      const what = { event: { id, type, sequence }, askedBy: null }
      const { commands, writes } = yield* numbering(webhook, what, (made) => ({
        sending: { sequence, since: made.createdAt, deliveryId: made.id }
      }))
      return { writes, commands }
    })

/** The deliveries of a webhook, newest first, a page at a time. */
export const list = (webhookId: string, page: { readonly limit?: number; readonly cursor?: string }) =>
  Effect.flatMap(Records, (records) =>
    records.list("webhookDelivery", { where: { webhookId }, order: "newest", ...page })
  )

const demandSendable = (webhookId: string) =>
  Effect.tap(demand("webhook", webhookId), (webhook) =>
    webhook.record.active ? Effect.void : new WebhookInactive({ webhookId })
  )

/** Sends a webhook a test message, beside the order of its events. It is tried once; the list says how it went. */
export const ping = (actor: Actor, webhookId: string) =>
  Effect.flatMap(makeUlid, (ulid) =>
    decideAndCommit(
      Effect.gen(function* () {
        const webhook = yield* demandSendable(webhookId)
        const event = { id: `ping_${ulid}`, type: pingType, sequence: null } as const
        const { commands, delivery, writes } = yield* numbering(webhook, { event, askedBy: actor.id })
        const { projectId } = webhook.record
        return { answer: delivery, commit: { name: "Deliveries.ping", projectId, writes, commands } }
      })
    )
  ).pipe(Effect.withSpan("Deliveries.ping"))

/** Lets what has ended begin anew, with all its tries. One that waits is left as it is. */
const reviving = (id: string, commands: (delivery: Delivery) => ReadonlyArray<NewCommand>) =>
  decideAndCommit(
    Effect.gen(function* () {
      const delivery = yield* demand("webhookDelivery", id)
      const webhook = yield* demandSendable(delivery.record.webhookId)
      if (isPaused(webhook.record)) return yield* new WebhookPaused({ webhookId: webhook.record.id })
      const now = yield* Time.now
      const anew = { state: "waiting" as const, nextTryAt: now, updatedAt: now }
      const revived: Delivery = {
        ...delivery.record,
        ...anew,
        ...(delivery.record.state === "waiting" ? {} : { tries: 0 })
      }
      return {
        answer: revived,
        commit: {
          name: "Deliveries.redeliver",
          projectId: delivery.record.projectId,
          writes: [Commit.update("webhookDelivery", delivery, revived)],
          commands: commands(revived)
        }
      }
    })
  )

/** A person wants a delivery's dead letter tried again. Without its delivery, or its webhook, the letter does nothing. */
export const revive = (id: string) =>
  Effect.catchTag(
    reviving(id, () => []),
    "Unknown",
    () => Effect.void
  )

/**
 * Sends a delivery once more, now: one that waits for its next try, or one that has ended, which then has all its tries
 * again. It does not wait for others, nor they for it. Fails with `WebhookInactive` or `WebhookPaused`.
 */
export const redeliver = Effect.fnUntraced(function* (id: string) {
  const commands = yield* Commands
  const letter = yield* Effect.option(commands.deadLetter(commandId("webhook.deliver", id)))
  if (letter._tag === "None") return yield* reviving(id, (delivery) => [deliveryCommand(delivery)])
  // The delivery moves first: if this ends half-way, asking again does the rest.
  const revived = yield* reviving(id, () => [])
  yield* Effect.catchTag(commands.retry(letter.value.id), "DeadLetterMissing", () => Effect.void)
  return revived
}, Effect.withSpan("Deliveries.redeliver"))

/** The deliveries of events that wait for their next try. */
export const waitingOf = Effect.fnUntraced(function* (webhookId: string) {
  const page = yield* (yield* Records).list("webhookDelivery", { where: { webhookId }, limit: "all" })
  return page.items.flatMap(({ record }) =>
    record.state === "waiting" && record.event.sequence !== null ? [record] : []
  )
})

const deletePage = (projectId: string, page: ReadonlyArray<Commit.Stored<Delivery>>) =>
  Effect.flatMap(Ledger, (ledger) =>
    ledger.commit({ name: "Deliveries.delete", projectId, writes: page.map(deletion) })
  ).pipe(
    // One of them moved: it is there at the next look.
    Effect.catchTags({ Conflict: () => Effect.void, LeaseLost: Effect.die })
  )

/** Deletes what is left of a webhook that is gone. */
export const forgetAll = Effect.fnUntraced(function* (projectId: string, webhookId: string) {
  for (;;) {
    const { items } = yield* list(webhookId, {})
    if (items.length === 0) return
    yield* deletePage(projectId, items)
  }
})

/** Deletes a page of deliveries that are older than `Limits.webhookDeliveryDays`. Answers whether there may be more. */
export const forgetOld = Effect.gen(function* () {
  const before = Time.fromMillis((yield* Time.nowMillis) - Limits.webhookDeliveryDays * Time.dayMs)
  const { items, nextCursor } = yield* (yield* Records).list("webhookDelivery", {})
  const old = items.filter(({ record }) => record.createdAt < before)
  const projects = new Set(old.map(({ record }) => record.projectId))
  for (const projectId of projects)
    yield* deletePage(
      projectId,
      old.filter(({ record }) => record.projectId === projectId)
    )
  return nextCursor !== null && old.length === items.length
}).pipe(Effect.withSpan("Deliveries.forgetOld"))
