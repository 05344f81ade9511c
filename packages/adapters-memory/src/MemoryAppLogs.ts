/** What apps printed, in memory. */
import { Effect } from "effect"
import { following } from "@pawl/core/ledger/SequenceStream"
import type { MemoryState } from "./MemoryState.ts"
import { appLogsOf, type Signals } from "@pawl/core/ledger/Signals"
import { Limits } from "@pawl/core/primitives/Limits"
import { type AppLogs, linesOf } from "@pawl/core/app/AppLogs"

/** `AppLogs` over a store in memory. `signals` wake those who follow. */
export const make = (state: MemoryState, signals: Signals): AppLogs["Service"] => {
  const read: AppLogs["Service"]["read"] = (project, { after, channel, limit }) =>
    Effect.sync(() => {
      const lines = (state.appLogs.get(project)?.lines ?? []).filter(
        (line) => (channel === undefined || line.channel === channel) && line.sequence > (after ?? 0)
      )
      return after === undefined ? lines.slice(-linesOf(limit)) : lines.slice(0, linesOf(limit))
    })
  return {
    append: (project, lines) =>
      Effect.sync(() => {
        const log = state.appLogs.get(project) ?? { last: 0, lines: [] }
        const added = lines.map((line, n) => ({ ...line, sequence: log.last + n + 1 }))
        state.appLogs.set(project, {
          last: log.last + lines.length,
          lines: [...log.lines, ...added].slice(-Limits.appLogLines)
        })
        signals.notify(appLogsOf(project))
      }),
    read,
    follow: (project, { after, channel }) =>
      following(
        {
          read: (last) => read(project, { after: last, ...(channel === undefined ? {} : { channel }) }),
          signals,
          topic: appLogsOf(project),
          pollMs: null
        },
        after
      ),
    wipe: (project) =>
      Effect.sync(() => {
        const log = state.appLogs.get(project)
        if (log !== undefined) state.appLogs.set(project, { ...log, lines: [] })
      })
  }
}
