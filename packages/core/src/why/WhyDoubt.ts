/** Why nobody vouches for what was promoted: what its signer refuses, or what routers make of the row that is served. */
import { Effect, Schema } from "effect"
import { RefusalCode } from "../model/Chain.ts"
import { pointerKey } from "../model/Entities.ts"
import type { Pointer } from "../model/Pointer.ts"
import type { Release } from "../model/Release.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { ProjectId } from "../primitives/Ids.ts"
import { jsonOf } from "../primitives/StrictJson.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Timestamp } from "../primitives/Time.ts"
import { newestAbout } from "../provenance/Chains.ts"
import { ProvenanceMode } from "../provenance/ProvenanceMode.ts"
import { checkRelease, mayRestoreIn, type ReleaseProblem, releaseProblems } from "../provenance/ServedRelease.ts"
import { ReleaseTrust } from "../provenance/TrustedKeys.ts"

const isProblem = Schema.makeFilter((code: string) => Object.hasOwn(releaseProblems, code))

/** What stands against a generation, and whether something is held back for it. */
export const Doubt = Schema.Union([
  Schema.Struct({
    of: Schema.Literal("signer"),
    /** Why nothing of its Project is signed; `unsigned`: nobody says why, the signer is away. */
    problem: Schema.Union([RefusalCode, Schema.Literal("unsigned")]),
    since: Timestamp,
    /** Whether its release waits for the signature. */
    holdsBack: Schema.Boolean
  }),
  Schema.Struct({
    of: Schema.Literal("router"),
    /** What routers find wrong with the row that is served. */
    problem: Schema.String.check(isProblem) as Schema.Codec<ReleaseProblem, string>,
    /** The generation that the row serves. */
    serves: Schema.NullOr(Schema.Finite),
    /** Whether routers do not serve it. */
    holdsBack: Schema.Boolean,
    /** It is older than statements, and nobody took anything away: deployed again, it is stated. */
    older: Schema.optionalKey(Schema.Literal(true))
  })
])
export type Doubt = typeof Doubt.Type

/** Of a generation whose promotion or release is not signed; null for one that is only late. */
const signerDoubt = Effect.fnUntraced(function* (projectId: ProjectId, generation: number, release: Release | null) {
  const said = [
    yield* newestAbout(projectId, "promotion", generation),
    yield* newestAbout(projectId, "release", generation)
  ]
  const [owed] = said.flatMap((each) => (each === null || each.record.signature !== null ? [] : [each.record]))
  if (owed === undefined) return null
  const isUnderWay = release !== null && (release.status === "queued" || release.status === "building")
  const holdsBack = isUnderWay && (yield* ProvenanceMode) === "enforce"
  const refused = (yield* find("chainLog", projectId))?.record.refused ?? null
  if (refused !== null)
    return { of: "signer", problem: refused.code, since: refused.since, holdsBack } as const satisfies Doubt
  const waitedMs = Time.toMillis(yield* Time.now) - Time.toMillis(owed.at)
  return waitedMs < Limits.signatureWaitMs
    ? null
    : ({ of: "signer", problem: "unsigned", since: owed.at, holdsBack } as const satisfies Doubt)
})

/** The newest release that the pointer was moved for. */
const newestServed = Effect.fnUntraced(function* (projectId: string) {
  const asked = { projectId, order: "newest", limit: Limits.whyReleasesLookedAt } as const
  const page = yield* (yield* Records).list("release", asked)
  return page.items.find(({ record }) => record.bundleSource !== null)?.record ?? null
})

/** As a router finds it that has seen the newest release: an older row is only good where that names it to go back to. */
const supersededBy = Effect.fnUntraced(function* (row: Pointer, newest: Release) {
  if (row.generation === null || newest.generation <= row.generation) return false
  const said = yield* newestAbout(row.projectId, "release", newest.generation)
  return said !== null && mayRestoreIn(said.record.payload) !== row.bundleDigest
})

const isAdopted = Schema.is(Schema.Struct({ predicate: Schema.Struct({ adopted: Schema.Struct({}) }) }))
const isAdoptedIn = (payload: string): boolean => isAdopted(jsonOf(payload))

/** Whether a generation was promoted and released before there were statements, and so has a row without one. */
const isOlderThanStatements = Effect.fnUntraced(function* (projectId: ProjectId, generation: number | null) {
  if (generation === null || (yield* newestAbout(projectId, "release", generation)) !== null) return false
  const said = yield* newestAbout(projectId, "promotion", generation)
  // Without one its Project is adopted in a moment.
  return said === null || isAdoptedIn(said.record.payload)
})

/** Of a generation that is served, or that should be: what routers make of the production row. */
const routerDoubt = Effect.fnUntraced(function* (projectId: ProjectId, generation: number) {
  const trust = yield* ReleaseTrust
  const row = (yield* find("pointer", pointerKey(projectId, "production")))?.record ?? null
  if (trust.mode === "off" || row === null || row.status === "removed" || row.bundleDigest === null) return null
  const newest = yield* newestServed(projectId)
  const shouldBe = newest !== null && newest.generation === generation && newest.status === "deployed"
  if (row.generation !== generation && !shouldBe) return null
  const { problem } = yield* checkRelease(row, trust)
  const found = problem ?? (newest !== null && (yield* supersededBy(row, newest)) ? "release_superseded" : null)
  // What is only late is the signer's matter.
  if (found === null || found === "statement_unsigned") return null
  const doubt = { of: "router", problem: found, serves: row.generation } as const
  if (trust.mode === "enforce") return { ...doubt, holdsBack: true } satisfies Doubt
  const isOlder = found === "live_unstated" && (yield* isOlderThanStatements(projectId, row.generation))
  return { ...doubt, holdsBack: false, ...(isOlder ? { older: true as const } : {}) } satisfies Doubt
})

/** Whether something is to be done about a doubt. Nothing is about an app that is older than statements, and is served. */
export const isUrgent = (doubt: Doubt): boolean => !(doubt.of === "router" && doubt.older === true)

/** What stands against a generation; null for nothing. */
export const doubtOf = Effect.fnUntraced(function* (projectId: ProjectId, generation: number, release: Release | null) {
  return (yield* signerDoubt(projectId, generation, release)) ?? (yield* routerDoubt(projectId, generation))
})
