/** The command worker of an object: it works while there is work, and then it ends, so that the object may sleep. */
import { groups } from "@pawl/core/worker/Consumers"
import type { handlers } from "@pawl/core/worker/Handlers"
import { EventLog } from "@pawl/core/event/EventLog"
import * as RouterLoop from "@pawl/core/event/RouterLoop"
import type { SlotsPerLane } from "@pawl/core/work/Lanes"
import { worker } from "@pawl/core/work/Worker"
import type { ObjectStorage } from "@pawl/adapters-cloudflare/sqlite/ObjectStorage"
import { Effect } from "effect"
import { ServerLimits } from "../ServerLimits.ts"

/** What an object does at a time: one Project has few long works under way. */
const slots: SlotsPerLane = {
  landing: ServerLimits.landingSlots,
  canonical: ServerLimits.canonicalSlots,
  verification: ServerLimits.verificationSlots,
  provisioning: ServerLimits.provisioningSlots,
  planning: ServerLimits.planningSlots,
  agents: ServerLimits.agentObjectSlots,
  webhooks: ServerLimits.webhooksAtOnce,
  signing: ServerLimits.signingSlots
}

/** When the next command may be claimed, in ms since 1970; null when none is there. One that is held comes when its lease ends. */
export const nextDueMs = ({ sql }: ObjectStorage): number | null => {
  const [row] = sql.exec("SELECT MIN(ready_at) AS at FROM pawl_command").toArray()
  return row === undefined || row["at"] === null ? null : Number(row["at"])
}

const isWorking = ({ sql }: ObjectStorage, nowMs: number): boolean =>
  sql.exec("SELECT 1 FROM pawl_command WHERE ready_at <= ? OR token IS NOT NULL LIMIT 1", nowMs).toArray().length > 0

/** Ends when no command is due or held, and every consumer has come to the last event. */
const idle = (storage: ObjectStorage) =>
  Effect.gen(function* () {
    const events = yield* EventLog
    const behind = Effect.catch(events.behind, () => Effect.succeed([]))
    for (;;) {
      yield* Effect.sleep(ServerLimits.idleLookMs)
      if (!isWorking(storage, Date.now()) && (yield* behind).length === 0) return
    }
  })

/** What an object does for each command. */
export type Work = typeof handlers

/**
 * Works until nothing is due. `name` is whom leases are held by. `clock` is done first, and then each minute: who works for
 * long hears of no other.
 */
export const drain = <R>(name: string, storage: ObjectStorage, work: Work, clock: Effect.Effect<void, never, R>) =>
  Effect.andThen(
    clock,
    Effect.raceFirst(
      Effect.all(
        [
          worker({ name, slots, handlers: work }),
          RouterLoop.run(groups),
          Effect.forever(Effect.delay(clock, ServerLimits.ownClockMs))
        ],
        { concurrency: "unbounded", discard: true }
      ),
      idle(storage)
    )
  )
