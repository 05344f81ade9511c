/**
 * Changes of state in all Projects that a caller may see, as they come: that something moved, not what it is now. Who reads
 * it asks for that again. A frame may come twice, after a reader was away; none is left out without a frame that says so.
 */
import { Effect, Queue, Stream } from "effect"
import { visibleProjects } from "@pawl/core/access/Access"
import { requireStillIn } from "@pawl/core/access/StillIn"
import { EventLog } from "@pawl/core/event/EventLog"
import { History, type HistoryMark } from "@pawl/core/ledger/History"
import type { Records } from "@pawl/core/ledger/Records"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { ServerLimits } from "../../ServerLimits.ts"
import { CurrentUser } from "../../api/Authentication.ts"
import { frame, openWhile } from "./EventStreams.ts"
import { framesOf, ofProject, told } from "./StateFrames.ts"

const visible = Effect.fnUntraced(function* (userId: string) {
  const ids: Array<string> = []
  let cursor: string | null = null
  do {
    const page: Effect.Success<ReturnType<typeof visibleProjects>> = yield* visibleProjects(
      userId,
      cursor === null ? {} : { cursor }
    )
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null && ids.length < ServerLimits.stateProjects)
  return ids.slice(0, ServerLimits.stateProjects)
})

/** Where a reader is: what it knows of each Project, and when it was looked which these are. */
interface Reader {
  readonly marks: Map<string, number>
  lookedAtMs: number
}

const marksOf = ({ marks }: Reader): ReadonlyArray<HistoryMark> =>
  Array.from(marks, ([projectId, position]) => ({ projectId, position }))

/** The Projects that came and went since the last look, unless that was a moment ago. */
const look = Effect.fnUntraced(function* (reader: Reader, userId: string, ageMs: number) {
  const now = yield* Time.steadyMillis
  if (now - reader.lookedAtMs < ageMs) return []
  const ids = yield* visible(userId)
  const sequence = yield* Time.nowMillis
  const gone = [...reader.marks.keys()].filter((id) => !ids.includes(id))
  const fresh = ids.filter((id) => !reader.marks.has(id))
  for (const id of gone) reader.marks.delete(id)
  const ends = fresh.length === 0 ? [] : yield* (yield* History).ends(fresh)
  for (const { position, projectId } of ends) reader.marks.set(projectId, position)
  reader.lookedAtMs = now
  return [
    ...gone.map((id) => ofProject(id, "gone", sequence)),
    ...fresh.map((id) => ofProject(id, "appeared", sequence))
  ]
})

/** What moved behind the marks, which move on; of Projects alone that the caller may still see. */
const step = Effect.fnUntraced(function* (reader: Reader, userId: string) {
  const changed = yield* look(reader, userId, ServerLimits.stateProjectsMs)
  const moves = yield* (yield* History).since(marksOf(reader), ServerLimits.stateRows)
  // Rights end too: who may see is asked a moment before it is told.
  const also = moves.length === 0 ? [] : yield* look(reader, userId, ServerLimits.eventTrustMs)
  const seen = moves.filter(({ projectId }) => reader.marks.has(projectId))
  return [...changed, ...also, ...told(reader.marks, seen)]
})

/** What a reader missed that saw a frame of this time last: the newest rows of each Project, or that there were more. */
const missed = Effect.fnUntraced(function* (reader: Reader, afterMs: number) {
  const from = afterMs - ServerLimits.stateMissedMs
  const back = marksOf(reader).map(({ position, projectId }) => ({
    projectId,
    position: Math.max(0, position - ServerLimits.stateRowsMissed)
  }))
  const rows = yield* (yield* History).since(back, back.length * ServerLimits.stateRowsMissed)
  const firsts = new Set([...Map.groupBy(rows, ({ projectId }) => projectId).values()].map(([first]) => first))
  return rows.flatMap((row) => {
    const isFirst = firsts.has(row)
    const mayLack = isFirst && row.position > 1 && Time.toMillis(row.at) >= from
    const lacking = mayLack ? [ofProject(row.projectId, "moved", Time.toMillis(row.at))] : []
    return Time.toMillis(row.at) >= from ? [...lacking, ...framesOf(row)] : []
  })
})

/** What moved since a time, as a page: for whoever cannot keep a stream open. */
export const stateSince = Effect.fnUntraced(function* (afterMs: number | null) {
  const { user } = yield* CurrentUser
  const reader: Reader = { marks: new Map(), lookedAtMs: Number.NEGATIVE_INFINITY }
  const after = yield* Time.nowMillis
  yield* look(reader, user.id, 0)
  return { items: afterMs === null ? [] : yield* missed(reader, afterMs), after }
})

/** What moves from the marks of the reader on. */
const moving = Effect.fnUntraced(function* (reader: Reader, userId: string) {
  const rung = yield* Queue.sliding<void>(1)
  // Before the first step, so that nothing falls between.
  yield* (yield* EventLog).listen((notice) => {
    if (!("projectId" in notice) || reader.marks.has(notice.projectId)) Queue.offerUnsafe(rung, undefined)
  })
  const next = Effect.gen(function* () {
    for (;;) {
      const found = yield* step(reader, userId)
      if (found.length > 0) return found
      yield* Effect.timeoutOption(Queue.take(rung), Limits.storePollMs)
    }
  })
  return Stream.flattenIterable(Stream.fromEffectRepeat(next))
})

/** The answer: a stream that stays open while its reader is let in. `afterMs` is where a reader was, null for nowhere. */
export const stateStream = Effect.fnUntraced(function* (afterMs: number | null) {
  const caller = yield* CurrentUser
  const userId = caller.user.id
  const reader: Reader = { marks: new Map(), lookedAtMs: Number.NEGATIVE_INFINITY }
  // What moves after the request is told, however late its answer is read.
  yield* look(reader, userId, 0)
  const before = afterMs === null ? [] : yield* missed(reader, afterMs)
  const context = yield* Effect.context<EventLog | History | Records>()
  const after = Stream.provideContext(Stream.scoped(Stream.unwrap(moving(reader, userId))), context)
  return yield* openWhile(requireStillIn(caller), Stream.map(Stream.concat(Stream.fromIterable(before), after), frame))
})
