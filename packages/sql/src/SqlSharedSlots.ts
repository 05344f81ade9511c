/** `SharedSlots` over SQL: a row per slot that is held. Taking one is one statement on one row, so nobody counts and races. */
import { Effect } from "effect"
import type { HeldSlot, SharedSlots } from "@pawl/core/ledger/SharedSlots"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { nowMillis } from "@pawl/core/primitives/Time"
import type { Database, Row } from "./Database.ts"
import { unavailable } from "./Failures.ts"

const own = "scope = ? AND place = ? AND holder = ?"

/** `SharedSlots` over a database whose tables are there, by this program's clock. */
export const make = (database: Database["Service"]): SharedSlots["Service"] => {
  const takePlace = ({ holder, place, scope }: HeldSlot, now: number, leaseMs: number) =>
    database.query({
      sql: `INSERT INTO pawl_slot (scope, place, holder, until_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (scope, place) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
        WHERE pawl_slot.until_at <= ? RETURNING place`,
      params: [scope, place, holder, now + leaseMs, now]
    })
  return {
    take: ({ leaseMs, max, scope }) =>
      Effect.gen(function* () {
        const now = yield* nowMillis
        const holder = yield* makeUlid
        const held = yield* database.query({
          sql: "SELECT place FROM pawl_slot WHERE scope = ? AND until_at > ?",
          params: [scope, now]
        })
        const places = new Set(held.map((row) => Number(row["place"])))
        for (let place = 0; place < max; place++) {
          if (places.has(place)) continue
          const slot = { scope, place, holder }
          const taken: ReadonlyArray<Row> = yield* takePlace(slot, now, leaseMs)
          if (taken.length > 0) return slot
        }
        return null
      }).pipe(Effect.catchTag("SqlError", unavailable("take a slot")), Effect.withSpan("SharedSlots.take")),
    renew: ({ holder, place, scope }, leaseMs) =>
      Effect.flatMap(nowMillis, (now) =>
        database.query({
          sql: `UPDATE pawl_slot SET until_at = ? WHERE ${own} AND until_at > ? RETURNING place`,
          params: [now + leaseMs, scope, place, holder, now]
        })
      ).pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.catchTag("SqlError", unavailable("renew a slot"))
      ),
    isHeld: (scope) =>
      Effect.flatMap(nowMillis, (now) =>
        database.query({
          sql: "SELECT 1 AS one FROM pawl_slot WHERE scope = ? AND until_at > ? LIMIT 1",
          params: [scope, now]
        })
      ).pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.catchTag("SqlError", unavailable("look at slots"))
      ),
    giveBack: ({ holder, place, scope }) =>
      Effect.flatMap(nowMillis, (now) =>
        database.batch(
          [
            { sql: `DELETE FROM pawl_slot WHERE ${own}`, params: [scope, place, holder] },
            // Those of processes that died, in scopes where nobody may ever take one again.
            { sql: "DELETE FROM pawl_slot WHERE until_at <= ?", params: [now] }
          ],
          "passing"
        )
      ).pipe(Effect.asVoid, Effect.catchTag("SqlError", unavailable("give a slot back"))),
    giveAllBack: database
      .query({ sql: "DELETE FROM pawl_slot", params: [] })
      .pipe(Effect.asVoid, Effect.catchTag("SqlError", unavailable("give slots back")))
  }
}
