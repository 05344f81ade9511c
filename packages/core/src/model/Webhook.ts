/** An address outside that is told of a Project's events. */
import { Effect, type Redacted, Schema, Struct } from "effect"
import { ProjectId, WebhookDeliveryId, WebhookId } from "../primitives/Ids.ts"
import { fromMillis, Timestamp } from "../primitives/Time.ts"
import { EventType } from "./Event.ts"

/** `events`: the event as JSON, as Standard Webhooks has it. `slack`: one line for people, of few types. */
export const WebhookFormat = Schema.Literals(["events", "slack"])
export type WebhookFormat = typeof WebhookFormat.Type

/** Whether nothing is sent for now. */
export const isPaused = ({ pausedAt }: Pick<Webhook, "pausedAt">): boolean => pausedAt != null

/** A webhook as it is stored, its secrets among the rest. Clients get a `WebhookView`. */
export const Webhook = Schema.Struct({
  /** `whk_<ULID>`. */
  id: WebhookId,
  /** The Project whose events it is told of. */
  projectId: ProjectId,
  /** Where deliveries are posted; at most `Limits.webhookUrlLength` characters. */
  url: Schema.String,
  /** The types that it is told of; null for all. */
  eventTypes: Schema.NullOr(Schema.Array(EventType)),
  /** `whsec_` and 32 secret bytes in base64. Kept readable: every delivery is signed with it. */
  secret: Schema.RedactedFromValue(Schema.String),
  /** Secrets before it, the newest first, that still sign beside it: receivers change theirs when they can. */
  formerSecrets: Schema.Array(
    Schema.Struct({
      secret: Schema.RedactedFromValue(Schema.String),
      /** From then on it signs nothing any more: `Limits.webhookSecretMs` after it was replaced. */
      until: Timestamp
    })
  ).pipe(Schema.withDecodingDefaultType(Effect.succeed([]))),
  /** What is posted: the event itself where it is not there, or a message for an incoming webhook of Slack. */
  format: Schema.optionalKey(WebhookFormat),
  /** Since when nothing is sent because a person said so; null or not there while it is. What happens meanwhile waits. */
  pausedAt: Schema.optionalKey(Schema.NullOr(Timestamp)),
  /** False once the receiver answered 410: nothing is sent any more. */
  active: Schema.Boolean,
  /** The delivery on its way; null for none. The next event waits for its end, so that they arrive in order. */
  sending: Schema.NullOr(
    Schema.Struct({
      /** Of the event that is told. */
      sequence: Schema.Finite,
      /** When it was queued. */
      since: Timestamp,
      /** Missing where an earlier version queued it. */
      deliveryId: Schema.optionalKey(WebhookDeliveryId)
    })
  ),
  /** The number of its newest delivery; 0 before the first. */
  deliveries: Schema.Finite.pipe(Schema.withDecodingDefaultType(Effect.succeed(0))),
  /** When it was made; it is told of what came after that. */
  createdAt: Timestamp,
  /** Id of the user who made it. */
  createdBy: Schema.String
})
export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}

/** What may be shown: never the secret. */
export const WebhookView = Webhook.mapFields(Struct.omit(["secret", "formerSecrets", "sending", "deliveries"]))
export interface WebhookView extends Schema.Schema.Type<typeof WebhookView> {}

/** A webhook without its secrets and without where its deliveries stand. */
export const viewOf = (webhook: Webhook): WebhookView => {
  const { deliveries: _deliveries, formerSecrets: _former, secret: _secret, sending: _sending, ...view } = webhook
  return view
}

/** What signs at a moment: the secret, and those before it whose time is not over. */
export const secretsAt = (
  { formerSecrets, secret }: Webhook,
  nowMs: number
): readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>] => {
  const now = fromMillis(nowMs)
  return [secret, ...formerSecrets.filter(({ until }) => until > now).map((former) => former.secret)]
}

/** The name of a webhook's consumer group. */
export const webhookGroup = (id: string): string => `webhook:${id}`
