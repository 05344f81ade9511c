/** Reads of one decision: what was asked for once is not asked for again, so that many may be read before each is. */
import { Effect, Option } from "effect"
import type { Kind, RecordOf } from "../model/Entities.ts"
import type { Stored } from "./Commit.ts"
import { Records } from "./Records.ts"

type Found<K extends Kind> = Option.Option<Stored<RecordOf<K>>>

/** `Records` that keeps each record that was read by its key, and which keys there were not. Listings and counts are read as always. */
const remembering = (records: Records["Service"]): Records["Service"] => {
  const known = new Map<string, Found<Kind>>()
  const keyOf = (kind: Kind, id: string): string => `${kind} ${id}`
  const before = <K extends Kind>(kind: K, id: string) => known.get(keyOf(kind, id)) as Found<K> | undefined
  const keep = <K extends Kind>(kind: K, id: string, found: Found<K>): void => void known.set(keyOf(kind, id), found)
  return {
    get: (kind, id) =>
      Effect.suspend(() => {
        const found = before(kind, id)
        if (found !== undefined) return Effect.succeed(found)
        return Effect.tap(records.get(kind, id), (read) => Effect.sync(() => keep(kind, id, read)))
      }),
    many: (kind, ids) =>
      Effect.suspend(() => {
        const missing = ids.filter((id) => before(kind, id) === undefined)
        const all = () =>
          ids.flatMap((id) => Option.toArray(before(kind, id) ?? Option.none()).map((each) => [id, each] as const))
        if (missing.length === 0) return Effect.sync(() => new Map(all()))
        return Effect.map(records.many(kind, missing), (found) => {
          for (const id of missing) keep(kind, id, Option.fromUndefinedOr(found.get(id)))
          return new Map(all())
        })
      }),
    list: records.list,
    counts: records.counts
  }
}

/** Reads each record of `work` at most once. For a reading whose commit guards what it was decided by. */
export const readOnce = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Records, (records) => Effect.provideService(work, Records, remembering(records)))
