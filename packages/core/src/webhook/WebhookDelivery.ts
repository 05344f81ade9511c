/** One delivery to a webhook: the body of the command `webhook.deliver`. It has a schedule of its own, in hours and days. */
import { Effect, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { commitStep, Process, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { describe } from "../primitives/Words.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { type Delivery, pauseAfter } from "../model/Delivery.ts"
import { numbering, queue, deliveryCommand } from "./Deliveries.ts"
import type { Event } from "../model/Event.ts"
import { EventLog } from "../event/EventLog.ts"
import { apply } from "../event/EventRouter.ts"
import { isPaused, secretsAt, type Webhook, webhookGroup } from "../model/Webhook.ts"
import { Settings } from "../primitives/Settings.ts"
import { changeOf, slackBody } from "./SlackMessage.ts"
import { consumerRemoval } from "./Webhooks.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** How a try went. `isLast`: another would go no better. */
interface Tried {
  readonly status: number | null
  readonly problem: string | null
  readonly isLast: boolean
}

const bodyOf = (delivery: Delivery, event: Event | null): string =>
  JSON.stringify(
    event ?? {
      specversion: "1.0",
      id: delivery.event.id,
      source: `/projects/${delivery.projectId}`,
      type: delivery.event.type,
      subject: delivery.webhookId,
      time: delivery.createdAt,
      data: {},
      actor: { type: "user", id: delivery.askedBy }
    }
  )

const slackBodyOf = Effect.fnUntraced(function* (delivery: Delivery, event: Event | null) {
  const project = (yield* find("project", delivery.projectId))?.record
  const changeId = event === null ? null : changeOf(event)
  const change = changeId === null ? null : yield* find("change", changeId)
  const { apiOrigin = null } = yield* Settings
  const { label = delivery.projectId, name = delivery.projectId } = project ?? {}
  return slackBody(event, { origin: apiOrigin, project: { label, name }, goal: change?.record.goal ?? null }, delivery)
})

/** The event that is told; null for a ping; `expired` when it is not kept any more. */
const eventOf = ({ event, projectId }: Delivery) => {
  const { sequence } = event
  if (sequence === null) return Effect.succeed(null)
  return Effect.flatMap(EventLog, (log) => log.read(projectId, sequence - 1, 1)).pipe(
    Effect.map(([found]) => found ?? ("expired" as const)),
    Effect.catchTag("EventsExpired", () => Effect.succeed("expired" as const))
  )
}

const attempt = Effect.fnUntraced(function* (webhook: Webhook, delivery: Delivery) {
  const event = yield* eventOf(delivery)
  if (event === "expired")
    return { status: null, problem: "its event is not kept any more", isLast: true } satisfies Tried
  const sender = yield* WebhookSender
  const sent = sender.send({
    url: webhook.url,
    secrets: secretsAt(webhook, yield* Time.nowMillis),
    id: delivery.event.id,
    body: webhook.format === "slack" ? yield* slackBodyOf(delivery, event) : bodyOf(delivery, event),
    timeoutMs: Limits.webhookTimeoutMs
  })
  return yield* Effect.match(sent, {
    onSuccess: (status): Tried => {
      const isGood = (status >= 200 && status < 300) || status === 410
      return { status, problem: isGood ? null : `WebhookRefused: it answered ${status}`, isLast: false }
    },
    onFailure: (unreachable): Tried => ({ status: null, problem: describe(unreachable), isLast: false })
  })
})

/** What a try makes of a delivery. */
const triedDelivery = (delivery: Delivery, tried: Tried, nowMs: number): Delivery => {
  const made = {
    ...delivery,
    tries: delivery.tries + 1,
    nextTryAt: null,
    lastStatus: tried.status ?? delivery.lastStatus,
    lastProblem: tried.problem,
    updatedAt: Time.fromMillis(nowMs)
  }
  if (tried.problem === null) return { ...made, state: tried.status === 410 ? "gone" : "delivered" }
  const pauseMs = tried.isLast ? null : pauseAfter(made)
  return pauseMs === null
    ? { ...made, state: "failed" }
    : { ...made, state: "waiting", nextTryAt: Time.fromMillis(nowMs + pauseMs) }
}

/** What the end of a delivery, or of its webhook, makes of the webhook. */
const webhookWrites = Effect.fnUntraced(function* (webhook: Commit.Stored<Webhook>, made: Delivery) {
  if (made.state === "waiting") return []
  const isNext = webhook.record.sending?.deliveryId === made.id
  if (made.state === "gone" && webhook.record.active)
    return [
      Commit.update("webhook", webhook, { active: false, sending: null }),
      ...(yield* consumerRemoval(webhook.record))
    ]
  return isNext ? [Commit.update("webhook", webhook, { sending: null })] : []
})

/** A receiver that takes a ping is there again: what waits for its next try need not wait for it. */
const commandsAfterPing = Effect.fnUntraced(function* (webhook: Webhook, made: Delivery) {
  const waits = made.event.sequence === null && made.state === "delivered" ? webhook.sending?.deliveryId : undefined
  const next = waits === undefined ? null : yield* find("webhookDelivery", waits)
  return next === null ? [] : [deliveryCommand(next.record)]
})

/** Writes down what became of a delivery, once: null when it had ended already, or is gone with its webhook. */
const record = (id: string, change: (delivery: Delivery, nowMs: number) => Delivery) =>
  decideAndCommit(
    Effect.gen(function* () {
      const delivery = yield* find("webhookDelivery", id)
      const webhook = delivery === null ? null : yield* find("webhook", delivery.record.webhookId)
      if (delivery === null || webhook === null || delivery.record.state !== "waiting") return { answer: null }
      const made = change(delivery.record, yield* Time.nowMillis)
      return {
        answer: made,
        commit: {
          name: "WebhookDelivery.record",
          projectId: made.projectId,
          lease: (yield* Process).lease,
          writes: [Commit.update("webhookDelivery", delivery, made), ...(yield* webhookWrites(webhook, made))],
          commands: yield* commandsAfterPing(webhook.record, made)
        }
      }
    })
  )

/** The webhook's next event is queued, when none is on its way. Repeating it changes nothing. */
const queueNext = (webhook: Webhook) => apply(webhookGroup(webhook.id), webhook.projectId, queue(webhook.id))

/**
 * Tries a delivery. 2xx ends it, 410 deactivates the webhook; anything else is tried again at the times of
 * `retryPauses`, which the queue's own tries have nothing to do with. After the last it fails until it is a dead letter.
 * A webhook that is gone ends it quietly.
 */
export const deliver = Effect.fnUntraced(function* (webhookId: string, id: string) {
  const webhook = yield* find("webhook", webhookId)
  if (webhook === null) return
  const stored = yield* find("webhookDelivery", id)
  // Whoever resumes it sends it again. A ping is sent all the same: it shows whether the receiver is there.
  if (stored?.record.state === "waiting" && isPaused(webhook.record) && stored.record.event.sequence !== null) return
  if (stored?.record.state === "waiting") {
    const tried: Tried = webhook.record.active
      ? yield* attempt(webhook.record, stored.record)
      : { status: 410, problem: null, isLast: true }
    const made = yield* record(id, (delivery, nowMs) => triedDelivery(delivery, tried, nowMs))
    if (tried.problem !== null)
      yield* Effect.logWarning("webhook not delivered").pipe(
        Effect.annotateLogs({ deliveryId: id, tries: made?.tries ?? 0, problem: tried.problem })
      )
    if (made?.nextTryAt !== undefined && made.nextTryAt !== null) {
      const waitMs = Time.toMillis(made.nextTryAt) - (yield* Time.nowMillis)
      return yield* Effect.fail(new Waiting(tried.problem ?? "not delivered", Math.max(0, waitMs)))
    }
  }
  yield* queueNext(webhook.record)
  const ended = (yield* find("webhookDelivery", id))?.record
  if (ended?.state === "failed" && ended.event.sequence !== null)
    yield* Effect.fail(ended.lastProblem ?? "not delivered")
}, Effect.withSpan("Webhooks.deliver"))

/** Its worker died too often, or it has failed for good: it waits for a person, and the webhook's other events go on. */
export const deliveryDied = Effect.fnUntraced(function* (webhookId: string, id: string, problem: string) {
  yield* record(id, (delivery, nowMs) => ({
    ...delivery,
    state: "failed",
    nextTryAt: null,
    lastProblem: problem,
    updatedAt: Time.fromMillis(nowMs)
  }))
  const webhook = yield* find("webhook", webhookId)
  if (webhook !== null) yield* queueNext(webhook.record)
})

/** The delivery was made, and the command that goes on with it was sent. */
export const adoptedStep = JournalStep.make("adopted", Schema.Null)

/** Makes a delivery of a command that an earlier version sent: it named the event only. */
export const adopt = Effect.fnUntraced(function* (webhookId: string, sequence: number) {
  const webhook = yield* find("webhook", webhookId)
  if (webhook === null) return
  const event = { id: `${webhookId}/${sequence}`, type: "canonical.advanced", sequence } as const
  const [found] = yield* (yield* EventLog)
    .read(webhook.record.projectId, sequence - 1, 1)
    .pipe(Effect.catchTag("EventsExpired", () => Effect.succeed([])))
  const told = found === undefined ? event : { id: found.id, type: found.type, sequence }
  const { commands, writes } = yield* numbering(webhook, { event: told, askedBy: null }, (made) => {
    const { sending: before } = webhook.record
    return before?.sequence === sequence && before.deliveryId === undefined
      ? { sending: { ...before, deliveryId: made.id } }
      : {}
  })
  const { projectId } = webhook.record
  yield* commitStep(adoptedStep, { name: "WebhookDelivery.adopt", projectId, writes, commands }, null)
})
