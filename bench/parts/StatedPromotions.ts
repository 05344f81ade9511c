/** Promotion commits with their statements, and the same commits without. */
import type { Commit } from "@pawl/core/ledger/Commit"
import type { Snapshot } from "@pawl/core/promotion/Canonical"
import { chainOf } from "@pawl/core/provenance/Chains"
import { Effect } from "effect"
import { committed, sizesOf, type Ways } from "./PairedPromotions.ts"
import { snapshotOf } from "./PromotionWorld.ts"

/**
 * The commit as it was before statements. A Project that is not adopted says nothing; that it is none is looked at by a
 * condition, which was not there before statements either.
 */
const bare = (snapshot: Snapshot): Commit => {
  const { expects = [], ...commit } = committed({ ...snapshot, chain: null })
  return { ...commit, expects: expects.filter(({ kind }) => kind !== "chain") }
}

/** How many writes and commands each commit has. */
export const sizes = () => ({ stated: sizesOf(committed(snapshotOf(0, 0))), bare: sizesOf(bare(snapshotOf(0, 0))) })

/** With its statement, whose chain is read first, and without. */
export const ways: Ways = {
  ours: (snapshot) => Effect.map(chainOf(snapshot.head.record.projectId), (chain) => committed({ ...snapshot, chain })),
  floor: (snapshot) => Effect.sync(() => bare(snapshot))
}
