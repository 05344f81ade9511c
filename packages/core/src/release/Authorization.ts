/**
 * The statement of a release, written before the pointer moves: which bundle is about to be served where, what it was
 * made of, and what the pointer may go back to. Previews and version rows have none: they show what was promoted or is
 * to be, and no host of theirs stands for the Project.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Generation } from "../model/Generation.ts"
import type { Pointer, Served, ServedStatement } from "../model/Pointer.ts"
import { BundleSource } from "../model/Release.ts"
import { type Statement, statementKey } from "../model/Statement.ts"
import { keptBundle } from "../app/KeptBundle.ts"
import { bundlePrefix } from "../bundle/Bundle.ts"
import * as BundleStore from "../bundle/BundleStore.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { chainOf, newestAbout } from "../provenance/Chains.ts"
import { envelopeOf } from "../provenance/Envelope.ts"
import { ProvenanceMode } from "../provenance/ProvenanceMode.ts"
import { type AboutToServe, releaseFact } from "../provenance/ReleaseFacts.ts"
import { sayRelease } from "../provenance/ReleaseStatements.ts"
import { tells } from "../provenance/Statements.ts"
import { verifiedDigest } from "../verification/CandidateEvidence.ts"
import { Process, Waiting } from "../work/Processes.ts"

/** What is about to be served: of which generation, and when its bundle counts as built. */
export interface Offer {
  readonly step: Pick<Generation, "projectId" | "generation" | "candidateId" | "commit" | "tree">
  readonly builtAt: string
  readonly bundle: { readonly digest: string; readonly source: BundleSource }
  /** What the pointer would go back to. */
  readonly previous: Served | null
}

/** The other generation of the same tree whose bundle this one was made of; null for a bundle that was built for it. */
const derivationOf = Effect.fnUntraced(function* ({ builtAt, bundle, step }: Offer) {
  if (step.candidateId === null || (yield* verifiedDigest(step.candidateId)) === bundle.digest) return null
  const same = yield* (yield* Records).list("generation", {
    projectId: step.projectId,
    where: { tree: step.tree },
    order: "newest",
    limit: "all"
  })
  for (const { record } of same.items) {
    const kept = record.commit === step.commit ? null : yield* keptBundle(record)
    if (kept === null) continue
    const from = bundlePrefix("apps", step.projectId, record.commit)
    const digest = yield* BundleStore.readdressedDigest(from, kept, { commit: step.commit, builtAt }).pipe(
      Effect.catchTags({ BundleDamaged: () => Effect.succeed(null), ObjectMissing: () => Effect.succeed(null) })
    )
    if (digest === bundle.digest) return { generation: record.generation, digest: kept.digest }
  }
  return null
})

/** Whether a release statement is the newest of its chain: an older one must not be served again under its old place. */
const isNewest = Effect.fnUntraced(function* ({ chain, entry }: Statement, size: number) {
  if (size - entry > Limits.releaseLookBackEntries) return false
  for (let after = entry + 1; after < size; after++)
    if ((yield* find("statement", statementKey(chain, after)))?.record.kind === "release") return false
  return true
})

/** Whether a statement says the same. What was built the first time is found stored the second time. */
const isSame = (before: Statement, about: AboutToServe, pointer: Pointer): boolean =>
  sources.some((source) => tells(before, releaseFact({ ...about, source }, pointer)))

const sources = BundleSource.literals

/** Says it in the Project's chain, once; null for a Project that is not adopted yet. */
const authorizing = Effect.fnUntraced(function* (pointer: Pointer, about: AboutToServe) {
  const { projectId } = pointer
  const chain = yield* chainOf(projectId)
  if (chain === null) return { answer: null }
  const before = yield* newestAbout(projectId, "release", about.generation)
  // A release that was cut short goes on with the statement that it has.
  if (before !== null && isSame(before.record, about, pointer) && (yield* isNewest(before.record, chain.record.size)))
    return { answer: before }
  const draft = Draft.begin(projectId, system("release"), yield* Time.now)
  const record = sayRelease(draft, chain, about, pointer)
  if (record === undefined) return { answer: null }
  const commit = Draft.end(draft, { name: "Releases.authorize", lease: (yield* Process).lease })
  return { answer: { record, revision: 1 }, commit }
})

/** What is said of a release once its signature is late. */
export const unsignedReason = "unsigned: waits for its signature"

/** Where provenance is enforced, nothing is served before what says so is signed. Fails with `Waiting` until then. */
const requireSigned = Effect.fnUntraced(function* (release: Commit.Stored<Statement>) {
  if ((yield* ProvenanceMode) !== "enforce") return
  const { at, chain, generation } = release.record
  const promotion = generation === null ? null : yield* newestAbout(chain, "promotion", generation)
  if (release.record.signature !== null && promotion !== null && promotion.record.signature !== null) return
  const waitedMs = Time.toMillis(yield* Time.now) - Time.toMillis(at)
  return yield* Effect.fail(
    waitedMs < Limits.signatureWaitMs
      ? new Waiting("waits for its signature", Limits.signaturePollMs)
      : new Waiting(unsignedReason, Limits.signerRetryMs)
  )
})

/** A statement as a pointer carries it. */
const served = ({ entry, payload, signature }: Statement, epoch: number): ServedStatement => ({
  entry,
  epoch,
  envelope: signature === null ? null : canonicalJson(envelopeOf({ payload, signature }))
})

/** What a pointer serves a bundle under: its statement, which whoever moves the pointer expects to be as it was read. */
export interface Authorized {
  readonly provenance: ServedStatement | null
  readonly expects: ReadonlyArray<Commit.Expectation>
}

/**
 * Writes the statement of what is about to be served by the production pointer, and waits for its signature where that is
 * enforced. Of a Project that is older than statements, and not adopted yet, there is none.
 */
export const authorize = Effect.fnUntraced(function* (pointer: Pointer, offer: Offer) {
  const about: AboutToServe = {
    generation: offer.step.generation,
    bundleDigest: offer.bundle.digest,
    source: offer.bundle.source,
    derivedFrom: yield* derivationOf(offer),
    mayRestore: offer.previous?.bundleDigest ?? null
  }
  const statement = yield* decideAndCommit(authorizing(pointer, about))
  if (statement === null) return { provenance: null, expects: [] } satisfies Authorized
  // It may have been signed since it was written.
  const key = statementKey(statement.record.chain, statement.record.entry)
  const newest = (yield* find("statement", key)) ?? statement
  yield* requireSigned(newest)
  const chain = yield* chainOf(pointer.projectId)
  return {
    provenance: served(newest.record, chain?.record.epoch ?? 1),
    expects: [Commit.unchanged("statement", key, newest)]
  } satisfies Authorized
}, Effect.withSpan("Releases.authorize"))
