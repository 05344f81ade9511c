/**
 * `Notices` over NATS core, for more processes than one database should tell by itself. Without its server all goes on:
 * whoever listens also polls.
 */
import { createHash } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { type Join, Notices } from "@pawl/core/ledger/Notices"
import { Effect } from "effect"
import { type NatsOptions, serversText } from "./NatsAddress.ts"
import { NatsLimits } from "./NatsLimits.ts"
import { NatsLine } from "./NatsLine.ts"

/** Where those of one place speak. No name of a database goes to NATS. */
export const subjectOf = (place: string): string =>
  `pawl.notices.${createHash("sha256").update(place).digest("hex").slice(0, 32)}`

/**
 * Joins a place, over these servers. The first try is waited for, for a while; one that fails is told in the log, as is each
 * change after that, and the server is tried again for ever.
 */
export const join =
  (options: NatsOptions): Join =>
  (place) =>
    Effect.gen(function* () {
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const where = serversText(options)
      let wasAway = false
      const changed = (away: string | null) => {
        if (away !== null)
          run(
            Effect.logWarning(
              `notices: NATS at ${where} is not reached: ${away}. It is tried again; work is found by looking every now and then meanwhile.`
            )
          )
        else if (wasAway) run(Effect.logInfo(`notices: NATS at ${where} is reached again`))
        wasAway = away !== null
      }
      const line = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const made = new NatsLine({ ...options, subject: subjectOf(place), changed })
          const waiting = new AbortController()
          const late = pause(NatsLimits.natsStartMs, undefined, { signal: waiting.signal }).catch(() => undefined)
          await Promise.race([made.open(), late])
          waiting.abort()
          return made
        }),
        (made) => Effect.promise(() => made.end())
      )
      return Notices.of({
        publish: (topic) => line.publish(topic),
        subscribe: line.post.subscribe,
        away: Effect.sync(() => (line.away === null ? null : `NATS at ${where}: ${line.away}`))
      })
    })
