/** What is served carries the signed statement that says so. */
import { Effect } from "effect"
import { pointerKey } from "../model/Entities.ts"
import type { ServedStatement } from "../model/Pointer.ts"
import type { ChainId, Signature, Statement } from "../model/Statement.ts"
import * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import { envelopeOf } from "./Envelope.ts"

/**
 * The production pointer carries the envelope of the release that it serves. One that serves another is guarded: it may be
 * moving to what is signed here, without the signature.
 */
export const pointerWith = Effect.fnUntraced(function* (
  chain: ChainId,
  batch: ReadonlyArray<Commit.Stored<Statement>>,
  made: ReadonlyMap<number, Signature>
) {
  const envelopes = new Map<number, string>()
  for (const { record } of batch) {
    const signature = made.get(record.entry)
    if (record.kind === "release" && signature !== undefined)
      envelopes.set(record.entry, canonicalJson(envelopeOf({ payload: record.payload, signature })))
  }
  const none = { expects: [], writes: [] }
  if (chain === "instance" || envelopes.size === 0) return none
  const id = pointerKey(chain, "production")
  const pointer = yield* find("pointer", id)
  if (pointer === null) return { ...none, expects: [Commit.absent("pointer", id)] }
  const carrying = <A extends { readonly provenance?: ServedStatement | null }>(served: A): A => {
    const envelope = served.provenance == null ? undefined : envelopes.get(served.provenance.entry)
    return envelope === undefined || served.provenance == null
      ? served
      : { ...served, provenance: { ...served.provenance, envelope } }
  }
  const { lastGood } = pointer.record
  const next = carrying({
    ...pointer.record,
    ...(lastGood === undefined ? {} : { lastGood: lastGood === null ? null : carrying(lastGood) })
  })
  const isSame = next.provenance === pointer.record.provenance && next.lastGood === lastGood
  return isSame
    ? { ...none, expects: [Commit.unchanged("pointer", id, pointer)] }
    : { ...none, writes: [Commit.update("pointer", pointer, next)] }
})
