/**
 * Statements against the records that they tell of: each is made anew and compared byte for byte, each follows on the one
 * before it, and nothing that was done is without one.
 */
import { Effect } from "effect"
import type { Chain } from "../model/Chain.ts"
import { generationKey } from "../model/Entities.ts"
import type { Generation } from "../model/Generation.ts"
import type { Project } from "../model/Project.ts"
import { type Statement, statementKey } from "../model/Statement.ts"
import { find } from "../ledger/Decision.ts"
import { sha256AtOnce, utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { extended } from "../provenance/Edge.ts"
import type { AdoptedFacts, InTotoStatement, PromotionFacts } from "../provenance/Predicates.ts"
import { adoptedFact, namedLines, policyLine } from "../provenance/AdoptedRecords.ts"
import { restoredFact } from "../provenance/Epochs.ts"
import { type AdoptedAt, policyFact, policyRef, seedFact } from "../provenance/Facts.ts"
import { emptyChain, placeIn, tells } from "../provenance/Statements.ts"
import { promotionOf } from "./AuditedPromotion.ts"
import {
  noReleases,
  particularsOf,
  type Retold,
  retoldOutcome,
  retoldRelease,
  type ToldReleases,
  untoldOf
} from "./AuditedReleases.ts"
import type { Difference } from "./Derivation.ts"

/** A difference, and the generation at which it was seen. */
export interface StatementDifference extends Difference {
  readonly generation: number
}

/** What is known of the chain so far, as it is walked from entry 0. */
interface Walk {
  readonly found: Array<StatementDifference>
  /** The chain as the statements so far leave it. */
  chain: Chain
  /** Where the newest thing was seen. */
  generation: number
  /** How many generations and versions of the Policy were told, each in its turn. */
  promotions: number
  policies: number
  readonly told: ToldReleases
  /** Of each version of the Policy that was told: what it is among adopted records. */
  readonly policyLines: Array<string>
  /** Of a Project that was adopted: what says so, and the records that were told since. */
  adoption: { readonly statement: Statement; readonly clean: boolean; readonly lines: Array<string> } | null
}

const say = (walk: Walk, code: StatementDifference["code"], detail: string, isNote?: true) =>
  walk.found.push({ generation: walk.generation, code, detail, ...(isNote === undefined ? {} : { isNote }) })

/** The payload as what it says of itself; null for a text that is no statement. */
const read = (payload: string): InTotoStatement | null => {
  try {
    const { predicate, subject } = JSON.parse(payload) as InTotoStatement
    return typeof predicate === "object" && Array.isArray(subject) ? (JSON.parse(payload) as InTotoStatement) : null
  } catch {
    return null
  }
}

/** That an entry stands where it says, and follows on the one before it. */
const checkLink = (walk: Walk, statement: Statement): void => {
  const { chain } = walk
  const { at, digest, entry, kind, payload } = statement
  const bytes = utf8(payload)
  const own = sha256AtOnce(bytes)
  const place = placeIn(payload)
  const previous = chain.digest === null ? null : chain.digest
  const epoch = kind === "restored" ? chain.epoch + 1 : chain.epoch
  if (own !== digest) say(walk, "chain_mismatch", `entry ${entry} has digest ${own}, its row says ${digest}`)
  if (
    place.entry !== chain.size ||
    entry !== chain.size ||
    place.project !== chain.chain ||
    statement.chain !== chain.chain
  )
    say(walk, "chain_mismatch", `entry ${chain.size} says that it is entry ${place.entry} of ${place.project}`)
  if ((place.previous?.sha256 ?? null) !== previous)
    say(
      walk,
      "chain_mismatch",
      `entry ${entry} follows on ${place.previous?.sha256 ?? "nothing"}, before it is ${previous ?? "nothing"}`
    )
  if (place.epoch !== epoch) say(walk, "chain_mismatch", `entry ${entry} is of epoch ${place.epoch}, not ${epoch}`)
  if (place.at !== at || (chain.size > 0 && at < chain.at))
    say(
      walk,
      "chain_mismatch",
      `entry ${entry} is of ${place.at}, its row says ${at}, and the one before it is of ${chain.at}`
    )
  walk.chain = { ...chain, epoch, size: chain.size + 1, digest: own, edge: extended(chain.edge, chain.size, bytes), at }
}

const checkSigned = (walk: Walk, { at, entry, signature }: Statement, now: Time.Timestamp): void => {
  if (signature !== null) return
  const waits = Time.toMillis(now) - Time.toMillis(at) < Limits.signatureWaitMs
  say(walk, "statement_unsigned", `entry ${entry} of ${at} has no signature`, waits ? true : undefined)
}

const generationAt = (projectId: string, generation: number) =>
  Effect.map(find("generation", generationKey(projectId, generation)), (stored) => stored?.record ?? null)

const seedOf = Effect.fnUntraced(function* (step: Generation, after: AdoptedAt) {
  const policy = yield* find("policyVersion", `${step.projectId}/${step.policyVersion}`)
  return policy === null ? null : seedFact(step, policy.record, after)
})

/** What releases say, with all that speaks against it. */
const retold = <E, R>(walk: Walk, look: Effect.Effect<Retold | null, E, R>) =>
  Effect.map(look, (found) => {
    for (const doubt of found?.doubts ?? []) say(walk, "statement_mismatch", doubt)
    return found?.fact ?? null
  })

/** What was adopted is known once all of it was told: until then its statement waits. */
const beginAdoption = Effect.fnUntraced(function* (walk: Walk, statement: Statement) {
  const said = yield* particularsOf(statement, "adopted")
  if (said === null || walk.adoption !== null || walk.promotions > 0) return null
  walk.adoption = { statement, clean: said.clean, lines: [...walk.policyLines] }
  return undefined
})

const checkAdoption = Effect.fnUntraced(function* (walk: Walk, project: Project) {
  if (walk.adoption === null) return
  const { clean, lines, statement } = walk.adoption
  const newest = yield* generationAt(project.id, statement.generation ?? -1)
  if (newest !== null && tells(statement, adoptedFact(newest, lines, clean))) return
  walk.generation = statement.generation ?? 0
  say(walk, "statement_mismatch", `entry ${statement.entry}: the records tell another adoption`)
})

/** What a statement must say by the records; null where they do not tell, undefined where that is known later. */
const factOf = Effect.fnUntraced(function* (
  walk: Walk,
  project: Project,
  statement: InTotoStatement,
  stored: Statement
) {
  switch (stored.kind) {
    case "policy": {
      const version = walk.policies++ + 1
      const policy = yield* find("policyVersion", `${project.id}/${version}`)
      if (policy === null) return null
      walk.policyLines.push(policyLine(policy.record.version, policyRef(policy.record).sha256))
      return policyFact(policy.record)
    }
    case "promotion": {
      walk.generation = walk.promotions++
      const { adopted } = statement.predicate as unknown as PromotionFacts
      const step = yield* generationAt(project.id, walk.generation)
      if (step === null) return null
      const after = adopted === undefined ? {} : { adopted: { promotedAt: step.promotedAt } }
      const fact = step.generation > 0 ? yield* promotionOf(step, after) : yield* seedOf(step, after)
      if (adopted !== undefined) walk.told.adopted.add(step.generation)
      if (adopted !== undefined && fact !== null) walk.adoption?.lines.push(...namedLines(fact.facts))
      return fact
    }
    case "release":
      return yield* retold(walk, retoldRelease(walk.told, project, stored))
    case "outcome":
      return yield* retold(walk, retoldOutcome(walk.told, project, stored))
    case "adopted":
      return yield* beginAdoption(walk, stored)
    case "restored": {
      const said = yield* particularsOf(stored, "restored")
      return said === null ? null : restoredFact(said)
    }
    default:
      // The kinds of the instance's chain stand in no other.
      return null
  }
})

const checkEntry = Effect.fnUntraced(function* (
  walk: Walk,
  project: Project,
  statement: Statement,
  now: Time.Timestamp
) {
  const { entry, kind, payload } = statement
  const said = read(payload)
  if (said === null) return void say(walk, "chain_mismatch", `entry ${entry} is no statement`)
  checkLink(walk, statement)
  checkSigned(walk, statement, now)
  const about = (said.predicate as unknown as Partial<AdoptedFacts>).generation ?? null
  if (about !== null && kind !== "promotion") walk.generation = about
  if (about !== statement.generation)
    say(walk, "chain_mismatch", `entry ${entry} is about S${about}, its row says S${statement.generation}`)
  const fact = yield* factOf(walk, project, said, statement)
  if (fact === null) say(walk, "statement_mismatch", `entry ${entry}: there are no records of this ${kind}`)
  else if (fact !== undefined && !tells(statement, fact))
    say(walk, "statement_mismatch", `entry ${entry}: the records tell another ${kind}`)
})

/** That nothing was done without a statement: every generation, every version of the Policy, every end of a release. */
const checkWhole = Effect.fnUntraced(function* (walk: Walk, project: Project) {
  const head = yield* find("head", project.id)
  walk.generation = head?.record.generation ?? 0
  for (let at = walk.promotions; at <= (head?.record.generation ?? -1); at++)
    say(walk, "statement_missing", `S${at} has no statement`)
  const policy = yield* find("policy", project.id)
  for (let version = walk.policies + 1; version <= (policy?.record.version ?? 0); version++)
    say(walk, "statement_missing", `Policy ${version} has no statement`)
  for (let at = 1; at <= (head?.record.generation ?? 0); at++) {
    const untold = yield* untoldOf(walk.told, project.id, at)
    if (untold === null) continue
    walk.generation = at
    say(walk, untold.code, untold.detail)
  }
  yield* checkAdoption(walk, project)
})

/** Every difference between a Project's chain, its statements and its records. None while it is older than statements. */
export const statementDifferences = Effect.fnUntraced(function* (project: Project) {
  const now = yield* Time.now
  const walk: Walk = {
    found: [],
    chain: emptyChain(project.id, now),
    generation: 0,
    promotions: 0,
    policies: 0,
    told: noReleases(),
    policyLines: [],
    adoption: null
  }
  const chain = yield* find("chain", project.id)
  if (chain === null) {
    if ((yield* find("chainLog", project.id)) !== null) say(walk, "chain_mismatch", "its chain is gone")
    return walk.found
  }
  for (let entry = 0; entry < chain.record.size; entry++) {
    const stored = yield* find("statement", statementKey(project.id, entry))
    if (stored === null) {
      say(walk, "statement_missing", `there is no entry ${entry}`)
      return walk.found
    }
    yield* checkEntry(walk, project, stored.record, now)
  }
  const { at, digest, edge, epoch } = chain.record
  const ends = digest === walk.chain.digest && edge.join() === walk.chain.edge.join()
  if (!ends || at !== walk.chain.at || epoch !== walk.chain.epoch)
    say(walk, "chain_mismatch", `it ends with ${walk.chain.digest}, its row says ${digest}`)
  yield* checkWhole(walk, project)
  return walk.found
})
