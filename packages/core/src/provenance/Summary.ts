/**
 * A SLSA verification summary (VSA) of a promotion, for tools that read no statement of Pawl. It is derived from the
 * promotion's statement alone and says nothing that this does not say; it is signed when it is asked for, and not kept.
 */
import { Effect, Option, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { find } from "../ledger/Decision.ts"
import { Unknown } from "../ledger/Refusals.ts"
import type { Statement } from "../model/Statement.ts"
import { canonicalJson, utf8 } from "../primitives/Digest.ts"
import { Settings } from "../primitives/Settings.ts"
import { type Envelope, payloadType, preAuthentication } from "./Envelope.ts"
import { endedProblem } from "./KeyRules.ts"
import { statementType } from "./Predicates.ts"
import { verifies } from "./PublicKeys.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { recordDigest } from "./RecordDigest.ts"
import { signedPromotion } from "./StatedHistory.ts"
import { ReleaseTrust } from "./TrustedKeys.ts"
import { Signer } from "./Signer.ts"

/** Of the predicate (SLSA v1.2, Verification Summary Attestation). */
const summaryType = "https://slsa.dev/verification_summary/v1"

const promotion = Schema.fromJsonString(
  Schema.Struct({
    subject: Schema.Array(Schema.Struct({ name: Schema.String, digest: Schema.Record(Schema.String, Schema.String) })),
    predicate: Schema.Struct({
      project: Schema.String,
      entry: Schema.Finite,
      at: Schema.String,
      generation: Schema.Finite,
      candidate: Schema.NullOr(Schema.Struct({ id: Schema.String })),
      policy: Schema.Struct({ version: Schema.Finite, sha256: Schema.String }),
      approvalsRequired: Schema.Finite
    })
  })
)
const readPromotion = Schema.decodeUnknownOption(promotion)

/** Where whoever reads a summary finds what it names. */
export interface SummaryPlaces {
  /** Of the Policy's version. */
  readonly policy: string
  /** Of the promotion's statement. */
  readonly statement: string
  /** The repository, for git. */
  readonly repository: string
}

/** Places by where the API is, without a path: a core that is embedded knows no API. */
export type SummaryPlacesOf = (origin: string, policyVersion: number) => SummaryPlaces

/** What whoever makes summaries says of itself. */
interface Verifier {
  readonly placesOf: SummaryPlacesOf
  /** Of the program that sums up: SLSA's `verifier.version`. */
  readonly version: string
}

/** What is not in the statement. */
interface SummaryFacts extends Verifier {
  /** Where the API is, without a path. */
  readonly origin: string
  /** Of the Policy that the statement names. */
  readonly allowSelfApproval: boolean
}

/** SLSA's own level, and two of ours: all checks passed, and so did the bundle that is served. */
const levelsOf = ({ predicate, subject }: typeof promotion.Type, allowSelfApproval: boolean): ReadonlyArray<string> => [
  predicate.approvalsRequired >= 1 && !allowSelfApproval ? "SLSA_SOURCE_LEVEL_4" : "SLSA_SOURCE_LEVEL_3",
  ...(predicate.candidate === null ? [] : ["ORG_SOURCE_CHECKED"]),
  ...(subject.some(({ name }) => name === "bundle.json") ? ["ORG_SOURCE_BUNDLE_VERIFIED"] : [])
]

/** The payload of the summary of a promotion's statement; null for a statement of something else. */
export const summaryOf = (
  { digest, payload }: Pick<Statement, "digest" | "payload">,
  { allowSelfApproval, origin, placesOf, version }: SummaryFacts
): string | null => {
  const read = Option.getOrNull(readPromotion(payload))
  if (read === null) return null
  const { at, policy } = read.predicate
  const places = placesOf(origin, policy.version)
  return canonicalJson({
    _type: statementType,
    subject: read.subject.map((each) =>
      "gitCommit" in each.digest ? { ...each, annotations: { sourceRefs: ["refs/heads/main"] } } : each
    ),
    predicateType: summaryType,
    predicate: {
      verifier: { id: origin, version: { pawl: version } },
      timeVerified: at,
      resourceUri: `git+${places.repository}`,
      policy: { uri: places.policy, digest: { sha256: policy.sha256 } },
      inputAttestations: [{ uri: places.statement, digest: { sha256: digest } }],
      verificationResult: "PASSED",
      verifiedLevels: levelsOf(read, allowSelfApproval),
      slsaVersion: "1.2"
    }
  })
}

const localOrigin = "http://localhost"

/**
 * Whether its signature is of the signer's key, or of one that counts here and might sign this entry: what anybody else has
 * signed is not summed up.
 */
const isSigned = Effect.fnUntraced(function* ({ payload, signature }: Statement, project: string, entry: number) {
  const sig = signature === null ? null : base64Bytes(signature.sig)
  if (signature === null || sig === null) return false
  const own = (yield* (yield* Signer).keys).statement
  const known = yield* (yield* ReleaseTrust).keyOf(signature.keyid)
  if (known !== null && (known.use !== "statement" || endedProblem(known, project, entry) !== null)) return false
  const key = own.keyid === signature.keyid ? own : known
  return key !== null && (yield* verifies(key, preAuthentication(utf8(payload)), sig))
})

/**
 * Whether authors may approve what is theirs. The row of the Policy is only believed when it is the one that was stated:
 * of another one nothing is known, and the summary then says no more than the statement alone does.
 */
const selfApprovalOf = Effect.fnUntraced(function* (projectId: string, stated: { version: number; sha256: string }) {
  const row = (yield* find("policyVersion", `${projectId}/${stated.version}`))?.record
  return row === undefined || recordDigest("policyVersion", row) !== stated.sha256 || row.allowSelfApproval
})

/**
 * The signed summary of a generation's promotion. Fails as `signedPromotion` where none tells of it that is signed, with
 * `Unknown` where its signature does not count or it is of something else, and with `SignerUnavailable`.
 */
export const signedSummary = Effect.fn("Summary.sign")(function* (
  projectId: string,
  generation: number,
  verifier: Verifier
) {
  const missing = new Unknown({ kind: "statement", id: `${projectId}/S${generation}` })
  const statement = yield* signedPromotion(projectId, generation)
  const said = Option.getOrNull(readPromotion(statement.payload))?.predicate
  if (said?.project !== projectId || said.generation !== generation) return yield* missing
  if (!(yield* isSigned(statement, projectId, said.entry))) return yield* missing
  const allowSelfApproval = yield* selfApprovalOf(projectId, said.policy)
  const { apiOrigin = localOrigin } = yield* Settings
  const payload = summaryOf(statement, { ...verifier, origin: apiOrigin, allowSelfApproval })
  if (payload === null) return yield* missing
  const bytes = utf8(payload)
  const signature = yield* (yield* Signer).sign("statement", preAuthentication(bytes))
  return { payloadType, payload: Base64.encode(bytes), signatures: [signature] } satisfies Envelope
})

/** The media type of `sigstoreBundle`. */
export const sigstoreBundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

/** An envelope as Sigstore's tools read it: bundle v0.3, by a public key that the verifier has, in no transparency log. */
export const sigstoreBundle = (envelope: Envelope) => ({
  mediaType: sigstoreBundleType,
  verificationMaterial: {
    publicKey: { hint: envelope.signatures[0]?.keyid ?? "" },
    tlogEntries: [],
    timestampVerificationData: { rfc3161Timestamps: [] }
  },
  dsseEnvelope: envelope
})
