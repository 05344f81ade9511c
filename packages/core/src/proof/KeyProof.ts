/** The history of keys and passkeys: the chain of the instance, believed from the first key on that is trusted. */
import { Effect, Stream } from "effect"
import type { StatementKind } from "../model/Statement.ts"
import { Limits } from "../primitives/Limits.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { challengeOf, enrolmentText } from "../provenance/ApprovalText.ts"
import { introduced, isHandedOver, type KnownKey, maySignHistory } from "../provenance/KeyRules.ts"
import { proofMessage, type PublicKey, publicKeyOf, verifies } from "../provenance/PublicKeys.ts"
import { assertionProblem } from "../provenance/WebAuthn.ts"
import { isSignedBy, type Opened, opened } from "./Envelopes.ts"
import type { Findings } from "./Findings.ts"
import type { Engine } from "./Engine.ts"
import type { Line, Material, Trust } from "./Material.ts"
import { emptyLeaves, type Leaves } from "./Leaves.ts"
import type { Approver, Key, Restored, Shaped } from "./StatementShapes.ts"
import { emptyUnsigned } from "./Unsigned.ts"

/** A passkey that was enrolled, and until when it counted: what was decided before its removal stays. */
export interface KnownApprover {
  readonly facts: Approver
  readonly until: string
}

/** What the history says. */
export interface KeyHistory {
  readonly keys: ReadonlyMap<string, KnownKey>
  /** By credential. */
  readonly approvers: ReadonlyMap<string, KnownApprover>
  readonly entries: number
  /** Keys of the log, by their ids: those of a line handed over from each to the next. */
  readonly logLines: ReadonlyArray<ReadonlyArray<string>>
  /** Its own log. */
  readonly log: { readonly leaves: Leaves; readonly epoch: number; readonly restored: ReadonlyArray<Restored> }
  /** Whether all of it could be believed. */
  readonly isWhole: boolean
}

interface State {
  readonly keys: Map<string, KnownKey>
  readonly approvers: Map<string, KnownApprover>
  readonly logLines: Array<Array<string>>
  readonly leaves: Leaves
  readonly restored: Array<Restored>
  epoch: number
  entries: number
  /** Undefined after an entry of which its leaf alone is known. */
  previous: string | null | undefined
  at: string
}

/** Which entry a statement says that it is, and whether it follows the one before. */
export const linkFaults = (
  { entry, previous }: { readonly entry: number; readonly previous: { readonly sha256: string } | null },
  expected: { readonly entry: number; readonly previous: string | null | undefined }
): { readonly code: "chain_gap" | "chain_broken"; readonly words: string } | null => {
  if (entry !== expected.entry) return { code: "chain_gap", words: `it says that it is entry ${entry}` }
  // Undefined: what stood before cannot be told, and was named.
  if (expected.previous === undefined || (previous?.sha256 ?? null) === expected.previous) return null
  return { code: "chain_broken", words: "another statement stood before it" }
}

/** No instant is later. */
const forEver = "9999"

/** Takes a passkey in, or out. Answers whether it may be: the first is trusted, each later one is endorsed by an owner's. */
const enrolled = Effect.fnUntraced(function* (state: State, facts: Approver, { origins }: Trust) {
  const known = state.approvers.get(facts.credential)
  if (facts.removed === true) {
    if (known !== undefined) state.approvers.set(facts.credential, { ...known, until: facts.at })
    return known !== undefined
  }
  const { endorsement } = facts
  const by = endorsement === undefined ? undefined : state.approvers.get(endorsement.credential)
  const isFirst = state.approvers.size === 0
  const mayEndorse = by?.facts.owner === true && by.until === forEver
  const asked = { challenge: challengeOf(enrolmentText(facts)), origins }
  const isEndorsed =
    endorsement !== undefined &&
    mayEndorse &&
    (yield* assertionProblem(endorsement, { approver: by.facts, ...asked })) === null
  if (known !== undefined || !(isFirst || isEndorsed)) return false
  state.approvers.set(facts.credential, { facts, until: forEver })
  return true
})

/** Whether an entry is signed by a key that counts, or by itself where that key is trusted as the first one is. */
const isBelieved = Effect.fnUntraced(function* (
  state: State,
  {
    envelope,
    kind,
    itself
  }: { readonly envelope: Opened; readonly kind: StatementKind; readonly itself: PublicKey | null },
  findings: Findings,
  engine: Engine
) {
  const where = `key ${state.entries}`
  const keyid = envelope.signature?.keyid ?? ""
  const known = state.keys.get(keyid)
  // After a break the history goes on with a key that signs itself.
  const own = itself?.keyid === keyid ? itself : null
  const signer = known !== undefined && maySignHistory(known, kind) ? known : own
  if (signer === null) {
    findings.say(where, "key_unknown", keyid)
    return false
  }
  const isGood = yield* Effect.promise(() => isSignedBy(envelope, signer, engine))
  if (!isGood) findings.say(where, "signature_invalid", `by ${keyid}`)
  return isGood
})

/** The place of an entry: dense, linked, never back in time, of the instance and in an epoch that was begun. */
const checkPlace = (state: State, { kind, predicate }: Shaped, findings: Findings): void => {
  const where = `key ${state.entries}`
  const { at, epoch, project } = predicate
  if (project !== "instance") findings.say(where, "project_mismatch", project)
  const link = linkFaults(predicate, { entry: state.entries, previous: state.previous })
  if (link !== null) findings.say(where, link.code, link.words)
  if (at < state.at) findings.say(where, "time_backwards", `${at} after ${state.at}`)
  if (epoch !== state.epoch + (kind === "restored" ? 1 : 0))
    findings.say(where, "history_lost", `epoch ${epoch} after ${state.epoch} does not begin with what was restored`)
  state.at = at
  state.epoch = epoch
}

/** Takes a key in. Those of the log stand in lines: each was handed over to by the one before it. */
const takeKey = Effect.fnUntraced(function* (state: State, key: PublicKey, said: Key) {
  const { keys, logLines } = state
  if (said.use === "log" && !keys.has(key.keyid)) {
    const line = logLines.at(-1)
    if (line !== undefined && (yield* isHandedOver(keys.get(line.at(-1) ?? ""), said.handover, key.keyid)))
      line.push(key.keyid)
    else logLines.push([key.keyid])
  }
  introduced(keys, key, said)
})

/** Reads one entry. Answers whether the next one may be believed. */
const read = Effect.fnUntraced(function* (
  state: State,
  envelope: Opened,
  trust: Trust,
  findings: Findings,
  engine: Engine
) {
  const where = `key ${state.entries}`
  for (const { code, words } of envelope.faults) findings.say(where, code, words)
  const { statement } = envelope
  if (envelope.faults.length > 0 || statement === null || envelope.signature === null) return false
  const { kind, predicate } = statement
  if (kind !== "key" && kind !== "approver" && kind !== "restored") {
    findings.say(where, "type_unknown", kind)
    return false
  }
  const own = kind === "key" ? publicKeyOf(predicate.spki) : null
  const isTrusted = kind === "key" && own?.keyid === predicate.keyid && trust.keys.includes(predicate.keyid)
  if (state.entries === 0 && !isTrusted) {
    findings.say(where, "key_not_trusted", kind === "key" ? predicate.keyid : kind)
    return false
  }
  if (!(yield* isBelieved(state, { envelope, kind, itself: isTrusted ? own : null }, findings, engine))) return false
  checkPlace(state, statement, findings)
  if (kind === "restored") state.restored.push(predicate)
  else if (kind === "approver") {
    if (!(yield* enrolled(state, predicate, trust)))
      findings.say(where, "approver_unknown", `${predicate.credential}: no owner's passkey endorsed it`)
  } else {
    const proof = base64Bytes(predicate.proof)
    if (own?.keyid !== predicate.keyid || proof === null || !(yield* verifies(own, proofMessage(own.keyid), proof))) {
      findings.say(where, "key_proof_invalid", predicate.keyid)
      return false
    }
    yield* takeKey(state, own, predicate)
  }
  return true
})

/**
 * Reads the whole history. It ends at the first entry that cannot be believed. `leafIn` finds the leaf of an entry that is
 * not told in its line: of a history for strangers, which tells of nobody's passkeys.
 */
export const readKeys = Effect.fnUntraced(function* (
  material: Pick<Material, "keys">,
  trust: Trust,
  engine: Engine,
  findings: Findings,
  leafIn: (line: Line) => Uint8Array | null = () => null
) {
  const state: State = {
    keys: new Map(),
    approvers: new Map(),
    logLines: [],
    leaves: emptyLeaves(engine.hash),
    restored: [],
    epoch: 1,
    entries: 0,
    previous: null,
    at: ""
  }
  let believed = true
  const unsigned = emptyUnsigned(findings, trust)
  yield* Stream.runForEach(
    Stream.takeWhile(material.keys, () => believed),
    (lines) =>
      Effect.gen(function* () {
        for (const line of lines) {
          if (!believed) return
          const leaf = unsigned.count() === 0 ? leafIn(line) : null
          if (leaf !== null && state.entries < Limits.provenKeys) {
            state.entries++
            state.previous = undefined
            state.leaves.addHash(leaf)
            continue
          }
          const envelope = opened(line, engine)
          // What follows on an unsigned entry is only asked whether anybody signed it.
          const [entry, where] = [state.entries + unsigned.count(), `key ${state.entries}`]
          if (envelope.faults.length < 2 && unsigned.holds(envelope, entry, where)) continue
          believed =
            unsigned.count() === 0 &&
            state.entries < Limits.provenKeys &&
            (yield* read(state, envelope, trust, findings, engine))
          if (!believed) return
          state.entries++
          state.previous = envelope.digest
          state.leaves.add(envelope.payload ?? new Uint8Array(0))
        }
      })
  )
  unsigned.settle(0)
  if (state.entries === 0 && believed) findings.say("key 0", "key_not_trusted", "there is no key")
  const { approvers, entries, epoch, keys, leaves, logLines, restored } = state
  const log = { leaves, epoch, restored }
  return { keys, approvers, entries, logLines, log, isWhole: believed && entries > 0 } satisfies KeyHistory
})
