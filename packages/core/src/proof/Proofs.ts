/**
 * Verifies a Project offline: every signature and link, every record and object against its digest, the repository, and
 * what is served. Pure but for the material; it has no clock and asks no network. Hostile material ends in findings.
 */
import { Effect, Stream } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { endedProblem } from "../provenance/KeyRules.ts"
import { checkLog, keysLog, ownLog } from "./LogProof.ts"
import { emptyLeaves, type Leaves } from "./Leaves.ts"
import { type Fault, isSignedBy, type Opened, opened, sealOf } from "./Envelopes.ts"
import { emptyFindings, type Finding, type Note } from "./Findings.ts"
import { type Engine, pureEngine } from "./Engine.ts"
import { type KeyHistory, linkFaults, readKeys } from "./KeyProof.ts"
import { checkLive } from "./LiveProof.ts"
import type { Line, Material, Trust, Unread } from "./Material.ts"
import { emptyProof, type Proof } from "./ProofState.ts"
import { checkAdopted, checkPolicy, checkPromotion } from "./PromotionProof.ts"
import { checkOutcome, checkRelease } from "./ReleaseProof.ts"
import { checkSource } from "./SourceProof.ts"
import type { Restored, Shaped } from "./StatementShapes.ts"
import { emptyUnsigned, type Unsigned } from "./Unsigned.ts"

/** How far to go. */
export interface VerifyOptions {
  /** Links, the last signature of each key and the checkpoint, and nothing else. */
  readonly quick?: boolean
  /** A checkpoint of before a restored backup is no finding where the backup says what it lost. */
  readonly acceptRestore?: boolean
  /** Tells of this generation, too: all that was stated of it. */
  readonly generation?: number | undefined
  /** How many statements are read at most; default `Limits.provenEntries`. */
  readonly entries?: number
  readonly engine?: Engine
}

/** What was found, and of what. */
export interface Verdict {
  readonly findings: ReadonlyArray<Finding>
  /** Findings beyond `Limits.findingsKept`. */
  readonly more: number
  readonly notes: ReadonlyArray<Note>
  readonly statements: number
  /** The newest generation; null for none. */
  readonly generation: number | null
  /** When the newest statement was made; null without one. */
  readonly at: string | null
  readonly keys: number
  /** With which the history of keys begins; null where it does not begin with one that is trusted. */
  readonly firstKey: string | null
  readonly approvers: number
  readonly epoch: number
  /** The newest checkpoint's size, where it is this log's; null for none. */
  readonly checkpoint: number | null
  /** The size of the largest checkpoint that was kept and is still covered; null for none. */
  readonly seen: number | null
  /** What was stated of the generation that was asked for, in order. */
  readonly told: ReadonlyArray<ToldStatement>
  /** What could not be read, so that nothing after it was looked at; null for nothing of that kind. */
  readonly stopped: Unread | null
}

/** A statement of a generation, and who signed it: nobody is null. */
export interface ToldStatement {
  readonly entry: number
  readonly keyid: string | null
  /** The SHA-256 of its payload, and the payload as it was signed. */
  readonly digest: string
  readonly payload: Uint8Array
  readonly statement: Shaped
}

/** The chain, as far as it was read. */
interface ChainState {
  entry: number
  /** Undefined after what could not be read. */
  previous: string | null | undefined
  at: string
  epoch: number
  generation: number | null
  statements: number
  /** The newest envelope of each key: all that a quick look verifies. */
  readonly last: Map<string, { readonly envelope: Opened; readonly where: string }>
  readonly unsigned: Unsigned
  /** The generation that was asked for. */
  readonly asked: number | undefined
  readonly told: Array<ToldStatement>
  /** How many statements are read at most. */
  readonly most: number
}

const unreadLeaf = new Uint8Array(0)

/** What is wrong with who signed; null for nothing. */
const signerFault = (
  { keys }: KeyHistory,
  envelope: Opened,
  at: { readonly chain: string; readonly entry: number }
): Fault | null => {
  const { signature } = envelope
  if (signature === null) return null
  const known = keys.get(signature.keyid)
  const code = known?.use === "statement" ? endedProblem(known, at.chain, at.entry) : "key_unknown"
  return code === null ? null : { code, words: signature.keyid }
}

const whereOf = (entry: number, { statement }: Opened): string => {
  const generation = statement !== null && "generation" in statement.predicate ? statement.predicate.generation : null
  return generation === null ? `entry ${entry}` : `entry ${entry} (S${generation})`
}

/** The place of a statement: dense, linked, never back in time, of this Project and in an epoch that was begun. */
const checkPlace = (proof: Proof, chain: ChainState, where: string, { digest, statement }: Opened): void => {
  const { findings, trust } = proof
  if (statement === null) {
    chain.entry++
    chain.previous = digest ?? undefined
    return
  }
  const { kind, predicate } = statement
  const { at, entry, epoch, project } = predicate
  const link = linkFaults(predicate, { entry: chain.entry, previous: chain.previous })
  if (project !== trust.project) findings.say(where, "project_mismatch", project)
  if (link !== null) findings.say(where, link.code, link.words)
  if (at < chain.at) findings.say(where, "time_backwards", `${at} after ${chain.at}`)
  const isBegun = epoch === chain.epoch ? kind !== "restored" : epoch === chain.epoch + 1 && kind === "restored"
  if (!isBegun)
    findings.say(where, "history_lost", `epoch ${epoch} after ${chain.epoch} does not begin with what was restored`)
  // From here on it is as if this one stood where it says: one gap is told once.
  chain.entry = entry + 1
  chain.previous = digest
  chain.at = at
  chain.epoch = epoch
  if (kind === "promotion") chain.generation = predicate.generation
}

const tell = ({ asked, told }: ChainState, entry: number, envelope: Opened): void => {
  const { digest, payload, signature, statement } = envelope
  if (asked === undefined || statement === null || !("generation" in statement.predicate)) return
  if (digest === null || payload === null) return
  if (statement.predicate.generation === asked && told.length < Limits.findingsKept)
    told.push({ entry, keyid: signature?.keyid ?? null, digest, payload, statement })
}

const checkRestored = (proof: Proof, where: string, restored: Restored): void => {
  const { epoch, lost } = restored
  proof.restored.push(restored)
  const what = lost === null ? "nothing was lost" : `entries ${lost.from} to ${lost.to - 1} of before are lost`
  proof.findings.note(where, "epoch_begun", `a backup was restored, epoch ${epoch}: ${what}`)
}

const checkFacts = (proof: Proof, where: string, envelope: Opened) => {
  const { digest, statement } = envelope
  switch (statement?.kind) {
    case "promotion":
      return checkPromotion(proof, where, statement)
    case "policy":
      return checkPolicy(proof, where, statement)
    case "release":
      proof.seals.add(sealOf(envelope))
      return checkRelease(proof, where, statement, digest ?? "")
    case "outcome":
      return Effect.sync(() => checkOutcome(proof, where, statement.predicate))
    case "adopted":
      return Effect.sync(() => checkAdopted(proof, where, statement.predicate))
    case "restored":
      return Effect.sync(() => checkRestored(proof, where, statement.predicate))
    case "key":
    case "approver":
      return Effect.sync(() => proof.findings.say(where, "type_unknown", `a ${statement.kind} in a Project's chain`))
    case undefined:
      return Effect.void
  }
}

/** Signatures that are asked while what was asked before is looked at. */
interface Asked {
  readonly envelope: Opened
  readonly entry: number
  /** Null where nobody known signed. */
  readonly holds: Promise<boolean> | null
}

/**
 * Opens a batch, whose first is an entry, and then asks for its signatures at once: each by itself would wake another thread
 * for it, which falls asleep again before the next one is opened.
 */
const ask = (proof: Proof, lines: ReadonlyArray<Line>, first: number, quick: boolean): ReadonlyArray<Asked> =>
  lines
    .map((line) => opened(line, proof.engine))
    .map((envelope, at) => {
      const known = envelope.signature === null ? undefined : proof.history.keys.get(envelope.signature.keyid)
      const holds = quick || known === undefined ? null : isSignedBy(envelope, known, proof.engine)
      return { envelope, entry: first + at, holds }
    })

/** Whether each signature holds; null where nobody known signed. They are all on their way: most need no waiting any more. */
const answersOf = async (asked: ReadonlyArray<Asked>): Promise<ReadonlyArray<boolean | null>> => {
  const answers: Array<boolean | null> = []
  for (const { holds } of asked) answers.push(holds === null ? null : await holds)
  return answers
}

const checkBatch = Effect.fnUntraced(function* (
  proof: Proof,
  chain: ChainState,
  leaves: Leaves,
  asked: ReadonlyArray<Asked>,
  quick: boolean
) {
  const good = yield* Effect.promise(() => answersOf(asked))
  for (const [index, { envelope, entry }] of asked.entries()) {
    const where = whereOf(entry, envelope)
    chain.unsigned.holds(envelope, entry, where)
    for (const { code, words } of envelope.faults)
      if (code !== "signature_missing") proof.findings.say(where, code, words)
    const fault = signerFault(proof.history, envelope, { chain: proof.trust.project, entry })
    if (fault !== null) proof.findings.say(where, fault.code, fault.words)
    else if (good[index] === false) proof.findings.say(where, "signature_invalid", `by ${envelope.signature?.keyid}`)
    if (quick && envelope.signature !== null && fault === null)
      chain.last.set(envelope.signature.keyid, { envelope, where })
    checkPlace(proof, chain, where, envelope)
    leaves.add(envelope.payload ?? unreadLeaf)
    tell(chain, entry, envelope)
    if (!quick || envelope.statement?.kind === "restored") yield* checkFacts(proof, where, envelope)
  }
})

const checkChain = Effect.fnUntraced(function* (proof: Proof, chain: ChainState, leaves: Leaves, quick: boolean) {
  // What was asked before is looked at when more is under way: who answers has always something to do.
  const pending: Array<ReadonlyArray<Asked>> = []
  /** What came and makes no whole batch yet: a few signatures alone cost far more each than many at once. */
  let waiting: ReadonlyArray<Line> = []
  const take = Effect.fnUntraced(function* (batch: ReadonlyArray<Line>) {
    const room = Math.max(0, chain.most - chain.statements)
    const asked = ask(proof, batch.slice(0, room), chain.statements, quick)
    chain.statements += batch.length
    pending.push(asked)
    if (pending.length > Limits.envelopeBatches) yield* checkBatch(proof, chain, leaves, pending.shift() ?? [], quick)
  })
  // Beyond the bound nothing is asked for any more: a hostile server always has another page.
  const bounded = Stream.takeWhile(proof.material.statements, () => chain.statements + waiting.length <= chain.most)
  yield* Stream.runForEach(bounded, (lines) =>
    Effect.gen(function* () {
      waiting = waiting.concat(lines)
      while (waiting.length >= Limits.envelopesPerBatch) {
        const batch = waiting.slice(0, Limits.envelopesPerBatch)
        waiting = waiting.slice(Limits.envelopesPerBatch)
        yield* take(batch)
      }
    })
  )
  yield* take(waiting)
  for (const asked of pending) yield* checkBatch(proof, chain, leaves, asked, quick)
  if (chain.statements > chain.most)
    proof.findings.say("pack", "pack_unreadable", `it has more than ${chain.most} statements`)
  for (const [keyid, { envelope, where }] of chain.last) {
    const known = proof.history.keys.get(keyid)
    if (known !== undefined && !(yield* Effect.promise(() => isSignedBy(envelope, known, proof.engine))))
      proof.findings.say(where, "signature_invalid", `by ${keyid}`)
  }
})

/** Verifies all that the material holds. What it does not hold is not looked at. */
export const verify = Effect.fnUntraced(function* (material: Material, trust: Trust, options: VerifyOptions = {}) {
  const { acceptRestore = false, engine = pureEngine, quick = false } = options
  const findings = emptyFindings()
  const chain: ChainState = {
    entry: 0,
    previous: null,
    at: "",
    epoch: 1,
    generation: null,
    statements: 0,
    last: new Map(),
    unsigned: emptyUnsigned(findings, trust),
    asked: options.generation,
    told: [],
    most: options.entries ?? Limits.provenEntries
  }
  const leaves = emptyLeaves(engine.hash)
  let keys: Pick<KeyHistory, "keys" | "approvers"> = { keys: new Map(), approvers: new Map() }
  let checkpoint: number | null = null
  let seen: number | null = null
  let stopped: Unread | null = null
  for (const { part, reason } of material.unread ?? []) findings.say(part, "pack_unreadable", reason)
  yield* Effect.gen(function* () {
    const history = yield* readKeys(material, trust, engine, findings)
    keys = history
    const proof = emptyProof(material, trust, history, engine, findings)
    yield* checkChain(proof, chain, leaves, quick)
    const { adopted } = proof
    if (adopted !== null && !adopted.done)
      findings.say(adopted.where, "adopted_mismatch", "not all that was adopted is stated")
    const own = yield* checkLog(proof, ownLog(proof, leaves, chain.epoch), material.checkpoint, acceptRestore)
    checkpoint = own.size
    seen = own.kept
    chain.unsigned.settle(own.covered)
    const ofKeys = keysLog(proof)
    if (ofKeys !== null) yield* checkLog(proof, ofKeys, material.keysCheckpoint, acceptRestore)
    if (quick) return
    if (material.source !== null) yield* checkSource(proof, material.source)
    for (const live of material.live) yield* checkLive(proof, live)
  }).pipe(
    Effect.catchTag("MaterialUnreadable", ({ part, reason }) =>
      Effect.sync(() => {
        stopped = { part, reason }
        findings.say(part, "pack_unreadable", reason)
      })
    )
  )
  return {
    findings: findings.list,
    more: findings.more(),
    notes: findings.notes,
    statements: chain.statements,
    generation: chain.generation,
    at: chain.at === "" ? null : chain.at,
    keys: keys.keys.size,
    firstKey: keys.keys.keys().next().value ?? null,
    approvers: keys.approvers.size,
    epoch: chain.epoch,
    checkpoint,
    seen,
    told: chain.told,
    stopped
  } satisfies Verdict
})
