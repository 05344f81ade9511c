/**
 * The archive of events, a part of the daily sweep: what the feed has come to hold goes into objects of JSON lines,
 * `events/<project>/<first>-<last>.jsonl`, whose ranges of sequences follow each other. The names say how far it is, so
 * that a repeated sweep goes on from there.
 */
import { Effect } from "effect"
import type { Event } from "../model/Event.ts"
import { EventLog } from "../event/EventLog.ts"
import { Records } from "../ledger/Records.ts"
import { type ObjectInfo, ObjectStore } from "../objects/ObjectStore.ts"
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"

/** Where the archive of a Project's events lies in the object store. */
export const archivePrefix = (projectId: string): string => `events/${projectId}/`

/** As many digits as a sequence can have, so that names are in its order. */
const padded = (sequence: number): string => String(sequence).padStart(16, "0")

const keyOf = (projectId: string, first: number, last: number): string =>
  `${archivePrefix(projectId)}${padded(first)}-${padded(last)}.jsonl`

const lastOf = (found: ObjectInfo | undefined): number => Number(/-(\d{16})\.jsonl$/.exec(found?.key ?? "")?.[1] ?? 0)

/** The last sequence that is in the archive; 0 when there is none. */
const archivedTo = Effect.fnUntraced(function* (projectId: string) {
  const objects = yield* ObjectStore
  let last: ObjectInfo | undefined
  for (;;) {
    const found = yield* objects.list(archivePrefix(projectId), last === undefined ? {} : { after: last.key })
    last = found.at(-1) ?? last
    if (found.length < Limits.objectListLimit) return lastOf(last)
  }
})

/** Events after a sequence, as many as one object holds. Those that are gone from the feed are passed over. */
const readAfter = Effect.fnUntraced(function* (projectId: string, after: number) {
  const log = yield* EventLog
  const events: Array<Event> = []
  let last = after
  while (events.length < Limits.eventsPerArchive) {
    const page = yield* log
      .read(projectId, last, Limits.eventsPageSize)
      .pipe(Effect.catchTag("EventsExpired", ({ oldest }) => log.read(projectId, oldest - 1, Limits.eventsPageSize)))
    // A range has no gap: what comes after one begins the next object.
    if (page[0] !== undefined && events.length > 0 && page[0].sequence !== last + 1) break
    events.push(...page)
    last = events.at(-1)?.sequence ?? last
    if (page.length < Limits.eventsPageSize) break
  }
  return events
})

/** Archives what a Project's feed holds and its archive does not. */
export const archiveEvents = (projectId: string) =>
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    let after = yield* archivedTo(projectId)
    for (;;) {
      const events = yield* readAfter(projectId, after)
      const [first, last] = [events[0], events.at(-1)]
      if (first === undefined || last === undefined) return
      const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("")
      yield* objects.create(keyOf(projectId, first.sequence, last.sequence), utf8(lines))
      after = last.sequence
    }
  }).pipe(
    Effect.catchTag("InvalidKey", Effect.die),
    Effect.withSpan("EventArchive.archive", { attributes: { projectId } })
  )

/** Does so for a page of Projects, archived ones too. Answers where the next page starts; null at the end. */
export const archivePage = Effect.fnUntraced(function* (cursor: string | null) {
  const records = yield* Records
  const page = yield* records.list("project", {
    limit: Limits.projectsPerMessage,
    ...(cursor === null ? {} : { cursor })
  })
  yield* Effect.forEach(page.items, ({ record }) => archiveEvents(record.id), { discard: true })
  return page.nextCursor
})
