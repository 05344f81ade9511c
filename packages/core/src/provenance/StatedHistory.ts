/** Statements, checkpoints and keys as others may have them: nobody need trust who hands them out. */
import { Effect, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { aboutOf, type ChainId, type Statement, statementKey } from "../model/Statement.ts"
import { find } from "../ledger/Decision.ts"
import { Unknown } from "../ledger/Refusals.ts"
import { Records } from "../ledger/Records.ts"
import { generationKey } from "../model/Entities.ts"
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { leafHash } from "./Edge.ts"
import { type Envelope, envelopeOf } from "./Envelope.ts"
import { allKeys } from "./KeyHistory.ts"

/** No statement tells of this generation: its Project is older than statements, and not adopted yet. */
export class NoStatement extends Schema.TaggedError<NoStatement>()("NoStatement", {
  projectId: Schema.String,
  generation: Schema.Finite
}) {
  override get message() {
    return `No statement tells of S${this.generation} of ${this.projectId}: it was promoted before there were any, and is adopted at the next start.`
  }
}

/** The statement is written and has no signature yet. Ask again. */
export class StatementUnsigned extends Schema.TaggedError<StatementUnsigned>()("StatementUnsigned", {
  projectId: Schema.String,
  generation: Schema.Finite,
  /** Why nothing is signed; null while it is only late. */
  refused: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const why = this.refused === null ? "ask again in a moment" : `nothing of its Project is signed: ${this.refused}`
    return `The statement of S${this.generation} of ${this.projectId} has no signature yet; ${why}.`
  }
}

/** There is no checkpoint of this Project's log yet. */
export class NoCheckpoint extends Schema.TaggedError<NoCheckpoint>()("NoCheckpoint", { projectId: Schema.String }) {
  override get message() {
    return `The log of ${this.projectId} has no checkpoint yet: nothing of it is signed.`
  }
}

/** The signed statement of a generation's promotion. Fails with `Unknown` where there is no such generation. */
export const signedPromotion = Effect.fnUntraced(function* (projectId: string, generation: number) {
  const about = aboutOf(projectId, "promotion", generation)
  const found = (yield* (yield* Records).list("statement", { where: { about }, order: "newest", limit: 1 })).items[0]
  if (found === undefined) {
    if ((yield* find("generation", generationKey(projectId, generation))) === null)
      return yield* new Unknown({ kind: "version", id: String(generation) })
    return yield* new NoStatement({ projectId, generation })
  }
  const log = (yield* find("chainLog", projectId))?.record
  // What a stolen key has signed stays there until it is signed anew, and is signed by nobody meanwhile.
  if (found.record.signature === null || found.record.entry >= (log?.signed ?? 0))
    return yield* new StatementUnsigned({ projectId, generation, refused: log?.refused?.code ?? null })
  return found.record
})

/** Its envelope. */
export const statementOf = (projectId: string, generation: number) =>
  Effect.map(signedPromotion(projectId, generation), envelopeOf)

/** The signed statements of a chain from an entry on, in order, at most a batch; none beyond the first that is unsigned. */
const signedFrom = Effect.fnUntraced(function* (chain: ChainId, from: number) {
  const signed = (yield* find("chainLog", chain))?.record.signed ?? 0
  const count = Math.max(0, Math.min(signed - from, Limits.statementsPerBatch))
  const entries = Array.from({ length: count }, (_, at) => from + at)
  const found = yield* Effect.forEach(entries, (entry) => find("statement", statementKey(chain, entry)), {
    concurrency: Limits.statementReadsAtOnce
  })
  return found.flatMap((each) => (each === null ? [] : [each.record]))
})

/** Their envelopes. */
export const envelopesFrom = (chain: ChainId, from: number) =>
  Effect.map(signedFrom(chain, from), (statements) => statements.map((each): Envelope => envelopeOf(each)))

/** The newest checkpoint of a Project's log, a signed note. */
export const checkpointOf = Effect.fnUntraced(function* (projectId: string) {
  const note = (yield* find("chainLog", projectId))?.record.checkpoint ?? null
  return note ?? (yield* new NoCheckpoint({ projectId }))
})

/** The whole signed history of keys: the instance's chain. */
const signedHistory = Effect.gen(function* () {
  const all: Array<Statement> = []
  for (;;) {
    const more = yield* signedFrom("instance", all.length)
    if (more.length === 0) return all
    all.push(...more)
  }
})

/** Its envelopes. */
export const keyEnvelopes = Effect.map(signedHistory, (all) => all.map((each): Envelope => envelopeOf(each)))

/**
 * All public keys, in the order in which they were introduced, the statements that say so, and the newest note over those.
 * Strangers are told nothing of people: which passkeys are whose, and who endorsed them.
 */
export const keysAndHistory = Effect.fnUntraced(function* (toStranger: boolean) {
  // Read first: it covers no more than what is answered with it.
  const checkpoint = (yield* find("chainLog", "instance"))?.record.checkpoint ?? null
  const keys = (yield* allKeys).map(({ record }) => record)
  const told = (yield* signedHistory).filter(({ kind }) => !toStranger || kind !== "approver")
  return { keys, history: told.map((each): Envelope => envelopeOf(each)), checkpoint }
})

/** Who may not read the log has no checkpoint of it. */
const keysCheckpoint = find("chainLog", "instance").pipe(
  Effect.map((log) => log?.record.checkpoint ?? null),
  Effect.catchTag("LedgerUnavailable", () => Effect.succeed(null))
)

/**
 * The signed history of keys as anybody may have it, all of which a checkpoint can be held against: in the place of what
 * names people stands the hash of its leaf in the log. It takes no rights but to the instance's chain.
 */
export const historyForStrangers = Effect.gen(function* () {
  // Read first: it covers no more than what is answered with it.
  const checkpoint = yield* keysCheckpoint
  const size = (yield* find("chain", "instance"))?.record.size ?? 0
  const keys = Array.from({ length: size }, (_, entry) => statementKey("instance", entry))
  const found = yield* Effect.forEach(keys, (key) => find("statement", key), {
    concurrency: Limits.statementReadsAtOnce
  })
  const told: Array<Envelope | { readonly leaf: string }> = []
  for (const each of found) {
    if (each === null || each.record.signature === null) break
    const { kind, payload } = each.record
    told.push(kind === "approver" ? { leaf: Base64.encode(leafHash(utf8(payload))) } : envelopeOf(each.record))
  }
  return { history: told, checkpoint }
})
