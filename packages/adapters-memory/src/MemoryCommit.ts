/** Applies a commit to a state in memory: looks at everything first, then writes, all in one synchronous call. */
import type { Command, NewCommand } from "@pawl/core/model/Command"
import type { Event, NewEvent } from "@pawl/core/model/Event"
import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis } from "@pawl/core/primitives/Time"
import type { Commit, Expectation, Write } from "@pawl/core/ledger/Commit"
import { BadCommit, check, checkStep, idOf, uniqueColumns } from "@pawl/core/ledger/CommitRules"
import { type Entity, entityOf, type Kind } from "@pawl/core/model/Entities"
import { type Committed, Conflict, type Duplicate, LeaseLost } from "@pawl/core/ledger/Ledger"
import { record } from "./MemoryHistory.ts"
import { type CommandRow, fresh, type MemoryState, type RecordRow, rowsOf } from "./MemoryState.ts"

const duplicate: Duplicate = { _tag: "Duplicate" }
const none: Committed = { _tag: "Committed", events: null }

/** Rows as they will be: what this commit wrote so far, over what is there. */
interface Staged {
  readonly kind: Kind
  readonly id: string
  /** Null when deleted. */
  readonly row: RecordRow | null
}

const revisionText = (row: RecordRow | undefined): string | null => (row === undefined ? null : String(row.revision))

/**
 * A commit reads, guards and writes one scope: a Project's rows can then stand in another database than the next one's.
 * The other stores could only know it by a further read, so this one looks for all.
 */
const within = (commit: Commit, kind: Kind, id: string, row: RecordRow | undefined): void => {
  if (row !== undefined && row.project !== commit.projectId)
    throw new BadCommit(`${commit.name} relies on ${kind} ${id}, which belongs to another scope`)
}

const unmet = (state: MemoryState, commit: Commit, expectation: Expectation): Conflict | null => {
  const { id, kind } = expectation
  const row = rowsOf(state, kind).get(id)
  within(commit, kind, id, row)
  if (expectation._tag === "Absent")
    return row === undefined ? null : new Conflict({ kind, id, expected: "absent", actual: revisionText(row) })
  if (row?.revision === expectation.revision) return null
  return new Conflict({ kind, id, expected: String(expectation.revision), actual: revisionText(row) })
}

const look = (state: MemoryState, staged: ReadonlyArray<Staged>, kind: Kind, id: string): RecordRow | undefined => {
  for (let i = staged.length - 1; i >= 0; i--) {
    const each = staged[i]!
    if (each.id === id && each.kind === kind) return each.row ?? undefined
  }
  return rowsOf(state, kind).get(id)
}

/** The row of another record that holds a value which this one may not share. */
const rival = (
  state: MemoryState,
  staged: ReadonlyArray<Staged>,
  kind: Kind,
  id: string,
  record: unknown
): RecordRow | undefined => {
  const columns = uniqueColumns[kind]
  if (columns === undefined) return undefined
  const entity = entityOf(kind) as Entity<unknown>
  const others = new Set([
    ...rowsOf(state, kind).keys(),
    ...staged.filter((each) => each.kind === kind).map((each) => each.id)
  ])
  others.delete(id)
  for (const other of others) {
    const row = look(state, staged, kind, other)
    if (
      row !== undefined &&
      columns.some((column) => entity.columns[column]!(row.record) === entity.columns[column]!(record))
    )
      return row
  }
  return undefined
}

const stage = (state: MemoryState, staged: Array<Staged>, write: Write, position: number): Conflict | null => {
  const kind = write.kind
  const id = write._tag === "Delete" ? write.id : idOf(kind, write.record)
  const row = look(state, staged, kind, id)
  if (write._tag === "Insert") {
    const taken = row ?? rival(state, staged, kind, id, write.record)
    if (taken !== undefined) return new Conflict({ kind, id, expected: "absent", actual: revisionText(taken) })
    const project = (entityOf(kind) as Entity<unknown>).project(write.record)
    staged.push({ kind, id, row: { record: write.record, revision: 1, project, position } })
    return null
  }
  if (row?.revision !== write.revision)
    return new Conflict({ kind, id, expected: String(write.revision), actual: revisionText(row) })
  if (write._tag === "Delete") {
    staged.push({ kind, id, row: null })
    return null
  }
  checkStep(kind, row.record, write.record)
  const other = rival(state, staged, kind, id, write.record)
  if (other !== undefined) return new Conflict({ kind, id, expected: "absent", actual: revisionText(other) })
  staged.push({ kind, id, row: { ...row, record: write.record, revision: row.revision + 1 } })
  return null
}

/** Decides and applies. Throws `BadCommit`; changes nothing unless it answers `Committed`. */
export const apply = (
  state: MemoryState,
  commit: Commit,
  now: number,
  eventIds: ReadonlyArray<string>
): Committed | Duplicate | Conflict | LeaseLost => {
  check(commit)
  const held = commit.lease === undefined ? undefined : state.commands.get(commit.lease.commandId)
  if (commit.lease !== undefined && (held === undefined || held.token !== commit.lease.token || held.readyAt <= now))
    return new LeaseLost({ commandId: commit.lease.commandId })
  if (commit.journal !== undefined && state.journal.get(commit.journal.process)?.has(commit.journal.step) === true)
    return duplicate
  for (const expectation of commit.expects ?? []) {
    const conflict = unmet(state, commit, expectation)
    if (conflict !== null) return conflict
  }
  const staged: Array<Staged> = []
  for (const write of commit.writes ?? []) {
    if (write._tag === "Delete") within(commit, write.kind, write.id, rowsOf(state, write.kind).get(write.id))
    const conflict = stage(state, staged, write, state.position + staged.length + 1)
    if (conflict !== null) return conflict
  }
  return write(state, commit, staged, now, eventIds)
}

const write = (
  state: MemoryState,
  commit: Commit,
  staged: ReadonlyArray<Staged>,
  now: number,
  eventIds: ReadonlyArray<string>
): Committed => {
  for (const { id, kind, row } of staged) {
    if (row === null) rowsOf(state, kind).delete(id)
    else rowsOf(state, kind).set(id, row)
  }
  state.position += staged.length
  record(state, commit, now)
  if (commit.journal !== undefined) {
    const { process, result, step } = commit.journal
    state.journal.set(process, new Map(state.journal.get(process)).set(step, result))
  }
  for (const command of commit.commands ?? []) send(state, commit.projectId, command, now)
  if (commit.projectId === null || commit.events === undefined || commit.events.length === 0) return none
  return append(state, commit.projectId, commit.events, now, eventIds)
}

/** Ends a command and its journal; one that was sent again meanwhile begins anew. Answers whether it did. */
export const finish = (state: MemoryState, id: string, now: number): boolean => {
  const row = state.commands.get(id)
  state.journal.delete(id)
  if (row === undefined || row.again === null) {
    state.commands.delete(id)
    return false
  }
  const { dueAt, payload } = row.again
  const anew = { payload, attempts: 0, dueAt: fromMillis(dueAt), createdAt: fromMillis(now), lastProblem: null }
  state.commands.set(id, { ...row, ...fresh, command: { ...row.command, ...anew }, readyAt: dueAt })
  return true
}

/** What sending does to a command that is there: one that was begun runs again, one that waits may come due earlier. */
const resend = (state: MemoryState, row: CommandRow, sent: NewCommand, dueAt: number): void => {
  const again =
    row.token === null && row.again === null
      ? null
      : { payload: sent.payload, dueAt: Math.min(dueAt, row.again?.dueAt ?? dueAt) }
  const sooner = row.token === null && dueAt < row.readyAt
  const command = sooner ? { ...row.command, dueAt: fromMillis(dueAt) } : row.command
  state.commands.set(sent.id, { ...row, command, again, readyAt: sooner ? dueAt : row.readyAt })
}

/** Queues a command; `resend` says what becomes of one with its id. */
const send = (state: MemoryState, projectId: string | null, sent: NewCommand, now: number): void => {
  const dueAt = now + (sent.delayMs ?? 0)
  const there = state.commands.get(sent.id)
  if (there !== undefined) return resend(state, there, sent, dueAt)
  const command: Command = {
    id: sent.id,
    kind: sent.kind,
    projectId: projectId as Command["projectId"],
    payload: sent.payload,
    attempts: sent.leasedBy === undefined ? 0 : 1,
    maxAttempts: sent.maxAttempts ?? Limits.commandAttempts,
    dueAt: fromMillis(dueAt),
    createdAt: fromMillis(now),
    lastProblem: null
  }
  const place = dueAt > now ? dueAt : Math.min(dueAt, sent.order ?? dueAt)
  const readyAt = sent.leasedBy === undefined ? place : now + sent.leasedBy.leaseMs
  const token = sent.leasedBy?.token ?? null
  state.commands.set(sent.id, { ...fresh, command, readyAt, token, position: ++state.position })
}

const append = (
  state: MemoryState,
  projectId: string,
  events: ReadonlyArray<NewEvent>,
  now: number,
  ids: ReadonlyArray<string>
): Committed => {
  let log = state.events.get(projectId)
  if (log === undefined) state.events.set(projectId, (log = { last: 0, oldest: 1, events: [] }))
  const first = log.last + 1
  const time = fromMillis(now)
  for (const [index, event] of events.entries())
    log.events.push({
      specversion: "1.0",
      id: `evt_${ids[index]}` as Event["id"],
      source: `/projects/${projectId}`,
      type: event.type,
      subject: event.subject,
      time,
      sequence: ++log.last,
      data: event.data,
      actor: event.actor
    })
  return { _tag: "Committed", events: { first, last: log.last } }
}
