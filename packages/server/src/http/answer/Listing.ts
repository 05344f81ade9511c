/** Pages of records, as answers hold them. */
import { type Kind, type RecordOf } from "@pawl/core/model/Entities"
import { type Listing, Records } from "@pawl/core/ledger/Records"
import { Effect } from "effect"

/** The records of a listing, and the cursor of the next page. */
export const listed = <K extends Kind>(kind: K, listing: Listing<K>) =>
  Effect.flatMap(Records, (records) => records.list(kind, listing)).pipe(
    Effect.map((page) => ({ items: page.items.map((each): RecordOf<K> => each.record), nextCursor: page.nextCursor }))
  )
