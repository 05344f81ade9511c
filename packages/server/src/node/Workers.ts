/** What a process with the role `worker` does by itself: durable work, routing events, and what is due by the clock. */
import { groups } from "@pawl/core/worker/Consumers"
import { handlers } from "@pawl/core/worker/Handlers"
import * as RouterLoop from "@pawl/core/event/RouterLoop"
import type { SlotsPerLane } from "@pawl/core/work/Lanes"
import { worker } from "@pawl/core/work/Worker"
import type { Loops } from "@pawl/core/upkeep/Loops"
import * as Schedules from "@pawl/core/upkeep/Schedules"
import { Effect } from "effect"
import { ServerLimits } from "../ServerLimits.ts"

/** How much of the long work a process does at a time. */
export interface AtOnce {
  readonly sandboxesAtOnce: number
  readonly agentsAtOnce: number
}

/** A Candidate needs a place here to get a sandbox: there are as many as sandboxes at least. */
const slotsFor = ({ agentsAtOnce, sandboxesAtOnce }: AtOnce): SlotsPerLane => ({
  landing: ServerLimits.landingSlots,
  canonical: ServerLimits.canonicalSlots,
  verification: Math.max(ServerLimits.verificationSlots, sandboxesAtOnce),
  provisioning: ServerLimits.provisioningSlots,
  planning: ServerLimits.planningSlots,
  agents: agentsAtOnce,
  webhooks: ServerLimits.webhooksAtOnce,
  signing: ServerLimits.signingSlots
})

/**
 * Works through commands, routes events and does what is due, until it is interrupted. `name` is whom leases are held by;
 * a loop that breaks is begun again by `supervise`.
 */
export const run = (name: string, atOnce: AtOnce, { supervise }: Loops) =>
  Effect.all(
    [
      supervise("worker", worker({ name, slots: slotsFor(atOnce), handlers })),
      supervise("events", RouterLoop.run(groups)),
      supervise("schedules", Schedules.run)
    ],
    { concurrency: "unbounded", discard: true }
  )
