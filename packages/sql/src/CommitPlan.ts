/**
 * Compiles a Commit to a batch: one statement per guard or write, each with the number of rows it must touch. Which
 * statement missed tells which expectation no longer holds.
 */
import type { NewEvent } from "@pawl/core/model/Event"
import type { Commit, Expectation, Write } from "@pawl/core/ledger/Commit"
import { actorOf, passagesOf } from "@pawl/core/ledger/History"
import { type Committed, Conflict, type Duplicate, LeaseLost } from "@pawl/core/ledger/Ledger"
import type { Database, Outcome, Parameter, Query, Row, Statement } from "./Database.ts"
import { chunks, rowStatements, sending } from "./commands/SentCommands.ts"
import { quoted, type Table, table } from "./Tables.ts"

/** What it means that a statement missed its number of rows. */
type Miss = (rows: ReadonlyArray<Row>) => Conflict | LeaseLost | Duplicate

/** A batch, and what it means when a statement of it misses. */
export interface Plan {
  readonly statements: Array<Statement>
  /** Beside each statement; null for one that cannot miss. */
  readonly misses: Array<Miss | null>
  /** Which statement answers the last sequence; null without events. */
  sequenceAt: number | null
}

/** What a plan needs to know beside the commit. */
export interface Circumstances {
  readonly dialect: Database["Service"]["dialect"]
  readonly now: number
  /** One for each event. */
  readonly eventIds: ReadonlyArray<string>
}

const duplicate: Duplicate = { _tag: "Duplicate" }

const add = (plan: Plan, statement: Statement, miss: Miss | null = null): void => {
  plan.statements.push(statement)
  plan.misses.push(miss)
}

const scopeOf = (commit: Commit): string => commit.projectId ?? ""

const lock = (plan: Plan, commit: Commit): void =>
  // Postgres lets transactions of a scope run side by side; then absence could not be guarded. SQLite has one writer.
  add(plan, { sql: "SELECT pg_advisory_xact_lock(hashtextextended('pawl:' || ?, 0))", params: [scopeOf(commit)] })

const holdLease = (plan: Plan, commit: Commit, { dialect, now }: Circumstances): void => {
  if (commit.lease === undefined) return
  const { commandId, token } = commit.lease
  const lost = () => new LeaseLost({ commandId })
  const lock = dialect === "pg" ? " FOR UPDATE" : ""
  const sql = `SELECT 1 AS held FROM pawl_command WHERE id = ? AND token = ? AND ready_at > ?${lock}`
  add(plan, { sql, params: [commandId, token, now], rows: 1 }, lost)
}

const recordStep = (plan: Plan, commit: Commit): void => {
  if (commit.journal !== undefined) {
    const { process, result, step } = commit.journal
    add(
      plan,
      {
        sql: `INSERT INTO pawl_journal (process, step, place, result)
          VALUES (?, ?, (SELECT count(*) FROM pawl_journal WHERE process = ?), ?) ON CONFLICT DO NOTHING`,
        params: [process, step, process, JSON.stringify(result) ?? "null"],
        rows: 1
      },
      () => duplicate
    )
  }
}

const revisionIn = (rows: ReadonlyArray<Row>): string | null =>
  rows[0] === undefined ? null : String(rows[0]["revision"])

const guard = (plan: Plan, expectation: Expectation): void => {
  const { id, kind } = expectation
  const { revision, same } = table(kind)
  const otherwise = { sql: revision, params: [id] }
  if (expectation._tag === "Absent")
    add(
      plan,
      { ...otherwise, rows: 0, otherwise },
      (rows) => new Conflict({ kind, id, expected: "absent", actual: revisionIn(rows) })
    )
  else
    add(
      plan,
      {
        sql: same,
        params: [id, expectation.revision],
        rows: 1,
        otherwise
      },
      (rows) => new Conflict({ kind, id, expected: String(expectation.revision), actual: revisionIn(rows) })
    )
}

/** The record must be at its revision. */
const change = (plan: Plan, of: Table, id: string, revision: number, query: Query): void =>
  add(
    plan,
    { sql: query.sql, params: query.params, rows: 1, otherwise: { sql: of.revision, params: [id] } },
    (rows) => new Conflict({ kind: of.kind, id, expected: String(revision), actual: revisionIn(rows) })
  )

/** The new value of a unique column must not be another record's, as long as this one is at its revision. */
const guardUnique = (
  plan: Plan,
  of: Table,
  column: string,
  holder: ReadonlyArray<Parameter>,
  revision: number
): void => {
  const [, id] = holder
  const other = { sql: `SELECT revision FROM ${of.name} WHERE ${quoted(column)} = ? AND id <> ?`, params: holder }
  const changed = {
    sql: `${other.sql} AND EXISTS (SELECT 1 FROM ${of.name} WHERE id = ? AND revision = ?)`,
    params: [...holder, id ?? null, revision]
  }
  add(
    plan,
    { ...changed, rows: 0, otherwise: other },
    (rows) => new Conflict({ kind: of.kind, id: String(id), expected: "absent", actual: revisionIn(rows) })
  )
}

const store = (plan: Plan, commit: Commit, write: Write): void => {
  const of = table(write.kind)
  const { columns, kind, unique } = of
  if (write._tag === "Delete")
    return change(plan, of, write.id, write.revision, { sql: of.remove, params: [write.id, write.revision] })
  const id = of.entity.id(write.record)
  const values = of.values(write.record)
  const data = of.encode(write.record)
  // Whoever else holds a unique value is the one that an insert collides with, when it is not the key.
  const holder = (column: string): ReadonlyArray<Parameter> => [values[columns.indexOf(column)] ?? null, id]
  if (write._tag === "Insert") {
    const otherwise = { sql: of.taken, params: unique.length === 0 ? [id] : [id, ...unique.flatMap(holder)] }
    const statement = { sql: of.insert, params: [scopeOf(commit), id, data, ...values], rows: 1, otherwise }
    return add(plan, statement, (rows) => new Conflict({ kind, id, expected: "absent", actual: revisionIn(rows) }))
  }
  const { from, revision } = write
  const before = of.values(from)
  for (const column of unique) {
    const at = columns.indexOf(column)
    if (values[at] !== before[at]) guardUnique(plan, of, column, holder(column), revision)
  }
  const { statusAt } = of
  if (values.some((value, at) => at !== statusAt && value !== before[at]))
    return change(plan, of, id, revision, { sql: of.rewrite, params: [data, ...values, id, revision] })
  const params = statusAt === -1 ? [data, id, revision] : [data, values[statusAt] ?? null, id, revision]
  change(plan, of, id, revision, { sql: of.update, params })
}

/** The place of a row is the next of its Project, which no other commit of the Project can take meanwhile. */
const remember = (plan: Plan, commit: Commit, now: number): void => {
  const scope = scopeOf(commit)
  for (const { changeId, transitions } of passagesOf(commit)) {
    const data = JSON.stringify({ commit: commit.name, actor: actorOf(commit), transitions })
    add(plan, {
      sql: `INSERT INTO pawl_history (project_id, position, change_id, at, data)
        VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM pawl_history WHERE project_id = ?), ?, ?, ?)`,
      params: [scope, scope, changeId, now, data]
    })
  }
}

const counting = `INSERT INTO pawl_sequence (project_id, last, oldest) VALUES (?, ?, 1)
  ON CONFLICT (project_id) DO UPDATE SET last = pawl_sequence.last + excluded.last RETURNING last`
const eventRow = "INSERT INTO pawl_event (project_id, sequence, at, data)"
const publishing = rowStatements(eventRow, "(?, (SELECT last FROM pawl_sequence WHERE project_id = ?) - ?, ?, ?)")
const countingAndPublishing = rowStatements(
  `WITH counted AS (${counting}) ${eventRow}`,
  "(?, (SELECT last FROM counted) - ?, ?, ?)",
  "RETURNING (SELECT last FROM counted) AS last"
)

const publish = (
  plan: Plan,
  projectId: string,
  events: ReadonlyArray<NewEvent>,
  { dialect, eventIds, now }: Circumstances
): void => {
  plan.sequenceAt = plan.statements.length
  const count: ReadonlyArray<Parameter> = [projectId, events.length]
  // Postgres can count and write in one statement, which is one less to plan and run; SQLite writes in no WITH.
  const atOnce = dialect === "pg" && chunks(events).length === 1
  if (!atOnce) add(plan, { sql: counting, params: count })
  const rows = events.map((event, index): ReadonlyArray<Parameter> => {
    const { actor, data, subject, type } = event
    const text = JSON.stringify({ id: `evt_${eventIds[index]}`, type, subject, data, actor })
    const fromLast = events.length - 1 - index
    return atOnce ? [projectId, fromLast, now, text] : [projectId, projectId, fromLast, now, text]
  })
  if (atOnce) return add(plan, { sql: countingAndPublishing(rows.length), params: [...count, ...rows.flat()] })
  for (const chunk of chunks(rows)) add(plan, { sql: publishing(chunk.length), params: chunk.flat() })
}

/**
 * A bound of the size of what a commit stores, as `CommitRules` measures it, in bytes: from the texts that are stored
 * anyway. A character that JSON must escape takes at most 6 bytes; a row's other parts take less than `rowBytes`.
 */
export const atMostBytes = ({ commands = [], events = [], writes = [] }: Commit, plan: Plan): number => {
  let characters = 0
  for (const { params } of plan.statements)
    for (const param of params) if (typeof param === "string") characters += param.length
  return characters * 6 + (writes.length + events.length + commands.length + 1) * rowBytes
}
const rowBytes = 256

/** The statements of a commit, in the order in which its expectations are judged. */
export const planOf = (commit: Commit, circumstances: Circumstances): Plan => {
  const plan: Plan = { statements: [], misses: [], sequenceAt: null }
  const { commands = [], events = [], expects = [], writes = [] } = commit
  if (circumstances.dialect === "pg") lock(plan, commit)
  holdLease(plan, commit, circumstances)
  recordStep(plan, commit)
  for (const expectation of expects) guard(plan, expectation)
  for (const write of writes) store(plan, commit, write)
  remember(plan, commit, circumstances.now)
  if (events.length > 0) publish(plan, scopeOf(commit), events, circumstances)
  if (commands.length > 0)
    for (const statement of sending(scopeOf(commit), commands, circumstances.now)) add(plan, statement)
  return plan
}

/** Reads the outcome of the batch as the outcome of the commit. */
export const resultOf = (
  plan: Plan,
  commit: Commit,
  outcome: Outcome
): Committed | Duplicate | Conflict | LeaseLost => {
  if (outcome._tag === "Missed") {
    const miss = plan.misses[outcome.index]
    if (miss === null || miss === undefined) throw new Error(`statement ${outcome.index} of ${commit.name} cannot miss`)
    return miss(outcome.rows)
  }
  if (plan.sequenceAt === null) return { _tag: "Committed", events: null }
  const last = Number(outcome.answers[plan.sequenceAt]?.[0]?.["last"])
  return { _tag: "Committed", events: { first: last - (commit.events?.length ?? 0) + 1, last } }
}
