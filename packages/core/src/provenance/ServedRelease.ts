/** Whether a host's row may be served: what its release statement says of it, and that a key signed it which counts. */
import { Effect, Schema } from "effect"
import type { Pointer } from "../model/Pointer.ts"
import { Signature } from "../model/Statement.ts"
import { isShaped } from "../primitives/PlainJson.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { jsonOf } from "../primitives/StrictJson.ts"
import { textOf } from "../primitives/Utf8.ts"
import { payloadType, preAuthentication } from "./Envelope.ts"
import { predicateType, statementType } from "./Predicates.ts"
import { endedProblem } from "./KeyRules.ts"
import { holds } from "./PublicKeys.ts"
import type { ReleaseTrustShape } from "./TrustedKeys.ts"

/** Why a row is not verified, by codes that the offline verifier has too; in the order in which they are looked for. */
export const releaseProblems = {
  live_unstated: "no statement says that it may be served",
  statement_unsigned: "its statement is not signed yet",
  statement_unreadable: "its statement cannot be read",
  envelope_type: "its envelope holds something else than a statement",
  signature_missing: "its statement has no signature",
  key_unknown: "its statement is signed by a key that does not count here",
  key_revoked: "its statement is signed by a key that was stolen",
  key_retired: "its statement is signed by a key that was retired before",
  signature_invalid: "the signature of its statement is wrong",
  type_unknown: "its statement is none of a release",
  project_mismatch: "its statement is of another Project",
  release_other_place: "its statement is for another channel, label or incarnation",
  live_mismatch: "its statement names another bundle or generation",
  release_superseded: "a later release was served here, and does not name this one to go back to"
} as const
/** One of `releaseProblems`. */
export type ReleaseProblem = keyof typeof releaseProblems

/** What a row's statement came to. */
export interface CheckedRelease {
  /** Null for nothing. `release_superseded` is the caller's to find: it knows what was served before. */
  readonly problem: Exclude<ReleaseProblem, "release_superseded"> | null
  readonly epoch: number
  readonly entry: number
  /** The key that signed it; null where nothing was found to be signed. */
  readonly keyid: string | null
  /** The digest of the bundle that may be served again after this one. */
  readonly mayRestore: string | null
}

const isEnvelope = isShaped(
  Schema.Struct({ payloadType: Schema.String, payload: Schema.String, signatures: Schema.Array(Signature) })
)

const Digest = Schema.Struct({ sha256: Schema.String })
const place = {
  project: Schema.String,
  epoch: Schema.Finite,
  entry: Schema.Finite,
  generation: Schema.NullOr(Schema.Finite),
  channel: Schema.String,
  incarnation: Schema.Finite,
  label: Schema.String,
  mayRestore: Schema.NullOr(Digest)
}
const heads = { _type: Schema.Literal(statementType), predicateType: Schema.String }
const release = Schema.Struct({
  ...heads,
  subject: Schema.Array(Schema.Struct({ name: Schema.String, digest: Schema.Record(Schema.String, Schema.String) })),
  predicate: Schema.Struct(place)
})
const isRelease = isShaped(release)

type Release = typeof release.Type
const nothing = { epoch: 0, entry: -1, keyid: null, mayRestore: null }
const refused = (problem: NonNullable<CheckedRelease["problem"]>): CheckedRelease => ({ ...nothing, problem })

/** The digest of the bundle that a release's payload names to go back to; null for none, and for a payload of another kind. */
export const mayRestoreIn = (payload: string): string | null => {
  const said = jsonOf(payload)
  return isRelease(said) ? (said.predicate.mayRestore?.sha256 ?? null) : null
}

/** What a statement of a release says of the row that carries it. */
const saysProblem = (row: Pointer, { predicate, subject }: Release): CheckedRelease["problem"] => {
  const { channel, generation, incarnation, label, project } = predicate
  if (project !== row.projectId) return "project_mismatch"
  if (channel !== row.channel || incarnation !== row.incarnation || label !== row.label) return "release_other_place"
  const names = subject.some(({ digest, name }) => name === "bundle.json" && digest["sha256"] === row.bundleDigest)
  return names && generation === row.generation ? null : "live_mismatch"
}

/** Looks at a row that is served as a release is: one signature, and nothing is read but keys. */
export const checkRelease = Effect.fnUntraced(function* (
  row: Pointer,
  trust: Pick<ReleaseTrustShape, "keyOf" | "holds">
): Effect.fn.Return<CheckedRelease> {
  const { provenance = null } = row
  if (provenance === null) return refused("live_unstated")
  if (provenance.envelope === null) return refused("statement_unsigned")
  const sealed = jsonOf(provenance.envelope)
  const payload = isEnvelope(sealed) ? base64Bytes(sealed.payload) : null
  if (!isEnvelope(sealed) || payload === null || sealed.signatures.length > 1) return refused("statement_unreadable")
  if (sealed.payloadType !== payloadType) return refused("envelope_type")
  const signature = sealed.signatures[0]
  if (signature === undefined) return refused("signature_missing")
  const key = yield* trust.keyOf(signature.keyid)
  if (key === null || key.use !== "statement") return refused("key_unknown")
  const sig = base64Bytes(signature.sig)
  const verify = trust.holds ?? holds
  if (sig === null || !(yield* Effect.promise(() => verify(key, preAuthentication(payload), sig))))
    return refused("signature_invalid")
  const said = jsonOf(textOf(payload))
  if (Object(said)["predicateType"] !== predicateType("release")) return refused("type_unknown")
  if (!isRelease(said)) return refused("statement_unreadable")
  const { entry, epoch, mayRestore, project } = said.predicate
  const where = { epoch, entry, keyid: key.keyid, mayRestore: mayRestore?.sha256 ?? null }
  return { ...where, problem: endedProblem(key, project, entry) ?? saysProblem(row, said) }
})
