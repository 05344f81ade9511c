/** Pages of records, as answers hold them. */
import { type Kind, type RecordOf } from "@pawl/core/model/Entities"
import { type Listing, type Page, Records } from "@pawl/core/ledger/Records"
import { Effect } from "effect"

/** A page as it is answered. `nextCursor` is null on the last one. */
export interface Listed<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

/** What was made of a page that cannot change, so that it is written once. */
const made = new WeakMap<Page<unknown>, Listed<unknown>>()

const listedOf = <A>(page: Page<A>): Listed<A> => {
  const before = made.get(page)
  // Its records are those of this very page.
  if (before !== undefined) return before as Listed<A>
  const answer: Listed<A> = { items: page.items.map((each) => each.record), nextCursor: page.nextCursor }
  if (Object.isFrozen(page)) made.set(page, Object.freeze(answer))
  return answer
}

/** The records of a listing, and the cursor of the next page. */
export const listed = <K extends Kind>(kind: K, listing: Listing<K>) =>
  Effect.flatMap(Records, (records) => records.list(kind, listing)).pipe(
    Effect.map((page): Listed<RecordOf<K>> => listedOf(page))
  )
