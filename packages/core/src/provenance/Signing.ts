/**
 * Statements are signed by a command of their chain, right after the commit that wrote them: in order, in batches. What
 * contradicts what was signed before is refused, and so is a key that the history does not name as its newest.
 */
import { Effect, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { type ChainLog, RefusalCode } from "../model/Chain.ts"
import { type ChainId, type Signature, type Statement, statementKey } from "../model/Statement.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Waiting } from "../work/Processes.ts"
import { originOf } from "./Checkpoint.ts"
import { checkpoint } from "./Checkpoints.ts"
import { extended, rootOf } from "./Edge.ts"
import { preAuthentication } from "./Envelope.ts"
import { usable } from "./Keys.ts"
import { pointerWith } from "./ServedEnvelope.ts"
import { SignedHeads } from "./SignedHeads.ts"
import { Signer } from "./Signer.ts"

/** Nothing of this chain is signed for now. */
export class SigningRefused extends Schema.TaggedError<SigningRefused>()("SigningRefused", { code: RefusalCode }) {
  override get message() {
    return `Nothing of this chain is signed: ${this.code}`
  }
}

/** Where the log of a chain begins: nothing signed, no checkpoint. */
export const emptyLog = (chain: ChainId, now: Time.Timestamp): ChainLog => ({
  chain,
  signed: 0,
  size: 0,
  checkpoint: null,
  published: [],
  edge: [],
  checkpointAt: null,
  keyid: null,
  refused: null,
  updatedAt: now
})

const scopeOf = (chain: ChainId) => (chain === "instance" ? null : chain)

/** The write of a log's new state. */
const logged = (
  chain: ChainId,
  log: Commit.Stored<ChainLog> | null,
  fields: Partial<ChainLog>,
  now: Time.Timestamp
): Commit.Write =>
  log === null
    ? Commit.insert("chainLog", { ...emptyLog(chain, now), ...fields })
    : Commit.update("chainLog", log, { ...fields, updatedAt: now })

/** The entries from `from` on, in order, at most a batch: by count, and by what one commit may hold. */
const nextOf = Effect.fnUntraced(function* (chain: ChainId, from: number, size: number) {
  const count = Math.max(0, Math.min(size - from, Limits.statementsPerBatch))
  const entries = Array.from({ length: count }, (_, index) => from + index)
  const found = yield* Effect.forEach(entries, (entry) => find("statement", statementKey(chain, entry)), {
    concurrency: Limits.statementReadsAtOnce
  })
  const batch: Array<Commit.Stored<Statement>> = []
  let bytes = 0
  for (const each of found) {
    bytes += each === null ? 0 : utf8(each.record.payload).length
    if (each === null || (batch.length > 0 && bytes > Limits.signedBatchBytes)) break
    batch.push(each)
  }
  return batch
})

type Edge = ReadonlyArray<string>

const edgeAfter = (edge: Edge, from: number, batch: ReadonlyArray<Commit.Stored<Statement>>): Edge =>
  batch.reduce((grown, { record }, at) => extended(grown, from + at, utf8(record.payload)), edge)

/** Fails where the signer has signed more of a chain, or something else, than stands there. */
export const refuseBehind = Effect.fnUntraced(function* (chain: ChainId, name: string) {
  const end = (yield* find("chain", chain))?.record
  if (end === undefined) return
  const log = (yield* find("chainLog", chain))?.record ?? emptyLog(chain, end.at)
  if (!(yield* agrees(chain, { name, epoch: end.epoch }, log, end.size)))
    return yield* new SigningRefused({ code: "log_behind" })
})

/** Which log of a chain: each epoch has one. */
export interface LogPlace {
  /** What its origin begins with. */
  readonly name: string
  readonly epoch: number
}

/** What is known of a log's signed entries. */
type SignedPart = Pick<ChainLog, "edge" | "signed">

/** Whether what was signed before in this epoch still stands there: of `size` entries, those before `signed` have this edge. */
export const isKept = Effect.fnUntraced(function* (
  chain: ChainId,
  { epoch, name }: LogPlace,
  { edge, signed }: SignedPart,
  size: number
) {
  const head = yield* (yield* SignedHeads).get(originOf(name, chain, epoch))
  // A head that was lost with its file is made again by the next signature.
  if (head === null) return true
  if (head.size > size) return false
  // One that is shorter was put back with its file, or is of another history: the edge cannot tell, what stands there can.
  let [at, grown]: [number, Edge] = head.size < signed ? [0, []] : [signed, edge]
  while (at < head.size) {
    const batch = yield* nextOf(chain, at, head.size)
    if (batch.length === 0) return false
    grown = edgeAfter(grown, at, batch)
    at += batch.length
  }
  return Base64.encode(rootOf(grown)) === head.root
})

/**
 * Whether a chain may be signed further: what was signed before stands there, and the signer knows of no later epoch. A
 * database may be put back to before an epoch began, and agree with all of the one before.
 */
export const agrees = Effect.fnUntraced(function* (chain: ChainId, place: LogPlace, log: SignedPart, size: number) {
  const later = yield* (yield* SignedHeads).get(originOf(place.name, chain, place.epoch + 1))
  return later === null && (yield* isKept(chain, place, log, size))
})

/** Who signs a chain now. */
interface Place {
  readonly chain: ChainId
  readonly keyid: string
  readonly name: string
}

/**
 * A signature that stands there is kept, unless a revoked key made it. In the instance's chain each is kept: a rotation is
 * signed by the key that it ends.
 */
const isOwed = ({ chain, keyid }: Place, { signature }: Statement): boolean =>
  signature === null || (chain !== "instance" && signature.keyid !== keyid)

const signatures = Effect.fnUntraced(function* (place: Place, batch: ReadonlyArray<Commit.Stored<Statement>>) {
  const signer = yield* Signer
  const made = new Map<number, Signature>()
  for (const { record } of batch) {
    if (!isOwed(place, record)) continue
    const signature = yield* signer.sign("statement", preAuthentication(utf8(record.payload)))
    // It was rotated meanwhile: the next look finds the new key.
    if (signature.keyid !== place.keyid) return yield* new SigningRefused({ code: "key_unknown" })
    made.set(record.entry, signature)
  }
  return made
})

/** Signs the next entries of a chain and commits that. Answers whether there was anything to do. */
const signNext = Effect.fnUntraced(function* (place: Place) {
  const { chain, keyid, name } = place
  const end = (yield* find("chain", chain))?.record
  const stored = yield* find("chainLog", chain)
  const now = yield* Time.now
  const log = stored?.record ?? emptyLog(chain, now)
  const batch = yield* nextOf(chain, log.signed, end?.size ?? 0)
  if (end === undefined || batch.length === 0) return false
  if (log.keyid !== null && log.keyid !== keyid) return yield* new SigningRefused({ code: "key_unknown" })
  if (log.refused?.code === "audit_pending" && !(yield* isAudited(chain, log.refused.since)))
    return yield* new SigningRefused({ code: "audit_pending" })
  if (!(yield* agrees(chain, { name, epoch: end.epoch }, log, end.size)))
    return yield* new SigningRefused({ code: "log_behind" })
  const made = yield* signatures(place, batch)
  const signed = log.signed + batch.length
  const edge = edgeAfter(log.edge, log.signed, batch)
  yield* (yield* SignedHeads).set(originOf(name, chain, end.epoch), { size: signed, root: Base64.encode(rootOf(edge)) })
  const writes = batch.flatMap((each) => {
    const signature = made.get(each.record.entry)
    return signature === undefined ? [] : [Commit.update("statement", each, { signature })]
  })
  const kept = logged(chain, stored, { signed, edge, refused: null }, now)
  const { expects, writes: served } = yield* pointerWith(chain, batch, made)
  const commit = { name: "Signing.sign", projectId: scopeOf(chain), expects, writes: [...writes, kept, ...served] }
  // Another worker was faster: what it stored stands, and the next look begins behind it.
  yield* Effect.catchTag((yield* Ledger).commit(commit), "Conflict", () => Effect.void)
  return true
})

/** Whether an audit after this instant found nothing. */
const isAudited = (chain: ChainId, since: Time.Timestamp) =>
  Effect.map(find("audit", chain), (audit) => {
    if (audit === null) return false
    const { auditedAt, findings, moreFindings } = audit.record
    return auditedAt > since && findings.length + moreFindings === 0
  })

/** Writes down, once, why a chain is not signed. */
const refusing = (chain: ChainId, code: RefusalCode) =>
  decideAndCommit(
    Effect.gen(function* () {
      const log = yield* find("chainLog", chain)
      if (log?.record.refused?.code === code) return { answer: undefined }
      const now = yield* Time.now
      const writes = [logged(chain, log, { refused: { code, since: now } }, now)]
      yield* Effect.logWarning("statements are not signed").pipe(Effect.annotateLogs({ chain, code }))
      return { answer: undefined, commit: { name: "Signing.refuse", projectId: scopeOf(chain), writes } }
    })
  )

/** Signs all statements of a chain that have no signature yet. Answers what a checkpoint of it is made with. */
export const signPending = Effect.fnUntraced(function* (chain: ChainId) {
  const { log, name, statement: keyid } = yield* usable
  if (keyid === null) return yield* new SigningRefused({ code: "key_unknown" })
  while (yield* signNext({ chain, keyid, name })) yield* Effect.yieldNow
  return { log, name }
})

/**
 * Signs all statements of a chain that have no signature yet, then makes a checkpoint of it. While the signer is away, or
 * refuses, it waits, without using a try, and looks again after `Limits.signerRetryMs`.
 */
export const sign = Effect.fn("Signing.sign")(
  function* (chain: ChainId) {
    const { log, name } = yield* signPending(chain)
    if (log !== null) yield* checkpoint(chain, name, log)
  },
  (signing, chain) =>
    Effect.catchTags(signing, {
      SignerUnavailable: (problem) =>
        Effect.andThen(
          Effect.logWarning("statements wait for their signature").pipe(
            Effect.annotateLogs({ chain, problem: problem.message })
          ),
          Effect.fail(new Waiting(problem.message, Limits.signerRetryMs))
        ),
      SigningRefused: ({ code }) =>
        Effect.andThen(refusing(chain, code), Effect.fail(new Waiting(code, Limits.signerRetryMs)))
    })
)
