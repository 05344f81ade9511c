/** The history as a stream: each step behind a place, then each new one. Nothing of it is ever gone. */
import { Effect, Stream } from "effect"
import { EventLog } from "@pawl/core/event/EventLog"
import type { HistoryListing, HistoryPage } from "@pawl/core/ledger/History"
import { following } from "@pawl/core/ledger/SequenceStream"
import * as Signals from "@pawl/core/ledger/Signals"
import { Limits } from "@pawl/core/primitives/Limits"
import { frame, streaming } from "./EventStreams.ts"

/** The answer: the steps that `read` tells of a part of a Project's history, for as long as its reader may read the Project. */
export const historyStream = Effect.fnUntraced(function* <E>(
  projectId: string,
  after: number,
  read: (listing: HistoryListing) => Effect.Effect<HistoryPage, E>
) {
  const log = yield* EventLog
  const steps = Effect.gen(function* () {
    const signals = Signals.make()
    yield* log.listen((notice) => {
      if (!("projectId" in notice) || notice.projectId === projectId) signals.notify(projectId)
    })
    // Some steps have no event, and are found by looking.
    const pollMs = Limits.storePollMs
    const next = (last: number) => Effect.map(read({ after: last }), ({ items }) => items)
    return following({ read: next, signals, topic: projectId, pollMs }, after)
  })
  return yield* streaming(projectId, Stream.map(Stream.scoped(Stream.unwrap(steps)), frame))
})
