/**
 * A statement: what was done, in the formats of in-toto (Statement v1) and DSSE (v1.0.2). It is written unsigned in the
 * commit that does the thing, and signed right after. Statements of a Project stand in one chain; those of keys and
 * approvers in the chain of the instance.
 */
import { Schema } from "effect"
import { ProjectId, Sha256 } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** What a statement can be about. Each has the predicate type `urn:pawl:attestation:<kind>:v1`, for ever. */
const statementKinds = [
  /** A generation became canonical. */
  "promotion",
  /** A version of the Policy came into force. */
  "policy",
  /** A bundle is about to be served on a host. */
  "release",
  /** How a release ended. */
  "outcome",
  /** Where the chain of a Project begins that is older than statements. */
  "adopted",
  /** Where the chain of a Project goes on after a backup was restored. */
  "restored",
  /** A key was introduced, or retired. Of the instance's chain. */
  "key",
  /** A passkey of an approver was enrolled, or removed. Of the instance's chain. */
  "approver"
] as const
/** One of `statementKinds`. */
export const StatementKind = Schema.Literals(statementKinds)
export type StatementKind = typeof StatementKind.Type

/** Whose chain it is: a Project's, or the instance's. */
export const ChainId = Schema.Union([ProjectId, Schema.Literal("instance")])
export type ChainId = typeof ChainId.Type

/** One signature of a DSSE envelope. */
export const Signature = Schema.Struct({
  /** `SHA256:` and the unpadded base64 of the SHA-256 of the public key's SPKI in DER. */
  keyid: Schema.String,
  /** Base64: of P-256 in DER, of Ed25519 its 64 bytes. */
  sig: Schema.String
})
export interface Signature extends Schema.Schema.Type<typeof Signature> {}

/** One entry of a chain. Its payload is never changed; its signature is added once. */
export const Statement = Schema.Struct({
  /** Whose chain it stands in; with `entry` it is the key. */
  chain: ChainId,
  /** Its place there, dense from 0. */
  entry: Schema.Finite,
  /** What it is about. */
  kind: StatementKind,
  /** The generation that it is about; null for none. */
  generation: Schema.NullOr(Schema.Finite),
  /** The in-toto Statement, as it is signed and hashed: canonical JSON (RFC 8785), never made anew. */
  payload: Schema.String,
  /** The SHA-256 of that text. */
  digest: Sha256,
  /** Null until it is signed. */
  signature: Schema.NullOr(Signature),
  /**
   * Of a release: the roots of the whole subtrees over the entries before it, largest first, in hex. With them its proof of
   * inclusion is made from it and what came after it alone.
   */
  edge: Schema.optionalKey(Schema.Array(Sha256)),
  /** When it was made: never before the entry before it. */
  at: Timestamp
})
export interface Statement extends Schema.Schema.Type<typeof Statement> {}

/** The key of a statement: it sorts as the entries do. */
export const statementKey = (chain: string, entry: number): string => `${chain}/${String(entry).padStart(8, "0")}`

/** By what statements are looked up: whose, of which kind, and about which generation. */
export const aboutOf = (chain: string, kind: StatementKind, generation: number): string =>
  `${chain}/${kind}/${generation}`
