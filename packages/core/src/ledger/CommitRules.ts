/**
 * What every store asks of a Commit before it looks at its state: it is within bounds, it stays in its scope,
 * and every status in it is one that the entity's lifecycle allows. A commit that breaks one of these is a mistake
 * of the program, so it is thrown and ends as a defect.
 */
import { Limits } from "../primitives/Limits.ts"
import { utf8 } from "../primitives/Digest.ts"
import type { Commit, Write } from "./Commit.ts"
import { type Entity, entityOf, type Kind, kinds } from "../model/Entities.ts"
import { steps } from "../model/Lifecycle.ts"

/** A commit that no correct program makes. */
export class BadCommit extends Error {
  override readonly name = "BadCommit"
}

interface Life {
  readonly status: (record: unknown) => string
  readonly initial: ReadonlySet<string>
  readonly steps: ReadonlySet<string>
}

const lifeOf = (kind: Kind): Life | null => {
  const entity = entityOf(kind) as Entity<unknown>
  const status = entity.columns["status"]
  if (entity.lifecycle === undefined || status === undefined) return null
  return {
    status: (record) => String(status(record)),
    initial: new Set(entity.lifecycle.initial),
    steps: new Set(steps(entity.lifecycle).map(([from, to]) => `${from}>${to}`))
  }
}

const lives = new Map<Kind, Life | null>(kinds.map((kind) => [kind, lifeOf(kind)]))

/** Columns whose values are unique among all records of a kind, beside the key. */
export const uniqueColumns: { readonly [K in Kind]?: ReadonlyArray<string> } = { token: ["hash"] }

/** The key of a record of this kind. */
export const idOf = (kind: Kind, record: unknown): string => (entityOf(kind) as Entity<unknown>).id(record)

/** The status of a record, for kinds that have a life. */
export const statusOf = (kind: Kind, record: unknown): string | null => lives.get(kind)?.status(record) ?? null

/** Throws when no life of this kind goes from one record's status to the other's. */
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

const scopeName = (projectId: string | null): string => (projectId === null ? "the directory" : projectId)

/** What a write stores: all of it but the record that it replaces. */
const stored = (write: Write): unknown => {
  if (write._tag !== "Update") return write
  const { from: _, ...rest } = write
  return rest
}

/** The UTF-8 size of the JSON of all that the commit would store, in bytes; an upper bound while that is within the limit. */
const sizeBytes = (commit: Commit): number => {
  const text = JSON.stringify([commit.writes?.map(stored), commit.events, commit.commands, commit.journal])
  return text.length * 3 <= Limits.commitBytes ? text.length * 3 : utf8(text).length
}

/**
 * Throws `BadCommit` when the commit cannot be meant. A store that knows a bound of the commit's size, in bytes, need
 * not have it measured.
 */
export const check = (commit: Commit, atMostBytes = Number.POSITIVE_INFINITY): void => {
  const { commands = [], events = [], expects = [], writes = [] } = commit
  const rows = expects.length + writes.length + events.length + commands.length + (commit.journal === undefined ? 0 : 1)
  if (rows > Limits.commitRows)
    throw new BadCommit(`${commit.name} has ${rows} rows; commitRows allows ${Limits.commitRows}`)
  if (atMostBytes > Limits.commitBytes && sizeBytes(commit) > Limits.commitBytes)
    throw new BadCommit(`${commit.name} is larger than commitBytes, ${Limits.commitBytes} bytes`)
  if (events.length > 0 && commit.projectId === null)
    throw new BadCommit(`${commit.name} has events, but the directory has no event sequence`)
  for (const write of writes) checkWrite(commit, write)
}
