/**
 * What the signer remembers of each log beside its keys, apart from the database: so that a database that was put back is
 * seen, and nothing is signed that contradicts what was signed before.
 */
import { Context, type Effect } from "effect"
import type { SignerUnavailable } from "./Signer.ts"

/** The longest state of a log for which a signature was handed out. */
export interface SignedHead {
  readonly size: number
  /** Of the Merkle tree over its payloads (RFC 6962), base64. */
  readonly root: string
}

/** By the origin of a log: `<name>/log/<project>`, and `/2` and so on for later epochs. */
export class SignedHeads extends Context.Service<
  SignedHeads,
  {
    /** The head of a log; null before its first signature. */
    readonly get: (origin: string) => Effect.Effect<SignedHead | null, SignerUnavailable>
    /** Keeps a head in the place of the one before. When this has answered it outlives the machine's loss of power. */
    readonly set: (origin: string, head: SignedHead) => Effect.Effect<void, SignerUnavailable>
  }
>()("@pawl/core/provenance/SignedHeads") {}
