/** What each consumer group does with events, by the word before the colon of its name. */
import type { Records } from "../ledger/Records.ts"
import type { Decide } from "../event/Consumption.ts"
import type { Groups } from "../event/EventRouter.ts"
import { queue } from "../webhook/Deliveries.ts"

const consumers: Readonly<Record<string, (name: string) => Decide<Records>>> = { webhook: queue }

/**
 * What a group does with events, by its name `<what>:<which>`; null for one that this version does not know, which is
 * left where it is.
 */
export const groups: Groups<Records> = (group) => {
  const colon = group.indexOf(":")
  return consumers[group.slice(0, colon)]?.(group.slice(colon + 1)) ?? null
}
