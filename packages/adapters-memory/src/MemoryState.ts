/** All that a store in memory keeps. A write replaces a row; it never changes one. */
import type { AppLogLine } from "@pawl/core/app/AppLogs"
import type { Command, DeadLetter, Outage } from "@pawl/core/model/Command"
import type { Event } from "@pawl/core/model/Event"
import type { MemoryPassage } from "./MemoryHistory.ts"
import type { LoggedPack } from "@pawl/core/project/PackLog"
import type { SeenProcess } from "@pawl/core/work/Fleet"
import { type Kind, kinds } from "@pawl/core/model/Entities"

/** A record as it is kept. `project` is null for the directory. */
export interface RecordRow {
  readonly record: unknown
  readonly revision: number
  readonly project: string | null
  /** Grows with every insertion. */
  readonly position: number
}

/** A command in the queue, and who holds it. */
export interface CommandRow {
  readonly command: Command
  /** When it may be claimed, ms since 1970: its due time, or the end of its lease. */
  readonly readyAt: number
  /** Null when nobody holds it. */
  readonly token: string | null
  readonly position: number
  /** It was sent once more while it was held: what it is to run with then, and from when on, ms since 1970. */
  readonly again: { readonly payload: Command["payload"]; readonly dueAt: number } | null
  readonly deaths: number
  readonly outage: Outage | null
  /** Until when it waited for machinery, ms since 1970; null when it never did. */
  readonly waitedUntil: number | null
}

/** The log of one Project. `last` is the newest sequence; 0 before the first. */
export interface ProjectEvents {
  last: number
  /** The lowest sequence that is kept, or will be. */
  oldest: number
  /** Grows in place: a long log is not copied for each commit. */
  readonly events: Array<Event>
}

/** A repository of packs. A step replaces it. */
export interface MemoryPacks {
  readonly project: string
  readonly fork: string | null
  readonly born: string
  readonly main: string | null
  readonly through: number
  readonly packs: ReadonlyArray<LoggedPack>
}

/** What a command begins with, beside what it was sent with. */
export const fresh = { token: null, again: null, deaths: 0, outage: null, waitedUntil: null } as const

/** The whole of a store. Records are by kind, then by key; events by Project; commands by id. */
export interface MemoryState {
  readonly records: Map<Kind, Map<string, RecordRow>>
  readonly events: Map<string, ProjectEvents>
  /** By Project. Grows in place too. */
  readonly history: Map<string, Array<MemoryPassage>>
  readonly commands: Map<string, CommandRow>
  readonly deadLetters: Map<string, DeadLetter>
  /** By process, then by step. */
  readonly journal: Map<string, ReadonlyMap<string, unknown>>
  /** By day and name. */
  readonly counters: Map<string, { readonly day: string; readonly used: number }>
  /** By place and scope: who holds a shared slot until when, ms since 1970. */
  readonly slots: Map<string, { readonly holder: string; readonly until: number }>
  /** By Project and channel. */
  readonly appData: Map<string, Map<string, string>>
  /** By Project: how far its sequence is, and the lines that are kept. */
  readonly appLogs: Map<string, { readonly last: number; readonly lines: ReadonlyArray<AppLogLine> }>
  /** By Project and fork. */
  readonly packs: Map<string, MemoryPacks>
  /** By object: whose it was, and when it may be deleted, ms since 1970. */
  readonly trash: Map<string, { readonly projectId: string; readonly due: number }>
  /** When each Project (`""` for the directory) last had a command claimed, by the tick of claims. */
  readonly turns: Map<string, number>
  /** Server processes by their ids. */
  readonly processes: Map<string, SeenProcess>
  position: number
  tick: number
}

/** A state in which nothing was ever committed. */
export const empty = (): MemoryState => ({
  records: new Map(kinds.map((kind) => [kind, new Map<string, RecordRow>()])),
  events: new Map(),
  history: new Map(),
  commands: new Map(),
  deadLetters: new Map(),
  journal: new Map(),
  counters: new Map(),
  slots: new Map(),
  appData: new Map(),
  appLogs: new Map(),
  packs: new Map(),
  trash: new Map(),
  turns: new Map(),
  processes: new Map(),
  position: 0,
  tick: 0
})

/** A copy that later commits do not change. */
export const copy = (state: MemoryState): MemoryState => ({
  records: new Map(Array.from(state.records, ([kind, rows]) => [kind, new Map(rows)])),
  events: new Map(Array.from(state.events, ([project, log]) => [project, { ...log, events: [...log.events] }])),
  history: new Map(Array.from(state.history, ([project, rows]) => [project, [...rows]])),
  commands: new Map(state.commands),
  deadLetters: new Map(state.deadLetters),
  journal: new Map(state.journal),
  counters: new Map(state.counters),
  slots: new Map(state.slots),
  appData: new Map(Array.from(state.appData, ([store, values]) => [store, new Map(values)])),
  appLogs: new Map(state.appLogs),
  packs: new Map(state.packs),
  trash: new Map(state.trash),
  turns: new Map(state.turns),
  processes: new Map(state.processes),
  position: state.position,
  tick: state.tick
})

/** The rows of a kind, by key. A kind that there is not is a defect. */
export const rowsOf = (state: MemoryState, kind: Kind): Map<string, RecordRow> => {
  const rows = state.records.get(kind)
  if (rows === undefined) throw new Error(`No such kind of record: ${kind}`)
  return rows
}
