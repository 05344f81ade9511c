/** All contract suites of the store ports, and of what is read from them, for an adapter that provides every one. */
import { appDataContract } from "../apps/AppDataContract.ts"
import { appLogsContract } from "../apps/AppLogsContract.ts"
import { backlogContract } from "./BacklogContract.ts"
import { commandsContract } from "./CommandsContract.ts"
import { dailyCounterContract } from "./DailyCounterContract.ts"
import { eventLogContract } from "./EventLogContract.ts"
import { fleetContract } from "./FleetContract.ts"
import { historyContract } from "./HistoryContract.ts"
import { journalContract } from "./JournalContract.ts"
import { ledgerContract } from "./LedgerContract.ts"
import { packLogContract } from "./PackLogContract.ts"
import { pointerSourceContract, recordedPointers } from "../apps/PointerSourceContract.ts"
import { recencyContract } from "./RecencyContract.ts"
import { recordsContract } from "./RecordsContract.ts"
import { retentionContract } from "./RetentionContract.ts"
import { sharedSlotsContract } from "./SharedSlotsContract.ts"
import { statementsContract } from "./StatementsContract.ts"
import type { StoreFixture } from "../../tools/StoreFixtures.ts"

/** Declares them all, each under the same `name`. */
export const storeContracts = (name: string, fixture: StoreFixture): void => {
  ledgerContract(name, fixture)
  recordsContract(name, fixture)
  statementsContract(name, fixture)
  backlogContract(name, fixture)
  commandsContract(name, fixture)
  eventLogContract(name, fixture)
  historyContract(name, fixture)
  recencyContract(name, fixture)
  journalContract(name, fixture)
  appDataContract(name, fixture)
  appLogsContract(name, fixture)
  dailyCounterContract(name, fixture)
  sharedSlotsContract(name, fixture)
  packLogContract(name, fixture)
  fleetContract(name, fixture)
  retentionContract(name, fixture)
  pointerSourceContract(name, recordedPointers(fixture))
}
