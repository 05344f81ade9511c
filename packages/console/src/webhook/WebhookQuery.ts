/** Webhooks of a Project, as screens ask for them. */
import { api } from "../api/Client.ts"
import { type Key, keys } from "../api/Keys.ts"
import type { Answer, CallOptions } from "../api/Wire.ts"

/** As the list has it. */
export type Webhook = Answer<"webhooks", "list">["items"][number]
/** One message to it. */
export type Delivery = Answer<"webhooks", "deliveries">["items"][number]
/** A type of events. */
export type EventType = NonNullable<Webhook["eventTypes"]>[number]

/** The name under which they are kept. */
export const webhooksKey = (projectId: string): Key => keys.ofProject(projectId, "webhooks")

/** All of them: a Project has few. */
export const webhooksOf = async (id: string, options: CallOptions): Promise<ReadonlyArray<Webhook>> =>
  (await api.webhooks.list({ params: { id }, query: { limit: 100 } }, options)).items
