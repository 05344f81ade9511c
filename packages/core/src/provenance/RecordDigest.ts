/** What a statement says of a record: the SHA-256 of its canonical JSON, as it is stored. */
import { Schema } from "effect"
import { entityOf, type Kind, type RecordOf } from "../model/Entities.ts"
import { canonicalJson, sha256AtOnce } from "../primitives/Digest.ts"
import { plainJson } from "../primitives/PlainJson.ts"

/**
 * The canonical text of a record. A kind whose digest stands in statements gets no default on reading: what is not in an
 * old row must not be in its text.
 */
export const recordText = <K extends Kind>(kind: K, record: RecordOf<K>): string => canonicalJson(encoded(kind, record))

/** What each kind is encoded with, made once: every promotion owes it. */
const encoders = new Map<Kind, (record: unknown) => unknown>()

const encoded = (kind: Kind, record: unknown): unknown => {
  const known = encoders.get(kind)
  if (known !== undefined) return known(record)
  const { schema } = entityOf(kind)
  const encode = Schema.encodeSync(schema as Schema.Codec<unknown, unknown>)
  const plain = plainJson(schema)
  // Where no name is another one on the wire, a record that is plainly what its schema says is encoded to itself.
  const isPlain = plain !== null && plain.read === null ? plain.check : () => false
  const encoder = (each: unknown) => (isPlain(each) ? each : encode(each))
  encoders.set(kind, encoder)
  return encoder(record)
}

/** Stores hand out the same frozen record to all who read it: its digest is made once. */
const known = new WeakMap<object, string>()

/** The SHA-256 of `recordText`, in hex. */
export const recordDigest = <K extends Kind>(kind: K, record: RecordOf<K>): string => {
  const before = known.get(record)
  if (before !== undefined) return before
  const digest = sha256AtOnce(recordText(kind, record))
  if (Object.isFrozen(record)) known.set(record, digest)
  return digest
}
