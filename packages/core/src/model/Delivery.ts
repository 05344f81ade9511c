/** One message to a webhook, and what became of it: an event of the Project, or a test ping that a person asked for. */
import { Schema } from "effect"
import { ProjectId, WebhookDeliveryId, WebhookId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Timestamp } from "../primitives/Time.ts"
import { EventType } from "./Event.ts"

/** The type of a test message. It is no event of a Project. */
export const pingType = "webhook.ping"

/**
 * `waiting` for its next try, or on its way; `delivered`, the receiver answered 2xx; `failed`, all tries are used;
 * `gone`, the receiver answered 410, or the webhook was inactive before it was sent.
 */
const deliveryStates = ["waiting", "delivered", "failed", "gone"] as const

/** Kept per webhook and event. A message may reach its receiver more than once, with the same id. */
export const Delivery = Schema.Struct({
  id: WebhookDeliveryId,
  projectId: ProjectId,
  webhookId: WebhookId,
  /** What is told. A ping has an id and type of its own, and no place in the sequence. */
  event: Schema.Struct({
    id: Schema.String,
    type: Schema.Union([EventType, Schema.Literal(pingType)]),
    sequence: Schema.NullOr(Schema.Finite)
  }),
  state: Schema.Literals(deliveryStates),
  /** Tries that were made; from the beginning again once it is delivered anew. */
  tries: Schema.Finite,
  /** When it is tried next; null when it is not. */
  nextTryAt: Schema.NullOr(Timestamp),
  /** What the receiver answered last; null while it never answered. */
  lastStatus: Schema.NullOr(Schema.Finite),
  /** Why the last try was none, in words that tell neither address nor secret. */
  lastProblem: Schema.NullOr(Schema.String),
  /** Who asked for a ping. */
  askedBy: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export interface Delivery extends Schema.Schema.Type<typeof Delivery> {}

/** The deliveries of a webhook are numbered from 1 on. */
export const deliveryId = (webhookId: WebhookId, number: number): WebhookDeliveryId =>
  `whd_${webhookId.slice("whk_".length)}_${number}`

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The pauses after the first try that failed, the second, and so on: 71 h 35 min 5 s in all, within three days. */
export const retryPauses: ReadonlyArray<number> = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  20 * hour
]

/** How long to wait after so many failed tries, in milliseconds; null when that was the last. A ping is tried once. */
export const pauseAfter = ({ event, tries }: Pick<Delivery, "event" | "tries">): number | null =>
  event.sequence === null || tries >= Limits.webhookAttempts ? null : (retryPauses[tries - 1] ?? null)
