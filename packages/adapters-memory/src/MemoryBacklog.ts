/** How much waits in a store in memory. */
import { Effect } from "effect"
import type { Consumer } from "@pawl/core/model/Consumer"
import { type MemoryState, rowsOf } from "./MemoryState.ts"
import { nowMillis } from "@pawl/core/primitives/Time"
import type { Backlog, CommandState, ConsumerLag, QueueDepth } from "@pawl/core/telemetry/Backlog"

const queue = (state: MemoryState, now: number): ReadonlyArray<QueueDepth> => {
  const found = new Map<string, { kind: string; state: CommandState; count: number }>()
  const add = (kind: string, at: CommandState) => {
    const depth = found.get(`${kind} ${at}`)
    if (depth === undefined) found.set(`${kind} ${at}`, { kind, state: at, count: 1 })
    else depth.count++
  }
  for (const { command, readyAt, token } of state.commands.values())
    add(command.kind, readyAt <= now ? "ready" : token === null ? "waiting" : "leased")
  for (const { kind } of state.deadLetters.values()) add(kind, "dead")
  return Array.from(found.values())
}

const lag = (state: MemoryState): ReadonlyArray<ConsumerLag> => {
  const found = new Map<string, ConsumerLag>()
  for (const row of rowsOf(state, "consumer").values()) {
    const { group, projectId, sequence } = row.record as Consumer
    const consumer = group.split(":", 1)[0] ?? ""
    const behind = (state.events.get(projectId)?.last ?? 0) - sequence
    const known = found.get(consumer) ?? { consumer, groups: 0, events: 0 }
    found.set(consumer, { consumer, groups: known.groups + 1, events: Math.max(known.events, behind) })
  }
  return Array.from(found.values())
}

/** `Backlog` over a store in memory, counted anew each time that it is asked. */
export const make = (state: MemoryState): Backlog["Service"] => ({
  queue: Effect.map(nowMillis, (now) => queue(state, now)),
  lag: Effect.sync(() => lag(state))
})
