/** An address outside that is told of a Project's events. */
import { Schema } from "effect"
import { ProjectId, WebhookId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { EventType } from "./Event.ts"

export const Webhook = Schema.Struct({
  id: WebhookId,
  projectId: ProjectId,
  url: Schema.String,
  /** The types that it is told of; null for all. */
  eventTypes: Schema.NullOr(Schema.Array(EventType)),
  /** `whsec_` and 32 secret bytes in base64. Kept readable: every delivery is signed with it. */
  secret: Schema.Redacted(Schema.String),
  /** False once the receiver answered 410: nothing is sent any more. */
  active: Schema.Boolean,
  /** The delivery on its way; the next event waits for its end, so that they arrive in order. */
  sending: Schema.NullOr(Schema.Struct({ sequence: Schema.Number, since: Timestamp })),
  createdAt: Timestamp,
  /** The user. */
  createdBy: Schema.String
})
export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}

/** What may be shown: never the secret. */
export const WebhookView = Webhook.omit("secret", "sending")
export interface WebhookView extends Schema.Schema.Type<typeof WebhookView> {}

export const viewOf = ({ secret: _secret, sending: _sending, ...view }: Webhook): WebhookView => view

/** The consumer group of a webhook. */
export const webhookGroup = (id: string): string => `webhook:${id}`
