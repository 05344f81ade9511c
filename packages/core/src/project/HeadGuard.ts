/** What keeps a swap from being decided on what is not so any more, beside the records that it writes itself. */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"

/**
 * The write that touches a Project's head, which every swap writes; none without a head. Whoever changes what a
 * promotion is released to, or whether there may be one, commits it too: a swap that read the old state decides anew.
 */
export const touchHead = (projectId: string) =>
  Effect.map(find("head", projectId), (head): ReadonlyArray<Commit.Write> =>
    head === null ? [] : [Commit.update("head", head, {})]
  )
