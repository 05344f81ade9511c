/** `Notices` between several users of one process, as if each were a process of its own: for tests and for hosts. */
import { Effect } from "effect"
import { type Join, type Listener, Notices } from "@pawl/core/ledger/Notices"

/** A medium of its own, where nobody has joined yet. Who listens is told at once. */
export const make = (): Join => {
  const places = new Map<string, Set<Set<Listener>>>()
  return (place) => {
    const joined = places.get(place) ?? new Set()
    places.set(place, joined)
    return Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const mine = new Set<Listener>()
          joined.add(mine)
          return mine
        }),
        (mine) => Effect.sync(() => void joined.delete(mine))
      ),
      (mine) =>
        Notices.of({
          publish: (topic) => {
            for (const listeners of joined) if (listeners !== mine) for (const { heard } of listeners) heard(topic)
          },
          subscribe: (listener) => {
            mine.add(listener)
            return () => void mine.delete(listener)
          },
          away: Effect.succeed(null)
        })
    )
  }
}
