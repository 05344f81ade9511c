/**
 * A commit in the making, and the only place where a life moves: `step` looks its row up, writes the status and tells
 * the row's events. A draft remembers what it wrote, so that a later step of the same record builds on it. It is filled
 * by one decision, in order, and read once, by `end`.
 */
import type { Actor } from "../model/Actor.ts"
import type { NewCommand } from "../model/Command.ts"
import { Entities, type Kind, type LifeOf, type LivingKind, type RecordOf } from "../model/Entities.ts"
import type { EventType, NewEvent } from "../model/Event.ts"
import type { DataOf } from "../model/EventData.ts"
import {
  type EmittedBy,
  type Lifecycle,
  type MaybeEmittedBy,
  type Row,
  rowOf,
  type StatusIn,
  TransitionRefused,
  type TriggerIn
} from "../model/Lifecycle.ts"
import type * as Time from "../primitives/Time.ts"
import * as Commit from "./Commit.ts"
import { idOf } from "./CommitRules.ts"

/** The lists of a commit, filled in the order in which they will be applied. */
export interface Draft {
  readonly projectId: string
  /** Who does it: of every event, and of the commit. */
  readonly actor: Actor
  /** What every step writes as the time of its record's last change. */
  readonly now: Time.Timestamp
  readonly writes: Array<Commit.Write>
  readonly expects: Array<Commit.Expectation>
  readonly events: Array<NewEvent>
  readonly commands: Array<NewCommand>
  /** Records as this draft leaves them, by kind and key. */
  readonly written: Map<string, Commit.Stored<unknown>>
}

/** An empty draft of one Project. */
export const begin = (projectId: string, actor: Actor, now: Time.Timestamp): Draft => ({
  projectId,
  actor,
  now,
  writes: [],
  expects: [],
  events: [],
  commands: [],
  written: new Map()
})

/** Under what a draft keeps the record of a key in `written`. */
export const placeOf = (kind: Kind, id: string): string => `${kind} ${id}`

/** The record as this draft leaves it: what was read, or what the draft last made of it. */
export const newest = <K extends Kind>(
  draft: Draft,
  kind: K,
  stored: Commit.Stored<RecordOf<K>>
): Commit.Stored<RecordOf<K>> =>
  (draft.written.get(placeOf(kind, idOf(kind, stored.record))) as Commit.Stored<RecordOf<K>> | undefined) ?? stored

/** The record of a key as this draft leaves it; undefined for one that it has not written. */
export const writtenAs = <K extends Kind>(draft: Draft, kind: K, id: string): Commit.Stored<RecordOf<K>> | undefined =>
  draft.written.get(placeOf(kind, id)) as Commit.Stored<RecordOf<K>> | undefined

const keep = <K extends Kind>(draft: Draft, kind: K, record: RecordOf<K>, revision: number) => {
  const kept = { record, revision }
  draft.written.set(placeOf(kind, idOf(kind, record)), kept)
  return kept
}

/** Adds a new record, and answers it as it will be stored. */
export const insert = <K extends Kind>(draft: Draft, kind: K, record: RecordOf<K>): Commit.Stored<RecordOf<K>> => {
  draft.writes.push(Commit.insert(kind, record))
  return keep(draft, kind, record, 1)
}

/** What `update` may write: of a kind with a life, all but the status. */
export type Fields<K extends Kind> = Partial<K extends LivingKind ? Omit<RecordOf<K>, "status"> : RecordOf<K>>

const write = <K extends Kind>(
  draft: Draft,
  kind: K,
  stored: Commit.Stored<RecordOf<K>>,
  fields: object
): Commit.Stored<RecordOf<K>> => {
  const before = newest(draft, kind, stored)
  draft.writes.push(Commit.update(kind, before, fields as Partial<RecordOf<K>>))
  return keep(draft, kind, { ...before.record, ...fields }, before.revision + 1)
}

/**
 * New fields of a record, without a step of its life, and answers it as it will be stored. `updatedAt` is the caller's to
 * set. With `{}` it only guards the record against whoever else writes it.
 */
export const update = <K extends Kind>(
  draft: Draft,
  kind: K,
  stored: Commit.Stored<RecordOf<K>>,
  fields: Fields<K>
): Commit.Stored<RecordOf<K>> => write(draft, kind, stored, fields)

/** Adds writes that a rule of its own has made. The draft does not look at them: no later step builds on what they write. */
export const add = (draft: Draft, ...writes: ReadonlyArray<Commit.Write>): void => {
  draft.writes.push(...writes)
}

/** Adds what must still be true when the commit is applied. */
export const expect = (draft: Draft, ...expectations: ReadonlyArray<Commit.Expectation>): void => {
  draft.expects.push(...expectations)
}

/** Adds commands to send. */
export const send = (draft: Draft, ...commands: ReadonlyArray<NewCommand>): void => {
  draft.commands.push(...commands)
}

/** Tells a fact that belongs to no step of a life. */
export const emit = <T extends EventType>(draft: Draft, type: T, subject: string, data: DataOf<T>): void => {
  draft.events.push({ type, subject, data: { ...data }, actor: draft.actor })
}

/** What an event tells, when its subject is not the record that takes the step. */
export class About<D> {
  readonly subject: string
  readonly data: D
  constructor(subject: string, data: D) {
    this.subject = subject
    this.data = data
  }
}
/** Event data with the id of what it is about, where that is not the record whose life moves. */
export const about = <D>(subject: string, data: D): About<D> => new About(subject, data)

type Told<T extends EventType> = DataOf<T> | About<DataOf<T>>
/** The triggers of a kind's life. */
export type TriggerOf<K extends LivingKind> = TriggerIn<LifeOf<K>>
/** Data of each event that a trigger emits, and of those that it may emit: they are told in this order. */
export type EventsOf<K extends LivingKind, T> = {
  readonly [E in EmittedBy<LifeOf<K>, T>]: Told<E>
} & { readonly [E in MaybeEmittedBy<LifeOf<K>, T>]?: Told<E> | undefined }
/** The data may be left out where a trigger emits nothing. */
export type Telling<K extends LivingKind, T> = [EmittedBy<LifeOf<K>, T>] extends [never]
  ? [data?: EventsOf<K, T>]
  : [data: EventsOf<K, T>]

/** A trigger; with the state that it is to lead to, where it has several. */
export type Move<K extends LivingKind, T> = T | readonly [trigger: T, to: StatusIn<LifeOf<K>>]

const lookUp = (
  kind: LivingKind,
  from: string,
  move: string | readonly [string, string]
): Row<string, string> | undefined => {
  const life: Lifecycle<string, string> = Entities[kind].lifecycle
  return typeof move === "string" ? rowOf(life, from, move) : rowOf(life, from, move[0], move[1])
}

/** Whether the life of a kind has this step from a status. */
export const leads = <K extends LivingKind>(kind: K, from: StatusIn<LifeOf<K>>, move: Move<K, TriggerOf<K>>): boolean =>
  lookUp(kind, from, move) !== undefined

/** Where a trigger leads from a status. A step that the life lacks is a defect. */
export const target = <K extends LivingKind>(
  kind: K,
  from: StatusIn<LifeOf<K>>,
  move: Move<K, TriggerOf<K>>
): StatusIn<LifeOf<K>> => {
  const row = lookUp(kind, from, move)
  if (row !== undefined) return row.to as StatusIn<LifeOf<K>>
  throw new TransitionRefused({
    lifecycle: Entities[kind].lifecycle.name,
    from,
    trigger: typeof move === "string" ? move : move.join(" to ")
  })
}

/** Whether the life of a record has this step from where the draft leaves it. */
export const may = <K extends LivingKind>(
  draft: Draft,
  kind: K,
  stored: Commit.Stored<RecordOf<K>>,
  move: Move<K, TriggerOf<K>>
): boolean => lookUp(kind, newest(draft, kind, stored).record.status, move) !== undefined

/** Tells the events of a record, by type in the order of the data; one that is undefined is left out. */
export const tell = (draft: Draft, subject: string, data: Readonly<Record<string, unknown>> = {}): void => {
  for (const [type, told] of Object.entries(data)) {
    if (told === undefined) continue
    const event = told instanceof About ? told : about(subject, told)
    draft.events.push({
      type: type as EventType,
      subject: event.subject,
      data: event.data as NewEvent["data"],
      actor: draft.actor
    })
  }
}

/**
 * Takes a record a step along its life: writes the status, the time and the fields, and tells the events of the row.
 * Answers it as it will be stored. A step that its life lacks is a defect: whoever is not sure asks `may` first.
 */
export const step = <K extends LivingKind, T extends TriggerOf<K>>(
  draft: Draft,
  kind: K,
  stored: Commit.Stored<RecordOf<K>>,
  move: Move<K, T>,
  fields: Fields<K>,
  ...[data]: Telling<K, T>
): Commit.Stored<RecordOf<K>> => {
  const { status: from } = newest(draft, kind, stored).record
  const status = target(kind, from as StatusIn<LifeOf<K>>, move)
  tell(draft, idOf(kind, stored.record), data)
  return write(draft, kind, stored, { ...fields, updatedAt: draft.now, status })
}

/** The commit, under its name, with what the caller knows beside the draft. */
export const end = (draft: Draft, beside: Pick<Commit.Commit, "name" | "lease" | "journal">): Commit.Commit => ({
  ...beside,
  projectId: draft.projectId,
  actor: draft.actor,
  expects: draft.expects,
  writes: draft.writes,
  events: draft.events,
  commands: draft.commands
})
