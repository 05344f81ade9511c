/**
 * What statements say of releases, made anew from their particulars, and held against what other records tell: evidence of
 * builds, generations, the pointer, the release itself, and the statements before.
 */
import { Effect } from "effect"
import { builtAtOf } from "../app/Apps.ts"
import { keptBundle, knownDigest } from "../app/KeptBundle.ts"
import { bundlePrefix } from "../bundle/Bundle.ts"
import * as BundleStore from "../bundle/BundleStore.ts"
import { find } from "../ledger/Decision.ts"
import { generationKey, pointerKey } from "../model/Entities.ts"
import type { Generation } from "../model/Generation.ts"
import type { Outcome, OutcomeParticulars, Particulars, ReleaseParticulars } from "../model/Particulars.ts"
import type { ProbeResult, Release } from "../model/Release.ts"
import type { Project } from "../model/Project.ts"
import { type Statement, statementKey } from "../model/Statement.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import { releaseId } from "../primitives/Ids.ts"
import { outcomeFact, releaseFact } from "../provenance/ReleaseFacts.ts"
import type { Fact } from "../provenance/Statements.ts"
import { verifiedDigest } from "../verification/CandidateEvidence.ts"

/** What was told of releases so far. */
export interface ToldReleases {
  /** By generation: the digest of its newest release statement, and the bundles that were released. */
  readonly newest: Map<number, string>
  readonly bundles: Map<number, Set<string>>
  /** By the digest of a release statement: the bundle to go back to. */
  readonly mayRestore: Map<string, string | null>
  /** By generation: how its releases ended, and what their probes saw. */
  readonly outcomes: Map<number, Set<Outcome>>
  readonly probes: Map<number, Set<string>>
  /** Generations that were told after the fact: what was released of them before is told by nothing. */
  readonly adopted: Set<number>
  /** The highest incarnation. */
  incarnation: number
}

/** Before the first entry. */
export const noReleases = (): ToldReleases => ({
  newest: new Map(),
  bundles: new Map(),
  mayRestore: new Map(),
  outcomes: new Map(),
  probes: new Map(),
  adopted: new Set(),
  incarnation: 0
})

/** What a statement must say by the records, and what other records tell against that. */
export interface Retold {
  readonly fact: Fact
  readonly doubts: ReadonlyArray<string>
}

const generationAt = (projectId: string, generation: number) =>
  Effect.map(find("generation", generationKey(projectId, generation)), (stored) => stored?.record ?? null)

/** The particulars of a statement, if they are there and of its kind. */
export const particularsOf = <K extends Particulars["kind"]>({ chain, entry, generation }: Statement, kind: K) => {
  const isOf = (found: Particulars): found is Extract<Particulars, { readonly kind: K }> =>
    found.kind === kind && found.generation === generation
  return Effect.map(find("particulars", statementKey(chain, entry)), (stored) =>
    stored !== null && isOf(stored.record) ? stored.record : null
  )
}

/** A bundle that was made of another generation's: that one had it, with the same tree, and this follows from it. */
const derivationDoubts = Effect.fnUntraced(function* (
  told: ToldReleases,
  project: Project,
  step: Generation,
  { bundleDigest, derivedFrom }: ReleaseParticulars
) {
  if (derivedFrom === null) return []
  const { digest, generation } = derivedFrom
  const from = yield* generationAt(step.projectId, generation)
  if (from === null || from.tree !== step.tree) return [`S${generation} has not the tree of S${step.generation}`]
  const had = told.bundles.get(generation)?.has(digest) === true || (yield* knownDigest(from)) === digest
  if (!had && !told.adopted.has(generation)) return [`S${generation} never had the bundle ${digest}`]
  const kept = yield* keptBundle(from)
  // What is not kept any more cannot be derived from.
  if (kept === null || kept.digest !== digest) return []
  const to = { commit: step.commit, builtAt: yield* builtAtOf(step, project) }
  const made = yield* BundleStore.readdressedDigest(bundlePrefix("apps", project.id, from.commit), kept, to).pipe(
    Effect.catchTags({ BundleDamaged: () => Effect.succeed(null), ObjectMissing: () => Effect.succeed(null) })
  )
  return made === null || made === bundleDigest ? [] : [`from S${generation} follows the bundle ${made}`]
})

const releaseDoubts = Effect.fnUntraced(function* (
  told: ToldReleases,
  project: Project,
  step: Generation,
  said: ReleaseParticulars
) {
  const { bundleDigest, derivedFrom, incarnation, mayRestore } = said
  const doubts: Array<string> = []
  const verified = step.candidateId === null ? undefined : yield* verifiedDigest(step.candidateId)
  if (verified !== undefined && (verified !== bundleDigest || derivedFrom !== null))
    doubts.push(`S${step.generation} was verified with the bundle ${verified}`)
  doubts.push(...(yield* derivationDoubts(told, project, step, said)))
  const pointer = yield* find("pointer", pointerKey(project.id, "production"))
  if (incarnation < told.incarnation || incarnation > (pointer?.record.incarnation ?? 0))
    doubts.push(`it is of incarnation ${incarnation}, after ${told.incarnation}`)
  const before = [...told.bundles.values()].some((bundles) => mayRestore !== null && bundles.has(mayRestore))
  if (mayRestore !== null && !before && told.adopted.size === 0)
    doubts.push(`the bundle to go back to, ${mayRestore}, was never released`)
  return doubts
})

/** What is said of a bundle that is about to be served; null without records. */
export const retoldRelease = Effect.fnUntraced(function* (told: ToldReleases, project: Project, statement: Statement) {
  const said = yield* particularsOf(statement, "release")
  const step = said === null ? null : yield* generationAt(project.id, said.generation)
  if (said === null || step === null) return null
  const { bundleDigest, generation, incarnation, mayRestore } = said
  const doubts = yield* releaseDoubts(told, project, step, said)
  told.newest.set(generation, statement.digest)
  told.bundles.set(generation, (told.bundles.get(generation) ?? new Set()).add(bundleDigest))
  told.mayRestore.set(statement.digest, mayRestore)
  told.incarnation = Math.max(told.incarnation, incarnation)
  const { label } = project
  return { fact: releaseFact(said, { channel: "production", incarnation, label }), doubts } satisfies Retold
})

const outcomeDoubts = (told: ToldReleases, { generation, release, restored }: OutcomeParticulars) => {
  const doubts: Array<string> = []
  const newest = told.newest.get(generation) ?? null
  if (release !== newest) doubts.push(`its release is ${newest ?? "not told"}, not ${release ?? "none"}`)
  const named = release === null ? undefined : told.mayRestore.get(release)
  if (restored !== undefined && restored !== null && named !== undefined && restored.bundleDigest !== named)
    doubts.push(`it could go back to ${named ?? "nothing"}, not to ${restored.bundleDigest}`)
  return doubts
}

const seenBy = (probes: ReadonlyArray<ProbeResult>): string => canonicalJson(probes)

/** What is said of how a release ended; null without records. */
export const retoldOutcome = Effect.fnUntraced(function* (told: ToldReleases, project: Project, statement: Statement) {
  const said = yield* particularsOf(statement, "outcome")
  const step = said === null ? null : yield* generationAt(project.id, said.generation)
  if (said === null || step === null) return null
  const { generation, outcome, probes } = said
  told.outcomes.set(generation, (told.outcomes.get(generation) ?? new Set()).add(outcome))
  if (probes !== null) told.probes.set(generation, (told.probes.get(generation) ?? new Set()).add(seenBy(probes)))
  return { fact: outcomeFact(step, said), doubts: outcomeDoubts(told, said) } satisfies Retold
})

/** By the status that a release ended with: what its statement may call it. */
const outcomesOf: Readonly<Partial<Record<Release["status"], ReadonlyArray<Outcome>>>> = {
  deployed: ["deployed"],
  smoke_failed: ["smoke_failed"],
  failed: ["failed", "removed"],
  superseded: ["superseded"]
}

/** What no statement tells of the release of a generation as it is now; null where one does. */
export const untoldOf = Effect.fnUntraced(function* (told: ToldReleases, projectId: Project["id"], generation: number) {
  const stored = told.adopted.has(generation) ? null : yield* find("release", releaseId(projectId, generation))
  if (stored === null) return null
  const { probes, status } = stored.record
  const fitting = outcomesOf[status]
  if (fitting === undefined) return null
  if (!fitting.some((each) => told.outcomes.get(generation)?.has(each) === true))
    return {
      code: "statement_missing" as const,
      detail: `the release of S${generation} is ${status}, and no statement says so`
    }
  if (probes.length > 0 && told.probes.get(generation)?.has(seenBy(probes)) !== true)
    return {
      code: "statement_mismatch" as const,
      detail: `no statement tells of what the probes of S${generation} saw`
    }
  return null
})
