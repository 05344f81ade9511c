/** What becomes of a database's errors: a typed `LedgerUnavailable`, or a defect when the program is at fault. */
import type { SqlError } from "effect/sql/SqlError"
import { Effect } from "effect"
import { BadCommit } from "@pawl/core/ledger/CommitRules"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { reasonOf } from "./Database.ts"
import { lifecycleMark } from "./RecordTables.ts"

/** What an error of the database comes to. A guard of the lifecycles that was hit is a defect (`BadCommit`). */
export const unavailable =
  (operation: string) =>
  (error: SqlError): Effect.Effect<never, LedgerUnavailable> => {
    const reason = reasonOf(error)
    return reason.includes(lifecycleMark)
      ? Effect.die(new BadCommit(`${operation}: a status step that the lifecycle does not have (${reason})`))
      : Effect.fail(new LedgerUnavailable({ operation, reason }))
  }
