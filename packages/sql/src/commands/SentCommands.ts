/** Commands that a commit sends, in statements. */
import type { NewCommand } from "@pawl/core/model/Command"
import { Limits } from "@pawl/core/primitives/Limits"
import type { Parameter, Statement } from "../Database.ts"

/** Portions of at most `Limits.insertRows`, so that few forms of a statement are prepared. */
export const chunks = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length > 0 && all.length <= Limits.insertRows
    ? [all]
    : Array.from({ length: Math.ceil(all.length / Limits.insertRows) }, (_, i) =>
        all.slice(i * Limits.insertRows, (i + 1) * Limits.insertRows)
      )

/** A statement that takes rows of values, by their number. Each text is made once, so that it is found prepared. */
export const rowStatements = (before: string, row: string, after = ""): ((rows: number) => string) => {
  const made: Array<string | undefined> = []
  return (rows) => (made[rows] ??= `${before} VALUES ${Array.from({ length: rows }, () => row).join(", ")} ${after}`)
}

/** What sending does to a command that is there, as `MemoryCommit.resend` has it. */
const resend = ((): string => {
  const [waits, sooner] = ["pawl_command.token IS NULL", "excluded.due_at < pawl_command.ready_at"]
  const begun = "(pawl_command.token IS NOT NULL OR pawl_command.again IS NOT NULL)"
  return `again = CASE WHEN ${begun} THEN excluded.payload END,
    again_at = CASE WHEN pawl_command.again_at < excluded.due_at THEN pawl_command.again_at WHEN ${begun} THEN excluded.due_at END,
    due_at = CASE WHEN ${waits} AND ${sooner} THEN excluded.due_at ELSE pawl_command.due_at END,
    ready_at = CASE WHEN ${waits} AND ${sooner} THEN excluded.due_at ELSE pawl_command.ready_at END`
})()

/** Each command once: one statement must not meet a row that it wrote itself. */
const rounds = (commands: ReadonlyArray<NewCommand>): ReadonlyArray<ReadonlyArray<NewCommand>> => {
  if (commands.length === 1 || new Set(commands.map((command) => command.id)).size === commands.length)
    return [commands]
  const first = commands.filter((command, at) => commands.findIndex((each) => each.id === command.id) === at)
  return [first, ...rounds(commands.filter((command) => !first.includes(command)))]
}

const inserting = rowStatements(
  "INSERT INTO pawl_command (id, project_id, kind, payload, attempts, max_attempts, due_at, created_at, ready_at, token)",
  "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  `ON CONFLICT (id) DO UPDATE SET ${resend}`
)

/** The moment by which it is claimed: when it is due, or its place before that. One that is put off has none. */
const placed = ({ order }: NewCommand, dueAt: number, now: number): number =>
  dueAt > now ? dueAt : Math.min(dueAt, order ?? dueAt)

const insertAll = (scope: string, commands: ReadonlyArray<NewCommand>, now: number): ReadonlyArray<Statement> => {
  const rows = commands.map((command): ReadonlyArray<Parameter> => {
    const dueAt = now + (command.delayMs ?? 0)
    const leased = command.leasedBy
    return [
      command.id,
      scope,
      command.kind,
      JSON.stringify(command.payload),
      leased === undefined ? 0 : 1,
      command.maxAttempts ?? Limits.commandAttempts,
      dueAt,
      now,
      leased === undefined ? placed(command, dueAt, now) : now + leased.leaseMs,
      leased?.token ?? null
    ]
  })
  return chunks(rows).map((chunk) => ({ sql: inserting(chunk.length), params: chunk.flat() }))
}

/** Queues commands of a scope. */
export const sending = (scope: string, commands: ReadonlyArray<NewCommand>, now: number): ReadonlyArray<Statement> =>
  rounds(commands).flatMap((round) => insertAll(scope, round, now))
