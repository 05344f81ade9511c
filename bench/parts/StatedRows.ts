/** Rows of hosts that carry the signed statement of what they serve, as a release writes them, and who believes them. */
import { mkdirSync } from "node:fs"
import { makeKey } from "@pawl/adapters-local/signing/KeyFiles"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { Records } from "@pawl/core/ledger/Records"
import type { Pointer } from "@pawl/core/model/Pointer"
import { utf8 } from "@pawl/core/primitives/Digest"
import { base64Bytes } from "@pawl/core/primitives/StrictBase64"
import { envelopeOf, preAuthentication } from "@pawl/core/provenance/Envelope"
import { introduce } from "@pawl/core/provenance/Keys"
import { rawOf } from "@pawl/core/provenance/PublicKeys"
import { releaseFact } from "@pawl/core/provenance/ReleaseFacts"
import { Signer } from "@pawl/core/provenance/Signer"
import { emptyChain, following } from "@pawl/core/provenance/Statements"
import { ReleaseTrust } from "@pawl/core/provenance/TrustedKeys"
import * as ReleaseKeys from "@pawl/server/node/ReleaseKeys"
import * as Signers from "@pawl/server/node/Signers"
import { Effect, Layer, ManagedRuntime } from "effect"

/** A row, with what a bare check of its signature takes. */
export interface StatedRow {
  readonly row: Pointer
  readonly message: Uint8Array<ArrayBuffer>
  readonly signature: Uint8Array<ArrayBuffer>
}

const now = "2026-01-01T00:00:00.000Z"

const unsigned = (row: Pointer, entry: number): string => {
  const { bundleDigest, generation } = row
  if (bundleDigest === null || generation === null) throw new Error("the row serves nothing")
  const about = { generation, bundleDigest, source: "build", derivedFrom: null, mayRestore: "a".repeat(64) } as const
  const chain = { ...emptyChain(row.projectId, now), size: entry, digest: "b".repeat(64) }
  return following(chain, releaseFact(about, row), now).statement.payload
}

const stated = Effect.fnUntraced(function* (row: Pointer, entry: number) {
  const payload = unsigned(row, entry)
  const message = new Uint8Array(preAuthentication(utf8(payload)))
  const signature = yield* (yield* Signer).sign("statement", message)
  const raw = rawOf(base64Bytes(signature.sig) ?? new Uint8Array(0))
  if (raw === null) throw new Error("the signer signs with another key than one of P-256")
  const envelope = JSON.stringify(envelopeOf({ payload, signature }))
  const made: StatedRow = {
    row: { ...row, provenance: { entry, epoch: 1, envelope } },
    message,
    signature: new Uint8Array(raw)
  }
  return made
})

/** The keys of an installation in a folder: rows signed with them, and what a router believes of them. */
export const open = async (data: string) => {
  mkdirSync(data, { recursive: true })
  makeKey(data, "log", "ed25519")
  makeKey(data, "statement", "ecdsa-p256-sha256")
  let reads = 0
  const counted = Layer.effect(
    Records,
    Effect.map(Records, (records) => ({
      get: (kind, id) => Effect.suspend(() => (reads++, records.get(kind, id))),
      many: (kind, ids) => Effect.suspend(() => (reads++, records.many(kind, ids))),
      list: (kind, listing) => Effect.suspend(() => (reads++, records.list(kind, listing))),
      counts: (kind, ids, where) => Effect.suspend(() => (reads++, records.counts(kind, ids, where)))
    }))
  ).pipe(Layer.provideMerge(MemoryLedger.layerMemory))
  const signers = Signers.layer({ data, signer: { _tag: "File" } })
  const ports = Layer.provideMerge(signers, counted)
  const keys = ManagedRuntime.make(
    ReleaseKeys.layer({ data, trustedKeys: [], provenance: "enforce" }).pipe(Layer.provideMerge(ports))
  )
  await keys.runPromise(introduce)
  const { statement } = await keys.runPromise(Effect.flatMap(Signer, (signer) => signer.keys))
  return {
    spki: statement.spki,
    trust: await keys.runPromise(ReleaseTrust),
    /** How often the ledger was read until now. */
    reads: () => reads,
    stated: (row: Pointer, entry: number) => keys.runPromise(stated(row, entry)),
    close: () => keys.dispose()
  }
}
