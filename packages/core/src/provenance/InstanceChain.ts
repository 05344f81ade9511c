/** Statements of the instance's chain: of keys and approvers. They belong to no Project. */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"
import type * as Time from "../primitives/Time.ts"
import { emptyChain, type Fact, following, signing } from "./Statements.ts"

/**
 * The next statement of the instance's chain, and what appends it: the writes, and the command that signs it. Every commit with them moves the chain's row:
 * of two at once the second is decided anew.
 */
export const enchained = Effect.fnUntraced(function* (fact: Fact, now: Time.Timestamp) {
  const before = yield* find("chain", "instance")
  const { chain, statement } = following(before?.record ?? emptyChain("instance", now), fact, now)
  const moved = before === null ? Commit.insert("chain", chain) : Commit.update("chain", before, chain)
  const writes = [Commit.insert("statement", statement), moved]
  return { statement, writes, commands: [signing("instance")] }
})
