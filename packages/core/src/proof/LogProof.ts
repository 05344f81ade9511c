/** The log beside a chain: checkpoints old and new, epochs, and what the signer itself remembers. */
import { Effect } from "effect"
import { type Checkpoint, isSigned, readCheckpoint } from "../provenance/Checkpoint.ts"
import { mayHaveMade } from "../provenance/KeyRules.ts"
import { type PublicKey, publicKeyOf } from "../provenance/PublicKeys.ts"
import type { Leaves } from "./Leaves.ts"
import type { Heads } from "./Material.ts"
import type { Proof } from "./ProofState.ts"
import type { Restored } from "./StatementShapes.ts"

/** One log: of the Project, or of the instance's chain. */
export interface Log {
  /** As heads of keys name it. */
  readonly chain: string
  /** In its first epoch. */
  readonly origin: string
  /** How findings call its checkpoint. */
  readonly name: "checkpoint" | "key checkpoint"
  readonly leaves: Leaves
  readonly epoch: number
  readonly restored: ReadonlyArray<Restored>
}

/** The origin of the instance's log beside that of a Project. */
const instanceOrigin = (origin: string): string => `${origin.slice(0, origin.lastIndexOf("/") + 1)}instance`

/** The Project's log. */
export const ownLog = ({ restored, trust }: Proof, leaves: Leaves, epoch: number): Log => ({
  chain: trust.project,
  origin: trust.origin,
  name: "checkpoint",
  leaves,
  epoch,
  restored
})

/** The log of the key history; null for one that cannot be believed to its end, which was said. */
export const keysLog = ({ history, trust }: Proof): Log | null =>
  history.isWhole
    ? { chain: "instance", origin: instanceOrigin(trust.origin), name: "key checkpoint", ...history.log }
    : null

/** The epoch of a log by its origin: the first has none in its name. Null for another log's. */
const epochOf = (origin: string, first: string): number | null => {
  if (origin === first) return 1
  const number = origin.startsWith(`${first}/`) ? origin.slice(first.length + 1) : ""
  return /^[1-9][0-9]{0,8}$/.test(number) && number !== "1" ? Number(number) : null
}

/** Whether a note, whatever it is worth, names the log of the key history. */
const isOfKeys = (text: string, origin: string): boolean =>
  epochOf(text.split("\n", 1)[0] ?? "", instanceOrigin(origin)) !== null

/** The keys that may have made a checkpoint of this size: those of the line in which the pinned one stands. */
const logKeysOf = ({ history, trust }: Proof, chain: string, size: number): ReadonlyArray<PublicKey> => {
  const { keys, logLines } = history
  const pinned = trust.logKey === null ? null : publicKeyOf(trust.logKey)
  if (trust.logKey !== null && pinned === null) return []
  const line = pinned === null ? logLines.flat() : logLines.find((each) => each.includes(pinned.keyid))
  // Of a history that ended early the log's key may not have been read; one that is whole has introduced it.
  if (line === undefined) return pinned === null || history.isWhole ? [] : [pinned]
  return line.flatMap((keyid) => keys.get(keyid) ?? []).filter((key) => mayHaveMade(key, chain, size))
}

/** Reads a note, and says where it is none of this log's. Null where it is none that counts, which was said. */
export const noteOf = Effect.fnUntraced(function* (proof: Proof, log: Log, where: string, text: string) {
  const note = readCheckpoint(text)
  const epoch = note === null ? null : epochOf(note.origin, log.origin)
  if (note === null) {
    proof.findings.say(
      where,
      "checkpoint_unreadable",
      text === "" ? "there is none, though one was published" : "it is no signed note"
    )
    return null
  }
  const keys = logKeysOf(proof, log.chain, note.size)
  if (epoch !== null && (yield* Effect.promise(() => isSigned(note, keys)))) return { note, epoch }
  // The key that made what was kept may stand in what an older copy does not have yet.
  const [size, here] = [note.size, log.leaves.count()]
  if (epoch !== null && where.startsWith("seen ") && size > here)
    proof.findings.say(where, "statements_missing", `${size} were seen, ${here} are here, by no key that is here`)
  else proof.findings.say(where, "checkpoint_signature", `of ${note.origin}`)
  return null
})

type Fault = "missing" | "other" | null

/** Whether what a checkpoint covers is still what stands there: null, or what is wrong. */
const faultOf = (note: Pick<Checkpoint, "size" | "root">, leaves: Leaves): Fault => {
  if (note.size > leaves.count()) return "missing"
  return leaves.rootOf(note.size) === note.root ? null : "other"
}

/** Up to which entry a note of an epoch vouches that somebody had signed: nothing where it is of something else. */
const coveredBy = (found: { readonly note: Checkpoint; readonly epoch: number }, fault: Fault, epoch: number): number =>
  fault === "other" || (fault === "missing" && found.epoch !== epoch) ? 0 : found.note.size

/** The newest checkpoint. */
const checkNewest = Effect.fnUntraced(function* (proof: Proof, log: Log, text: string) {
  const { epoch, leaves, name } = log
  const found = yield* noteOf(proof, log, name, text)
  if (found === null) return null
  const { note } = found
  const fault = faultOf(note, leaves)
  if (found.epoch > epoch) proof.findings.say(name, "history_lost", `of epoch ${found.epoch}, the chain is in ${epoch}`)
  else if (fault === "missing")
    proof.findings.say(name, "statements_missing", `${note.size} were published, ${leaves.count()} are here`)
  else if (fault === "other") proof.findings.say(name, "checkpoint_mismatch", `of the first ${note.size} statements`)
  return { size: note.size, covered: coveredBy(found, fault, epoch) }
})

/**
 * A checkpoint that somebody kept. `accepted`: a restored backup may have lost what it covers, if it says so. Answers up to
 * which entry it vouches, and its size where what it covers is there; null else.
 */
const checkSeen = Effect.fnUntraced(function* (proof: Proof, log: Log, text: string, accepted: boolean) {
  const where = `seen ${log.name}`
  const found = yield* noteOf(proof, log, where, text)
  if (found === null) return { covered: 0, kept: null }
  const { findings } = proof
  const { epoch, leaves, restored } = log
  const { note } = found
  const fault = faultOf(note, leaves)
  if (found.epoch > epoch) findings.say(where, "history_lost", `of epoch ${found.epoch}, the chain is in ${epoch}`)
  else if (fault !== null && found.epoch < epoch) {
    // What a restored backup says itself that it has lost may be accepted; nothing beyond.
    const said = restored.some(
      ({ lost, old }) => old.origin === note.origin && lost !== null && lost.from < note.size && note.size <= lost.to
    )
    if (!said || !accepted)
      findings.say(where, "history_lost", `a backup was restored${said ? "" : ", and does not say that it lost this"}`)
  } else if (fault === "missing")
    findings.say(where, "statements_missing", `${note.size} were seen, ${leaves.count()} are here`)
  else if (fault === "other") findings.say(where, "history_rewritten", `of the first ${note.size} statements`)
  return { covered: coveredBy(found, fault, epoch), kept: fault === null && found.epoch <= epoch ? note.size : null }
})

/** What the signer remembers beside its keys: it has signed more, or something else. Answers up to which entry it signed. */
const checkHeads = ({ findings }: Proof, { epoch, leaves, name, origin }: Log, heads: Heads): number => {
  let covered = 0
  for (const [each, head] of Object.entries(heads)) {
    const of = epochOf(each, origin)
    // What an epoch before had signed is settled by the statement that began the next one.
    if (of === null || of < epoch) continue
    const fault = faultOf(head, leaves)
    if (of > epoch) findings.say(name, "log_behind", `the signer is in epoch ${of}, the chain in ${epoch}`)
    else if (fault === "missing")
      findings.say(name, "log_behind", `the signer has signed ${head.size}, ${leaves.count()} are here`)
    else if (fault === "other")
      findings.say(name, "log_behind", `the first ${head.size} are not those that the signer has signed`)
    if (of === epoch && fault !== "other") covered = head.size
  }
  return covered
}

/**
 * All that a material has of a log: the newest checkpoint, those that were kept, and what the signer remembers. Answers the
 * size of the newest, null without one, that of the largest kept one which is still covered, null without one, and up to which
 * entry somebody is known to have signed.
 */
export const checkLog = Effect.fnUntraced(function* (
  proof: Proof,
  log: Log,
  newest: string | null,
  acceptRestore: boolean
) {
  const { heads, seen } = proof.material
  const ofKeys = log.name === "key checkpoint"
  const note = newest === null ? null : yield* checkNewest(proof, log, newest)
  let covered = note?.covered ?? 0
  let kept: number | null = null
  for (const text of seen) {
    if (isOfKeys(text, proof.trust.origin) !== ofKeys) continue
    const found = yield* checkSeen(proof, log, text, acceptRestore)
    covered = Math.max(covered, found.covered)
    if (found.kept !== null) kept = Math.max(kept ?? 0, found.kept)
  }
  if (heads !== null) covered = Math.max(covered, checkHeads(proof, log, heads))
  return { size: note?.size ?? null, kept, covered }
})
