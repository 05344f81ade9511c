/** Reads of one decision: what was asked for once is not asked for again, so that many may be read before each is. */
import { Effect, Option } from "effect"
import type { Kind, RecordOf } from "../model/Entities.ts"
import type { Stored } from "./Commit.ts"
import { Records } from "./Records.ts"

type Found<K extends Kind> = Option.Option<Stored<RecordOf<K>>>

/** `Records` that keeps each record that was read by its key, and which keys there were not. Listings and counts are read as always. */
const remembering = (records: Records["Service"]): Records["Service"] => {
  const kinds = new Map<Kind, Map<string, Found<Kind>>>()
  const knownOf = <K extends Kind>(kind: K): Map<string, Found<K>> => {
    const known = kinds.get(kind) ?? new Map<string, Found<Kind>>()
    kinds.set(kind, known)
    return known as Map<string, Found<K>>
  }
  return {
    get: (kind, id) =>
      Effect.suspend(() => {
        const known = knownOf(kind)
        const found = known.get(id)
        if (found !== undefined) return Effect.succeed(found)
        return Effect.tap(records.get(kind, id), (read) => Effect.sync(() => known.set(id, read)))
      }),
    many: <K extends Kind>(kind: K, ids: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        const known = knownOf(kind)
        const all = (): ReadonlyMap<string, Stored<RecordOf<K>>> => {
          const found = new Map<string, Stored<RecordOf<K>>>()
          for (const id of ids) {
            const each = known.get(id)
            if (each?._tag === "Some") found.set(id, each.value)
          }
          return found
        }
        const missing = ids.filter((id) => !known.has(id))
        if (missing.length === 0) return Effect.sync(all)
        return Effect.map(records.many(kind, missing), (found) => {
          for (const id of missing) known.set(id, Option.fromUndefinedOr(found.get(id)))
          return all()
        })
      }),
    list: records.list,
    counts: records.counts
  }
}

/** Reads each record of `work` at most once. For a reading whose commit guards what it was decided by. */
export const readOnce = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Records, (records) => Effect.provideService(work, Records, remembering(records)))
