/** What a process with the role `worker` does by itself: durable work, deliveries to webhooks, routing events, and what is due by the clock. */
import { groups } from "@pawl/core/event/Consumers"
import * as EventRouter from "@pawl/core/event/EventRouter"
import { handlers } from "@pawl/core/event/Handlers"
import * as Processes from "@pawl/core/ledger/Processes"
import { ServerLimits } from "../ServerLimits.ts"
import * as Schedules from "@pawl/core/upkeep/Schedules"
import { Effect } from "effect"

const { "webhook.deliver": deliver, ...others } = handlers

/** Runs until it is interrupted. Receivers outside may be slow: their deliveries take no place from other work. */
export const run = (name: string) =>
  Effect.all(
    [
      Processes.worker({ name, concurrency: ServerLimits.workerConcurrency, handlers: others }),
      Processes.worker({
        name: `${name}-webhooks`,
        concurrency: ServerLimits.webhooksAtOnce,
        handlers: deliver === undefined ? {} : { "webhook.deliver": deliver }
      }),
      EventRouter.run(groups),
      Schedules.run
    ],
    { concurrency: "unbounded", discard: true }
  )
