/**
 * What is read of each kind of statement. It asks for no more than what is checked; fields that are not known pass, for
 * version 1 is additive.
 */
import { Schema } from "effect"
import { Assertion } from "../model/Approver.ts"
import { StatementKind } from "../model/Statement.ts"
import { isShaped } from "../primitives/PlainJson.ts"
import { predicateType } from "../provenance/Predicates.ts"

const matching = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))

const Hash = matching(/^[0-9a-f]{64}$/)
const GitId = matching(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
const Instant = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const Count = Schema.Finite.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 2 ** 48 }))
const Sha = Schema.Struct({ sha256: Hash })

const SourceDigest = Schema.Struct({
  gitCommit: GitId,
  gitTree: GitId,
  dirHash: Schema.optionalKey(Hash),
  /** What newer readers of in-toto call it. */
  dirHash1: Schema.optionalKey(Hash)
})
/** A commit and its files. */
export interface SourceDigest extends Schema.Schema.Type<typeof SourceDigest> {}

const Subject = Schema.Struct({ name: Schema.String, digest: Schema.Union([SourceDigest, Sha]) })
/** What a statement is about. */
export interface Subject extends Schema.Schema.Type<typeof Subject> {}

const place = {
  project: Schema.String,
  epoch: Count,
  entry: Count,
  previous: Schema.NullOr(Sha),
  at: Instant
}

const CheckedFact = Schema.Struct({
  check: Schema.String,
  id: Schema.String,
  required: Schema.Boolean,
  result: Schema.String,
  runner: Schema.String,
  attempt: Count,
  retryOf: Schema.optionalKey(Schema.Struct({ id: Schema.String, record: Sha })),
  waived: Schema.optionalKey(Schema.Struct({ until: Instant })),
  record: Sha,
  output: Schema.NullOr(Sha),
  /** Of one that repeats the row of another Candidate. */
  reuses: Schema.optionalKey(Schema.Struct({ id: Schema.String, record: Sha }))
})
/** A check that a promotion stood on. */
export interface CheckedFact extends Schema.Schema.Type<typeof CheckedFact> {}

const ApprovedFact = Schema.Struct({
  id: Schema.String,
  approver: Schema.String,
  tree: Schema.String,
  record: Sha,
  /** Of one that was given to another Candidate with the same difference: its tree, and the difference's digest. */
  carriedFrom: Schema.optionalKey(Schema.Struct({ tree: Schema.String, diff: Sha }))
})
/** An approval that a promotion stood on. */
export interface ApprovedFact extends Schema.Schema.Type<typeof ApprovedFact> {}

const Actor = Schema.Struct({ type: Schema.String, id: Schema.String })
const Author = Schema.Struct({
  ...Actor.fields,
  for: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  tier: Schema.optionalKey(Schema.String)
})

const Promotion = Schema.Struct({
  ...place,
  generation: Count,
  trigger: Schema.String,
  actor: Actor,
  candidate: Schema.NullOr(
    Schema.Struct({
      id: Schema.String,
      change: Schema.String,
      openedBy: Schema.String,
      risk: Schema.String,
      recomposition: Count,
      /** The digest of its difference to its base: what a carried approval is compared with. */
      diff: Schema.optionalKey(Sha)
    })
  ),
  base: Schema.NullOr(Schema.Struct({ generation: Count, digest: SourceDigest })),
  made: Schema.Array(
    Schema.Struct({ changeSet: Schema.String, digest: Schema.Struct({ gitCommit: GitId }), author: Author })
  ),
  /** In place of a list that is too long: how many ChangeSets, and the digest of the record `made`. */
  madeOf: Schema.optionalKey(Schema.Struct({ count: Count, sha256: Hash })),
  policy: Schema.Struct({ version: Count, sha256: Hash }),
  plan: Schema.NullOr(Sha),
  checks: Schema.Array(CheckedFact),
  approvals: Schema.Array(ApprovedFact),
  approvalsRequired: Count,
  packages: Schema.NullOr(Schema.Struct({ sbom: Sha })),
  rollbackTo: Schema.optionalKey(Count),
  adopted: Schema.optionalKey(Schema.Struct({ promotedAt: Instant }))
})
/** What a promotion says. */
export interface Promotion extends Schema.Schema.Type<typeof Promotion> {}

const PolicyStated = Schema.Struct({ ...place, version: Count })

const Release = Schema.Struct({
  ...place,
  generation: Schema.NullOr(Count),
  channel: Schema.String,
  incarnation: Count,
  label: Schema.String,
  source: Schema.String,
  derivedFrom: Schema.optionalKey(Schema.Struct({ generation: Count, sha256: Hash })),
  mayRestore: Schema.NullOr(Sha)
})
/** What a release says. */
export interface Release extends Schema.Schema.Type<typeof Release> {}

const Outcome = Schema.Struct({
  ...place,
  generation: Count,
  channel: Schema.String,
  outcome: Schema.String,
  release: Schema.NullOr(Sha),
  restored: Schema.optionalKey(Schema.NullOr(Schema.Struct({ generation: Schema.NullOr(Count), sha256: Hash })))
})
/** What the end of a release says. */
export interface Outcome extends Schema.Schema.Type<typeof Outcome> {}

const Adopted = Schema.Struct({
  ...place,
  generation: Count,
  records: Schema.Struct({ count: Count, sha256: Hash }),
  clean: Schema.Boolean
})
/** What the beginning of an older Project's chain says. */
export interface Adopted extends Schema.Schema.Type<typeof Adopted> {}

const Restored = Schema.Struct({
  ...place,
  /** Null in the instance's chain. */
  generation: Schema.NullOr(Count),
  old: Schema.Struct({ origin: Schema.String, size: Count, root: Schema.String }),
  lost: Schema.NullOr(Schema.Struct({ from: Count, to: Count }))
})
/** What the beginning of an epoch says. */
export interface Restored extends Schema.Schema.Type<typeof Restored> {}

const Key = Schema.Struct({
  ...place,
  keyid: Schema.String,
  spki: Schema.String,
  use: Schema.String,
  proof: Schema.String,
  /** Of a key of the log: what the one before signed. */
  handover: Schema.optionalKey(Schema.Struct({ keyid: Schema.String, sig: Schema.String })),
  retires: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        keyid: Schema.String,
        revoked: Schema.optionalKey(Schema.Boolean),
        heads: Schema.Record(Schema.String, Count)
      })
    )
  )
})
/** What an entry about a key says. */
export interface Key extends Schema.Schema.Type<typeof Key> {}

const Approver = Schema.Struct({
  ...place,
  credential: Schema.String,
  spki: Schema.String,
  user: Schema.String,
  rpId: Schema.String,
  /** An owner's: it may endorse others. */
  owner: Schema.optionalKey(Schema.Boolean),
  removed: Schema.optionalKey(Schema.Boolean),
  endorsement: Schema.optionalKey(Assertion)
})
/** What an entry about a passkey says. */
export interface Approver extends Schema.Schema.Type<typeof Approver> {}

const areSubjects = isShaped(Schema.Array(Subject))
const shapes = {
  promotion: isShaped(Promotion),
  policy: isShaped(PolicyStated),
  release: isShaped(Release),
  outcome: isShaped(Outcome),
  adopted: isShaped(Adopted),
  restored: isShaped(Restored),
  key: isShaped(Key),
  approver: isShaped(Approver)
}

/** A statement of a kind, as far as it is read. */
export type Shaped = {
  readonly [K in StatementKind]: {
    readonly kind: K
    readonly subject: ReadonlyArray<Subject>
    readonly predicate: (typeof shapes)[K] extends ((value: unknown) => value is infer A) ? A : never
  }
}[StatementKind]

const kinds = new Map(StatementKind.literals.map((kind) => [predicateType(kind), kind]))

/** The kind of a predicate type; undefined for one that is not known. */
export const kindOf = (type: unknown): StatementKind | undefined =>
  typeof type === "string" ? kinds.get(type) : undefined

/** The statement, where subject and predicate have the shape of this kind; null else. */
export const shaped = (kind: StatementKind, subject: unknown, predicate: unknown): Shaped | null =>
  areSubjects(subject) && shapes[kind](predicate) ? ({ kind, subject, predicate } as Shaped) : null
