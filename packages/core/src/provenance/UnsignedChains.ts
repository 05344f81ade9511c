/** What waits for its signature, over all chains: for whoever runs the installation. It only reads. */
import { Effect } from "effect"
import type { RefusalCode } from "../model/Chain.ts"
import { type ChainId, statementKey } from "../model/Statement.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { Timestamp } from "../primitives/Time.ts"

/** A chain of which not all is signed, or which the signer refuses. */
export interface UnsignedChain {
  readonly chain: ChainId
  /** How many of its statements have no signature. */
  readonly count: number
  /** Since when it is refused; of one that is not, when the oldest of those statements was made. */
  readonly since: Timestamp
  /** Why the signer refuses it; null for one that is late, or whose signer is away. */
  readonly refused: RefusalCode | null
}

/** All of them, in the order in which their chains began. */
export const unsignedChains = Effect.gen(function* () {
  const records = yield* Records
  const all = yield* records.list("chain", { limit: "all" })
  const logs = new Map(
    (yield* records.list("chainLog", { limit: "all" })).items.map(({ record }) => [record.chain, record])
  )
  const told = yield* Effect.forEach(
    all.items,
    Effect.fnUntraced(function* ({ record: { at, chain, size } }) {
      const { refused = null, signed = 0 } = logs.get(chain) ?? {}
      const count = Math.max(0, size - signed)
      if (refused !== null) return [{ chain, count, since: refused.since, refused: refused.code }]
      if (count === 0) return []
      const oldest = yield* find("statement", statementKey(chain, signed))
      return [{ chain, count, since: oldest?.record.at ?? at, refused: null }]
    })
  )
  return told.flat() satisfies ReadonlyArray<UnsignedChain>
})
