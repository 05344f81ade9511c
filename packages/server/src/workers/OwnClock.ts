/**
 * What the object of a Project looks after by itself, at the moments that its own rows say. An object that has nothing of
 * it sleeps, and no clock has to wake it.
 */
import type { ObjectStorage } from "@pawl/adapters-cloudflare/sqlite/ObjectStorage"
import { sweepCalls } from "@pawl/core/agent/Spending"
import { expireClaims } from "@pawl/core/claim/Claims"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { commandId } from "@pawl/core/model/Command"
import { timetable } from "@pawl/core/model/Schedule"
import { Limits } from "@pawl/core/primitives/Limits"
import { scanStuck } from "@pawl/core/release/Recovery"
import { requestReviews, reviewStatuses } from "@pawl/core/review/Reviews"
import { crowded } from "@pawl/sql/Expansions"
import { Effect } from "effect"

/** One thing to look after. */
export interface Chore<R> {
  /** How often at most, in ms: what cannot be done now is met again then. */
  readonly everyMs: number
  /** From when on there is something to do, in ms since 1970; null while there is nothing. */
  readonly sinceMs: (storage: ObjectStorage) => number | null
  readonly body: Effect.Effect<unknown, unknown, R>
}

/** The clock of one object. */
export interface OwnClock<R> {
  /** When the next thing is to be done, in ms since 1970; null: nothing is. */
  readonly nextMs: () => number | null
  /** Does what is due. What fails keeps nothing of the rest from being done. */
  readonly due: Effect.Effect<void, never, R>
}

const packsDue = `SELECT CASE WHEN EXISTS (SELECT 1 FROM pawl_repo WHERE ${crowded}) THEN 0
  ELSE (SELECT MIN(due) FROM pawl_trash) END AS at`

/** Packs that are too many, and bytes whose grace is over. */
export const packs = (projectId: string): Chore<Ledger> => ({
  everyMs: timetable["packs.sweep"].everyMs,
  sinceMs: ({ sql }) => {
    const at = sql.exec(packsDue).toArray()[0]?.["at"] ?? null
    return at === null ? null : Number(at)
  },
  body: Effect.flatMap(Ledger, (ledger) => {
    const commands = [{ kind: "packs.sweep" as const, id: commandId("packs.sweep", projectId), payload: {} }]
    return ledger.commit({ name: "OwnClock.packs", projectId, commands })
  })
})

/** A time as records have it, in ms since 1970. */
const momentOf = (at: unknown): number => (typeof at === "string" ? Date.parse(at) : 0)

/** From when on the oldest record in a status is to be looked at: so long after a moment that it names. */
const oldest = (table: string, status: string, field: string, afterMs: number) => {
  const statement = `SELECT MIN(json_extract(data, '$.${field}')) AS at FROM ${table} WHERE "status" = '${status}'`
  return ({ sql }: ObjectStorage): number | null => {
    const at = sql.exec(statement).toArray()[0]?.["at"] ?? null
    return at === null ? null : momentOf(at) + afterMs
  }
}

/** Claims whose lease has ended, and nobody renewed it. */
export const claims: Chore<Effect.Services<typeof expireClaims>> = {
  everyMs: timetable["claim.expire"].everyMs,
  sinceMs: oldest("pawl_claim", "held", "until", 0),
  body: expireClaims
}

/** Calls of models that are on their way for longer than any can be. */
export const calls: Chore<Effect.Services<typeof sweepCalls>> = {
  everyMs: timetable["calls.sweep"].everyMs,
  sinceMs: oldest("pawl_model_call", "reserved", "startedAt", Limits.modelCallMaxMs),
  body: sweepCalls
}

/** Releases that may be stuck, which is not before this. The directory is asked how long there was somebody to work. */
export const releases: Chore<Effect.Services<typeof scanStuck>> = {
  everyMs: timetable["release.recover"].everyMs,
  sinceMs: oldest("pawl_change", "releasing", "updatedAt", Limits.releaseStuckAfterMs),
  body: scanStuck
}

const reviewed = `SELECT group_concat(k.id || ' ' || k.revision || ' ' || c.revision) AS stands,
    MIN(json_extract(k.data, '$.updatedAt')) AS at
  FROM pawl_candidate k JOIN pawl_change c ON c.id = k."changeId" WHERE k."status" IN (SELECT value FROM json_each(?))`

/**
 * Reviews by a model, of which Candidates have theirs and what they may cost is said by the Project's own rows. A Candidate
 * that goes live at once has none, as elsewhere. They are looked at again when one of them, or its Change, has moved.
 */
export const reviews = (storage: ObjectStorage): Chore<Effect.Services<typeof requestReviews>> => {
  const { everyMs } = timetable["candidate.reviews"]
  const standing = () => {
    const { at = null, stands = null } = storage.sql.exec(reviewed, JSON.stringify(reviewStatuses)).toArray()[0] ?? {}
    return { stands: typeof stands === "string" ? stands : "", dueMs: momentOf(at) + everyMs }
  }
  let seen = ""
  return {
    everyMs,
    sinceMs: () => {
      const { dueMs, stands } = standing()
      return stands === seen || stands === "" ? null : dueMs
    },
    body: Effect.suspend(() => {
      const before = standing().stands
      return Effect.tap(requestReviews, () => Effect.sync(() => (seen = before)))
    })
  }
}

/** A clock that nothing was done by yet. */
export const make = <R>(storage: ObjectStorage, chores: ReadonlyArray<Chore<R>>): OwnClock<R> => {
  const triedMs = new Map<Chore<R>, number>()
  const dueMs = (chore: Chore<R>): number | null => {
    const since = chore.sinceMs(storage)
    const tried = triedMs.get(chore)
    return since === null || tried === undefined ? since : Math.max(since, tried + chore.everyMs)
  }
  return {
    nextMs: () => {
      const moments = chores.map(dueMs).filter((each) => each !== null)
      return moments.length === 0 ? null : Math.min(...moments)
    },
    due: Effect.forEach(
      chores,
      (chore) =>
        Effect.suspend(() => {
          const [at, nowMs] = [dueMs(chore), Date.now()]
          if (at === null || at > nowMs) return Effect.void
          triedMs.set(chore, nowMs)
          return chore.body
        }).pipe(Effect.catchCause((cause) => Effect.logWarning("what was due was not done", cause))),
      { discard: true }
    )
  }
}
