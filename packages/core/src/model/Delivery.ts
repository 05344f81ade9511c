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
  /** `whd_<ULID of the webhook>_<number>`: `deliveryId`. */
  id: WebhookDeliveryId,
  /** The Project of the webhook. */
  projectId: ProjectId,
  /** Where it goes. */
  webhookId: WebhookId,
  /** What is told. A ping has an id and type of its own, and no place in the sequence. */
  event: Schema.Struct({
    /** Id of the event, the same at every try: the receiver can tell a repetition. */
    id: Schema.String,
    /** Its type, or that of a ping. */
    type: Schema.Union([EventType, Schema.Literal(pingType)]),
    /** Its place in the Project; null for a ping. */
    sequence: Schema.NullOr(Schema.Finite)
  }),
  /** See `deliveryStates`. */
  state: Schema.Literals(deliveryStates),
  /** Tries that were made; from the beginning again once it is delivered anew. */
  tries: Schema.Finite,
  /** When it is tried next; null when it is not. */
  nextTryAt: Schema.NullOr(Timestamp),
  /** The HTTP status that the receiver answered last; null while it never answered. */
  lastStatus: Schema.NullOr(Schema.Finite),
  /**
   * Why the last try failed, in words that tell neither address nor secret; null when it went well, or none was made.
   */
  lastProblem: Schema.NullOr(Schema.String),
  /** Id of the user who asked for a ping; null for an event. */
  askedBy: Schema.NullOr(Schema.String),
  /** When it was queued. */
  createdAt: Timestamp,
  /** When it was tried or ended last. */
  updatedAt: Timestamp
})
export interface Delivery extends Schema.Schema.Type<typeof Delivery> {}

/** The id of the `number`th delivery of a webhook, from 1 on. */
export const deliveryId = (webhookId: WebhookId, number: number): WebhookDeliveryId =>
  `whd_${webhookId.slice("whk_".length)}_${number}`

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The pauses after the first try that failed, the second, and so on, in milliseconds: 71 h 35 min 5 s in all. */
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
