/** That a release is in its Project's log, as one text that anybody can check with the log's key (c2sp.org/tlog-proof@v1). */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import { type ChainId, statementKey } from "../model/Statement.ts"
import { hexBytes, utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { leafHash } from "./Edge.ts"
import { inclusionProofBeside, tlogProof } from "./Merkle.ts"

/** A release in the newest checkpoint that was made. */
export interface Inclusion {
  /** The newest checkpoint, a signed note; null before the first. */
  readonly checkpoint: string | null
  /** Null while no checkpoint covers the entry, and of one with more than `Limits.provenEntriesBehind` behind it. */
  readonly proof: string | null
}

/** Reads the entry and those that came after it, up to the checkpoint's size. */
export const inclusionOf = Effect.fnUntraced(function* (chain: ChainId, entry: number | null) {
  const log = (yield* find("chainLog", chain))?.record
  const checkpoint = log?.checkpoint ?? null
  const size = log?.size ?? 0
  const without: Inclusion = { checkpoint, proof: null }
  if (entry === null || checkpoint === null || entry >= size || size - entry > Limits.provenEntriesBehind)
    return without
  const found = yield* Effect.forEach(
    Array.from({ length: size - entry }, (_, behind) => statementKey(chain, entry + behind)),
    (key) => find("statement", key),
    { concurrency: Limits.statementReadsAtOnce }
  )
  const edge = found[0]?.record.edge
  const leaves = found.flatMap((each) => (each === null ? [] : [leafHash(utf8(each.record.payload))]))
  if (edge === undefined || leaves.length !== found.length) return without
  return { checkpoint, proof: tlogProof(entry, inclusionProofBeside(edge.map(hexBytes), entry, leaves), checkpoint) }
})
