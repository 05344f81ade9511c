/**
 * What every store asks of a Commit before it looks at its state: it is within bounds, it stays in its scope,
 * every status in it is one that the entity's lifecycle allows, and the events that tell of a step stand beside it. A
 * commit that breaks one of these is a mistake of the program, so it is thrown and ends as a defect.
 */
import { Limits } from "../primitives/Limits.ts"
import { utf8 } from "../primitives/Digest.ts"
import type { Commit, Write } from "./Commit.ts"
import { type Entity, entityOf, type Kind, kinds } from "../model/Entities.ts"
import type { EventType } from "../model/Event.ts"
import { type Lifecycle, steps } from "../model/Lifecycle.ts"

/** A commit that no correct program makes. */
export class BadCommit extends Error {
  override readonly name = "BadCommit"
}

interface Life {
  readonly status: (record: unknown) => string
  readonly initial: ReadonlySet<string>
  readonly steps: ReadonlySet<string>
  /** By status before and after: what may tell of the step, one list for each trigger. Steps that need no word are left out. */
  readonly owed: ReadonlyMap<string, ReadonlyMap<string, ReadonlyArray<ReadonlyArray<EventType>>>>
}

const owedBy = ({ rows, states }: Lifecycle<string, string>): Life["owed"] => {
  const between = (from: string, to: string) =>
    rows.filter((row) => row.from === from && row.to === to).map((row) => row.emits)
  const told = (lists: ReadonlyArray<ReadonlyArray<EventType>>): boolean =>
    lists.length > 0 && lists.every((each) => each.length > 0)
  return new Map(
    states.map((from) => [
      from,
      new Map(states.map((to) => [to, between(from, to)] as const).filter(([to, lists]) => to !== from && told(lists)))
    ])
  )
}

const lifeOf = (kind: Kind): Life | null => {
  const entity = entityOf(kind) as Entity<unknown>
  const status = entity.columns["status"]
  if (entity.lifecycle === undefined || status === undefined) return null
  return {
    status: (record) => String(status(record)),
    initial: new Set(entity.lifecycle.initial),
    steps: new Set(steps(entity.lifecycle).map(([from, to]) => `${from}>${to}`)),
    owed: owedBy(entity.lifecycle)
  }
}

const lives = new Map<Kind, Life | null>(kinds.map((kind) => [kind, lifeOf(kind)]))

/** Columns whose values are unique among all records of a kind, beside the key. */
export const uniqueColumns: { readonly [K in Kind]?: ReadonlyArray<string> } = { token: ["hash"] }

/** The key of a record of this kind. */
export const idOf = (kind: Kind, record: unknown): string => (entityOf(kind) as Entity<unknown>).id(record)

/** The status of a record; null for a kind without a life. */
export const statusOf = (kind: Kind, record: unknown): string | null => lives.get(kind)?.status(record) ?? null

/** Throws `BadCommit` when the life of this kind does not go from one record's status to the other's. */
export const checkStep = (kind: Kind, from: unknown, to: unknown): void => {
  const life = lives.get(kind)
  if (life === null || life === undefined) return
  const [before, after] = [life.status(from), life.status(to)]
  if (before !== after && !life.steps.has(`${before}>${after}`))
    throw new BadCommit(`${kind} ${idOf(kind, to)} cannot go from ${before} to ${after}`)
}

const checkWrite = (commit: Commit, write: Write): void => {
  if (write._tag === "Delete") return
  const project = (entityOf(write.kind) as Entity<unknown>).project(write.record)
  if (project !== commit.projectId)
    throw new BadCommit(
      `${commit.name} commits to ${scopeName(commit.projectId)}, but ${write.kind} ${idOf(write.kind, write.record)} belongs to ${scopeName(project)}`
    )
  const life = lives.get(write.kind)
  if (write._tag === "Insert" && life !== null && life !== undefined && !life.initial.has(life.status(write.record)))
    throw new BadCommit(`${write.kind} ${idOf(write.kind, write.record)} cannot begin as ${life.status(write.record)}`)
}

/** Counts the events that a step needs, whichever row it is, into those that the steps before it in the commit need. */
const checkTold = (commit: Commit, write: Write, needed: Map<EventType, number>): void => {
  const life = lives.get(write.kind)
  if (write._tag !== "Update" || life === null || life === undefined) return
  const [from, to] = [life.status(write.from), life.status(write.record)]
  const owed = from === to ? undefined : life.owed.get(from)?.get(to)
  if (owed === undefined) return
  const told = (type: EventType): number => commit.events?.filter((event) => event.type === type).length ?? 0
  for (const type of new Set(owed.flat()))
    if (owed.every((types) => types.includes(type))) needed.set(type, (needed.get(type) ?? 0) + 1)
  if (owed.some((types) => types.every((type) => told(type) >= (needed.get(type) ?? 1)))) return
  const words = owed.map((types) => types.join(" and ")).join(", or ")
  throw new BadCommit(`${write.kind} ${idOf(write.kind, write.record)} goes from ${from} to ${to} without ${words}`)
}

const scopeName = (projectId: string | null): string => (projectId === null ? "the directory" : projectId)

/** What a write stores: all of it but the record that it replaces. */
const stored = (write: Write): unknown => {
  if (write._tag !== "Update") return write
  const { from: _, ...rest } = write
  return rest
}

/** The UTF-8 size of the JSON of all that the commit would store, in bytes; an upper bound while that is within the limit. */
const sizeBytes = (commit: Commit): number => {
  const text = JSON.stringify([
    commit.writes?.map(stored),
    commit.marks,
    commit.events,
    commit.commands,
    commit.journal
  ])
  return text.length * 3 <= Limits.commitBytes ? text.length * 3 : utf8(text).length
}

/**
 * Throws `BadCommit` when the commit breaks a rule of this file. A store that knows a bound of the commit's size, in
 * bytes, need not have it measured.
 */
export const check = (commit: Commit, atMostBytes = Number.POSITIVE_INFINITY): void => {
  const { commands = [], events = [], expects = [], marks = [], writes = [] } = commit
  const listed = [expects, writes, marks, events, commands].reduce((sum, { length }) => sum + length, 0)
  const rows = listed + (commit.journal === undefined ? 0 : 1)
  if (rows > Limits.commitRows)
    throw new BadCommit(`${commit.name} has ${rows} rows; commitRows allows ${Limits.commitRows}`)
  if (atMostBytes > Limits.commitBytes && sizeBytes(commit) > Limits.commitBytes)
    throw new BadCommit(`${commit.name} is larger than commitBytes, ${Limits.commitBytes} bytes`)
  if (events.length > 0 && commit.projectId === null)
    throw new BadCommit(`${commit.name} has events, but the directory has no event sequence`)
  if (commit.keeping === "passing" && (commit.journal === undefined || rows > 1))
    throw new BadCommit(`${commit.name} is passing, which a journal step alone may be`)
  for (const write of writes) checkWrite(commit, write)
  // A step is told in the commit that makes it, by the events of a row that it may be: each step by its own.
  const needed = new Map<EventType, number>()
  for (const write of writes) checkTold(commit, write, needed)
}
