/** A chain of statements: how long it is, what its newest one is, and what is needed to go on with its log. */
import { Schema } from "effect"
import { Sha256 } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { ChainId } from "./Statement.ts"

/** The end of a chain. Every statement moves it, in the same commit. */
export const Chain = Schema.Struct({
  /** Whose it is, and the key. */
  chain: ChainId,
  /** Counts from 1; each restored backup begins the next one (`pawl key epoch`). */
  epoch: Schema.Finite,
  /** How many statements it has: the next one's entry. */
  size: Schema.Finite,
  /** The SHA-256 of the newest payload; null while there is none. */
  digest: Schema.NullOr(Sha256),
  /** The roots of the whole subtrees of the Merkle tree over its payloads (RFC 6962), largest first, in hex. */
  edge: Schema.Array(Sha256),
  /** When its newest statement was made. */
  at: Timestamp
})
export interface Chain extends Schema.Schema.Type<typeof Chain> {}

/** Why a signer refuses a chain. */
export const RefusalCode = Schema.Literals([
  /** The signer has signed more, or something else: the database was put back. `pawl key epoch` goes on from there. */
  "log_behind",
  /** The signer's key is not the newest of the instance's chain. */
  "key_unknown",
  /** A stolen key was revoked; what it signed is signed anew once an audit has found nothing. */
  "audit_pending"
])
export type RefusalCode = typeof RefusalCode.Type

/** What was signed and published of a chain. Only whoever signs moves it, so that no promotion waits for that. */
export const ChainLog = Schema.Struct({
  /** Whose it is, and the key. */
  chain: ChainId,
  /** The statements before this entry are all signed. */
  signed: Schema.Finite,
  /** The size of the newest checkpoint; 0 before the first. */
  size: Schema.Finite,
  /** The newest checkpoint, a signed note (C2SP); null before the first. */
  checkpoint: Schema.NullOr(Schema.String),
  /** Up to which size each publisher has it, and what it answered: of git the commit. */
  published: Schema.Array(
    Schema.Struct({ publisher: Schema.String, size: Schema.Finite, mark: Schema.NullOr(Schema.String) })
  ),
  /** The roots of the whole subtrees over the entries before `signed`, as in its chain. */
  edge: Schema.Array(Sha256),
  /** When the newest checkpoint was made; null before the first. */
  checkpointAt: Schema.NullOr(Timestamp),
  /** Since a rotation the only key that may sign what is unsigned; null before the first. */
  keyid: Schema.NullOr(Schema.String),
  /** Since a rotation of the log's key the only one that may make checkpoints. */
  logKeyid: Schema.optionalKey(Schema.String),
  /** Why nothing of it is signed, and since when; null while it is. */
  refused: Schema.NullOr(Schema.Struct({ code: RefusalCode, since: Timestamp })),
  /** When it moved last. */
  updatedAt: Timestamp
})
export interface ChainLog extends Schema.Schema.Type<typeof ChainLog> {}
