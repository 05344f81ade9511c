/** Every store port over one database, which is brought to shape first. */
import * as SqlClient from "effect/sql/SqlClient"
import { Context, Effect, Layer } from "effect"
import { AppData } from "@pawl/core/app/AppData"
import { AppLogs } from "@pawl/core/app/AppLogs"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import { History } from "@pawl/core/ledger/History"
import { Journal } from "@pawl/core/work/Journal"
import { Ledger, type LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { Retention } from "@pawl/core/ledger/Retention"
import { PackLog } from "@pawl/core/project/PackLog"
import { Fleet } from "@pawl/core/work/Fleet"
import { SharedSlots } from "@pawl/core/ledger/SharedSlots"
import * as Signals from "@pawl/core/ledger/Signals"
import { Backlog } from "@pawl/core/telemetry/Backlog"
import { Database } from "./Database.ts"
import { demandShape, migrate } from "./Migrations.ts"
import { contract } from "./OlderVersions.ts"
import { make as makeAppData } from "./SqlAppData.ts"
import { make as makeAppLogs } from "./SqlAppLogs.ts"
import { make as makeBacklog } from "./SqlBacklog.ts"
import { make as makeCommands } from "./commands/SqlCommands.ts"
import { make as makeDailyCounter } from "./SqlDailyCounter.ts"
import { make as makeEventLog } from "./SqlEventLog.ts"
import { make as makeHistory } from "./SqlHistory.ts"
import { make as makeLedger } from "./SqlLedger.ts"
import { make as makeFleet } from "./SqlFleet.ts"
import { make as makePackLog } from "./SqlPackLog.ts"
import { make as makeRecords, makeJournal } from "./SqlRecords.ts"
import { make as makeRetention } from "./SqlRetention.ts"
import { make as makeSharedSlots } from "./SqlSharedSlots.ts"

/** The ports that one database provides. */
export type Stores =
  | Ledger
  | Records
  | History
  | Journal
  | Commands
  | EventLog
  | Retention
  | DailyCounter
  | SharedSlots
  | AppData
  | AppLogs
  | Backlog
  | PackLog
  | Fleet

const stores = Effect.gen(function* (): Effect.fn.Return<
  Context.Context<Stores>,
  never,
  Database | SqlClient.SqlClient
> {
  const database = yield* Database
  const sql = yield* SqlClient.SqlClient
  const signals = database.signals ?? Signals.make()
  return Context.make(Ledger, makeLedger(database, signals)).pipe(
    Context.add(Records, makeRecords(database)),
    Context.add(History, makeHistory(database)),
    Context.add(Journal, makeJournal(database)),
    Context.add(Commands, makeCommands(database, signals)),
    Context.add(EventLog, makeEventLog(database, signals)),
    Context.add(Retention, makeRetention(database)),
    Context.add(DailyCounter, makeDailyCounter(database)),
    Context.add(SharedSlots, makeSharedSlots(database)),
    Context.add(AppData, makeAppData(database)),
    Context.add(AppLogs, makeAppLogs(database, signals)),
    Context.add(Backlog, makeBacklog(database)),
    Context.add(PackLog, makePackLog(database)),
    Context.add(Fleet, makeFleet(database, Effect.provideService(contract(), SqlClient.SqlClient, sql)))
  )
})

/** Ledger, Records, History, Journal, Commands, EventLog, Retention, DailyCounter, SharedSlots, AppData, AppLogs, Backlog, PackLog and Fleet. */
export const layer: Layer.Layer<Stores, LedgerUnavailable, SqlClient.SqlClient | Database> = Layer.effectContext(
  Effect.andThen(migrate, stores)
)

/** The same for a process that works for a moment beside a server: the database must have its shape, and keeps it. */
export const layerBeside: Layer.Layer<Stores, LedgerUnavailable, SqlClient.SqlClient | Database> = Layer.effectContext(
  Effect.andThen(demandShape, stores)
)

/** The same over a database that is known to have its shape: whoever made it looked. */
export const layerInShape: Layer.Layer<Stores, never, SqlClient.SqlClient | Database> = Layer.effectContext(stores)
