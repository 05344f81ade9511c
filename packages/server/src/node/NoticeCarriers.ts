/** What carries notices, as the options choose it. No other place asks what that is. */
import { type NatsOptions, serversText } from "@pawl/adapters-nats/NatsAddress"
import { alone, type Join } from "@pawl/core/ledger/Notices"
import { Effect } from "effect"
import type { NoticesChoice } from "./NoticesOptions.ts"

/** The client of NATS is read when there is one: a server without it starts the sooner. */
const overNats =
  (options: NatsOptions): Join =>
  (place) =>
    Effect.flatMap(
      Effect.promise(() => import("@pawl/adapters-nats/NatsNotices")),
      ({ join }) => join(options)(place)
    )

/** What a server joins; undefined: what the database itself has. */
export const joinOf = (choice: NoticesChoice): Join | undefined =>
  choice._tag === "Database" ? undefined : overNats(choice)

/** The same for a command that works for a moment: where the database does not carry them it tells nobody. */
export const joinForAMoment = (choice: NoticesChoice): Join | undefined =>
  choice._tag === "Database" ? undefined : () => Effect.succeed(alone)

/** How something was found, for `pawl doctor`. */
export interface FoundCarrier {
  readonly state: "ok" | "weak"
  readonly found: string
  readonly remedy: string | null
}

/** Tries what carries them; null where it is the database, which is looked at for itself. */
export const look = (choice: NoticesChoice): Effect.Effect<FoundCarrier | null> =>
  Effect.gen(function* () {
    if (choice._tag === "Database") return null
    const NatsLook = yield* Effect.promise(() => import("@pawl/adapters-nats/NatsLook"))
    const where = `NATS at ${serversText(choice)}`
    const away = yield* NatsLook.look(choice)
    if (away === null) return { state: "ok", found: `${where}: what one tells another hears`, remedy: null }
    return {
      state: "weak",
      found: `${where}: ${away}. Processes find work by looking every now and then`,
      remedy: "start it, or correct PAWL_NOTICES; see docs/operating/many-machines.md"
    }
  })
