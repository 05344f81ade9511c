/** Commands and dead letters as rows. A row's columns are read alike from both tables. */
import { Result, Schema } from "effect"
import { type Command, Command as CommandSchema, type DeadLetter, type LeasedCommand } from "@pawl/core/model/Command"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { fromMillis } from "@pawl/core/primitives/Time"
import type { Row } from "../Database.ts"
import { plainJson } from "@pawl/core/primitives/PlainJson"
import { parsed } from "../SqlRecords.ts"
import { corrupt } from "../Tables.ts"

const decodeCommand = Schema.decodeUnknownResult(CommandSchema)
const { payload: _, ...columns } = CommandSchema.fields
const isPlain = plainJson(Schema.Struct(columns))?.check

/** By its schema only when it is not plainly what that says. */
const decode = (command: Command | Readonly<Record<string, unknown>>): Result.Result<Command, unknown> => {
  const { payload, ...rest } = command
  const isRecord = typeof payload === "object" && payload !== null && !Array.isArray(payload)
  return isRecord && isPlain?.(rest) === true ? Result.succeed(command as Command) : decodeCommand(command)
}

const commandOf = (tableName: string, row: Row): Result.Result<Command, LedgerUnavailable> => {
  const id = String(row["id"])
  return Result.flatMap(parsed(tableName, id, row["payload"]), (payload) =>
    Result.mapError(
      decode({
        id,
        kind: row["kind"],
        projectId: row["project_id"] === "" ? null : row["project_id"],
        payload,
        attempts: Number(row["attempts"]),
        maxAttempts: Number(row["max_attempts"]),
        dueAt: fromMillis(Number(row["due_at"])),
        createdAt: fromMillis(Number(row["created_at"])),
        lastProblem: row["last_problem"]
      }),
      () => corrupt(tableName, id)
    )
  )
}

/** A row that was claimed with this token. */
export const leasedOf = (row: Row, token: string): Result.Result<LeasedCommand, LedgerUnavailable> =>
  Result.map(commandOf("pawl_command", row), (command) => ({
    command,
    lease: { commandId: command.id, token },
    deaths: Number(row["deaths"]),
    outage:
      row["waiting_since"] === null ? null : { sinceMs: Number(row["waiting_since"]), waits: Number(row["waits"]) }
  }))

/** A row of `pawl_dead_letter` as a dead letter. Fails when it is none. */
export const deadLetterOf = (row: Row): Result.Result<DeadLetter, LedgerUnavailable> =>
  Result.map(commandOf("pawl_dead_letter", row), (command) => ({
    ...command,
    diedAt: fromMillis(Number(row["died_at"]))
  }))
