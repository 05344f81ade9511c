/**
 * What each kind of statement says: the in-toto Statement v1, its subjects and its predicate. Ids and digests only, no
 * names, goals or addresses. Version 1 is additive: a field may be added, none changes its meaning.
 */
import type { Assertion } from "../model/Approver.ts"
import type { Actor } from "../model/Actor.ts"
import type { RiskTier } from "../model/Change.ts"
import type { EvidenceResult } from "../model/Evidence.ts"
import type { Trigger } from "../model/Generation.ts"
import type { Outcome } from "../model/Particulars.ts"
import type { BundleSource } from "../model/Release.ts"
import type { KeyAlgorithm, KeyUse } from "../model/SigningKey.ts"
import type { Signature, StatementKind } from "../model/Statement.ts"

/** The type of every statement (in-toto attestation framework, Statement v1). */
export const statementType = "https://in-toto.io/Statement/v1"

const typePrefix = "urn:pawl:attestation:"

/** The predicate type of a kind. It never changes. */
export const predicateType = (kind: StatementKind): string => `${typePrefix}${kind}:v1`

/** A SHA-256, in hex. */
export interface Sha {
  readonly sha256: string
}

/** A commit by its ids of git, and by the digest of its files: git's are SHA-1, and agents choose contents. */
export interface SourceDigest {
  readonly gitCommit: string
  readonly gitTree: string
  /** SHA-256 over the lines `<sha256>  <path>\n` of all files, sorted by path. Not there where nobody made it. */
  readonly dirHash?: string
}

/** One subject of a statement. */
export interface Subject {
  /** `<project>/S<generation>`, `bundle.json`, `<project>/policy/<version>`, or a key's id. */
  readonly name: string
  readonly digest: SourceDigest | Sha
}

/** Who wrote one ChangeSet. */
export interface Author extends Actor {
  /** The person for whom an agent worked. */
  readonly for?: string
  /** The model of the agent's last call, by its provider's name. */
  readonly model?: string
  readonly tier?: string
}

/** One ChangeSet of a Candidate, as it was composed. Kept on the Candidate. */
export interface Made {
  readonly changeSet: string
  readonly digest: { readonly gitCommit: string }
  readonly author: Author
}

/** One check that a promotion stood on. */
export interface CheckedFact {
  readonly check: string
  /** The evidence row. */
  readonly id: string
  readonly required: boolean
  readonly result: EvidenceResult
  /** `Runner.isolation`. */
  readonly runner: string
  /** Which try it was that counted, from 1 on. */
  readonly attempt: number
  /** Of a retry: the evidence row of the failure before it, on the same tree, and its digest. */
  readonly retryOf?: { readonly id: string; readonly record: Sha }
  /** Of a check that failed and did not count. */
  readonly waived?: { readonly until: string }
  /** Of the evidence row (`recordDigest`). */
  readonly record: Sha
  /** Of its whole output; null for a check that has none. */
  readonly output: Sha | null
  /** Of a row that repeats one of another Candidate: which one, and its digest. Nothing was run for it. */
  readonly reuses?: { readonly id: string; readonly record: Sha }
}

/** One approval that a promotion stood on. */
export interface ApprovedFact {
  readonly id: string
  readonly approver: string
  readonly tree: string
  /** Of the approval row (`recordDigest`). */
  readonly record: Sha
  /**
   * Of one that was given to an earlier Candidate and carried over: that one's tree, and the digest of what both do to
   * their bases. All else is what the person granted there.
   */
  readonly carriedFrom?: { readonly tree: string; readonly diff: Sha }
}

/** Subjects: `<project>/S<generation>`; `bundle.json` where a build was verified. */
export interface PromotionFacts {
  readonly generation: number
  readonly trigger: Trigger
  readonly actor: Actor
  /** Null for a seed. */
  readonly candidate: {
    readonly id: string
    readonly change: string
    /** Who opened the Change. */
    readonly openedBy: string
    readonly risk: RiskTier
    readonly recomposition: number
    /** SHA-256 of the canonical JSON of its difference: `[path, before, after]` of each file, `<mode> <blob>` or null. */
    readonly diff?: Sha
  } | null
  /** The generation before; null for S0. */
  readonly base: { readonly generation: number; readonly digest: SourceDigest } | null
  readonly made: ReadonlyArray<Made>
  /** In place of `made`, which is empty then, when that is too long: the digest of its canonical JSON. Record `made <candidate>`. */
  readonly madeOf?: { readonly count: number } & Sha
  /** The Policy in force; its digest stands in the newest `policy` statement too. */
  readonly policy: { readonly version: number } & Sha
  /** SHA-256 of the canonical JSON of the verification plan; null for a seed. */
  readonly plan: Sha | null
  readonly checks: ReadonlyArray<CheckedFact>
  readonly approvals: ReadonlyArray<ApprovedFact>
  /** How many were owed. */
  readonly approvalsRequired: number
  /** The CycloneDX list of what is in the bundle; null where nothing was built, or there is none. */
  readonly packages: { readonly sbom: Sha } | null
  /** Of a rollback: the generation whose tree it has. */
  readonly rollbackTo?: number
  /** Made after the fact, for a Project that is older than statements: when it was promoted. */
  readonly adopted?: { readonly promotedAt: string }
}

/** Subject: `<project>/policy/<version>`, the digest of the row (`recordDigest`). */
export interface PolicyFacts {
  readonly version: number
  readonly by: string
}

/** Subject: `bundle.json`. Written before the pointer moves. */
export interface ReleaseFacts {
  /** Null for a preview of no generation. */
  readonly generation: number | null
  /** `production`, `preview:<8 hex>` or `preview:v<7 digits>`. */
  readonly channel: string
  readonly incarnation: number
  /** The first part of the host. */
  readonly label: string
  readonly source: BundleSource
  /** Of a bundle that was not built for this generation: of which, and its digest. Derived by commit and `builtAt` alone. */
  readonly derivedFrom?: { readonly generation: number } & Sha
  /** What the pointer may go back to if this turns out bad; null for nothing. */
  readonly mayRestore: Sha | null
}

/** Subject: `<project>/S<generation>`. */
export interface OutcomeFacts {
  readonly generation: number
  readonly channel: string
  readonly outcome: Outcome
  /** The payload of its `release` statement; null for one that never came so far. */
  readonly release: Sha | null
  /** What is served again; null for nothing. Only of a failure that moved the pointer back. */
  readonly restored?: ({ readonly generation: number | null } & Sha) | null
  /** Of the canonical JSON of the probes; null for none. */
  readonly probes: Sha | null
  /** The failure was injected by a person: nothing moved. */
  readonly injected?: true
}

/** Subject: `<project>/S<generation>`, the newest generation that is adopted. */
export interface AdoptedFacts {
  readonly generation: number
  /**
   * Over the lines `<kind> <id> <sha256>\n` of every `policyVersion`, `evidence` and `approval` that the statements before
   * it and those of the adopted generations name, each once, sorted (`adoptedRecords`).
   */
  readonly records: { readonly count: number } & Sha
  /** Whether an audit found nothing. */
  readonly clean: boolean
}

/** Subject: `<project>/S<generation>`, the head at that time. */
export interface RestoredFacts {
  /** The newest generation that is there; null in the instance's chain. */
  readonly generation: number | null
  /** The newest checkpoint of the epoch before that this instance signed. */
  readonly old: { readonly origin: string; readonly size: number; readonly root: string }
  /** Entries that are lost: from this one to the checkpoint's size. */
  readonly lost: { readonly from: number; readonly to: number } | null
}

/** Subject: the keyid, SHA-256 of the SPKI. */
export interface KeyFacts {
  readonly keyid: string
  readonly spki: string
  readonly algorithm: KeyAlgorithm
  readonly use: KeyUse
  /** Of a key of the log: what the origins of its logs begin with, `<name>/log/<project>`. */
  readonly name?: string
  /** The new key's signature of `pawl-key-v1 <keyid>`, base64. */
  readonly proof: string
  /** Of a key of the log: the signature of `pawl-log-v1 <keyid>` by the one before, where that was held still. */
  readonly handover?: Signature
  /** Keys that end with this entry, and up to which entry of each chain they may have signed; of a key of the log, up to which size of its checkpoints. */
  readonly retires?: ReadonlyArray<{
    readonly keyid: string
    /** It was stolen: what it signed beyond these heads counts for nothing. */
    readonly revoked?: true
    readonly heads: Readonly<Record<string, number>>
  }>
}

/** Subject: the credential's id, SHA-256 of the SPKI. */
export interface ApproverFacts {
  readonly credential: string
  readonly spki: string
  readonly user: string
  readonly rpId: string
  /** An owner's: it may endorse others. */
  readonly owner?: true
  /** It counts no longer. */
  readonly removed?: true
  /** An owner's passkey that signed this enrolment; not there for the first, which is pinned at install. */
  readonly endorsement?: Assertion
}

/** What each kind says beside its place. */
export interface FactsOf {
  readonly promotion: PromotionFacts
  readonly policy: PolicyFacts
  readonly release: ReleaseFacts
  readonly outcome: OutcomeFacts
  readonly adopted: AdoptedFacts
  readonly restored: RestoredFacts
  readonly key: KeyFacts
  readonly approver: ApproverFacts
}

/** Where a statement stands in its chain. It is part of every predicate. */
export interface Place {
  /** The chain: a Project's id, or `instance`. */
  readonly project: string
  readonly epoch: number
  readonly entry: number
  /** The digest of the payload before; null for entry 0. */
  readonly previous: Sha | null
  /** RFC 3339, in UTC, with milliseconds. */
  readonly at: string
}

/** A whole statement, as its payload holds it. */
export interface InTotoStatement<K extends StatementKind = StatementKind> {
  readonly _type: typeof statementType
  readonly subject: ReadonlyArray<Subject>
  readonly predicateType: string
  readonly predicate: Place & FactsOf[K]
}
