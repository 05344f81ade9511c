/** Those who joined over NATS, and what was heard and logged, to be waited for. */
import { serversOf } from "@pawl/adapters-nats/NatsAddress"
import * as NatsNotices from "@pawl/adapters-nats/NatsNotices"
import type { Notices } from "@pawl/core/ledger/Notices"
import { Effect, Logger } from "effect"

/** Options as a person names them. */
export const optionsOf = (url: string, credentials: string | null = null) => {
  const servers = serversOf(url)
  if (typeof servers === "string") throw new Error(servers)
  return { ...servers, credentials }
}

/** One more process at a place. */
export const join = (url: string, place = "a place", credentials: string | null = null) =>
  NatsNotices.join(optionsOf(url, credentials))(place)

/** Looks until something is so. */
export const until = <A>(look: Effect.Effect<A>, isSo: (found: A) => boolean): Effect.Effect<A> =>
  Effect.gen(function* () {
    for (;;) {
      const found = yield* look
      if (isSo(found)) return found
      yield* Effect.promise(() => new Promise<void>((resolve) => void setTimeout(resolve, 5)))
    }
  })

/** Until the others are reached. */
export const reached = ({ away }: Notices["Service"]) => until(away, (why) => why === null)

/** All that is heard, `(missed)` for each time that something may have been missed. */
export const listen = (notices: Notices["Service"]) => {
  const heard: Array<string> = []
  notices.subscribe({ heard: (topic) => heard.push(topic), missed: () => heard.push("(missed)") })
  return { heard, until: (topic: string) => until(Effect.succeed(heard), (all) => all.includes(topic)) }
}

/** Keeps the lines of the log. */
export const logged = () => {
  const lines: Array<string> = []
  const layer = Logger.layer([Logger.make(({ logLevel, message }) => lines.push(`${logLevel}: ${String(message)}`))])
  return { lines, layer }
}
