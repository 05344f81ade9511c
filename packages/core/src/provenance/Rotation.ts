/**
 * A key takes the place of another. First every Project's log is told that only the new one may sign on: from then on
 * nobody stores a signature of the old one, so that how far it has signed is known. Then a statement says so. What is
 * unsigned by then is signed by the new key.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { ChainLog } from "../model/Chain.ts"
import { commandId } from "../model/Command.ts"
import type { SigningKey } from "../model/SigningKey.ts"
import { type Signature, statementKey } from "../model/Statement.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import { utf8 } from "../primitives/Digest.ts"
import type { ProjectId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { extended } from "./Edge.ts"
import { preAuthentication } from "./Envelope.ts"
import {
  allKeys,
  currentKey,
  instanceCommit,
  isIntroduced,
  keyFact,
  keyRow,
  longer,
  type NewKey
} from "./KeyHistory.ts"
import type { KeyFacts } from "./Predicates.ts"
import type { SignerUnavailable } from "./Signer.ts"
import { emptyLog, refuseBehind, SigningRefused } from "./Signing.ts"
import { signing } from "./Statements.ts"
import { rowsMoved, toldBehind, unsignedTail } from "./UnsignedTail.ts"

/** Which key follows. */
export interface Succession {
  readonly next: NewKey
  /** Signs the statement that says so: the key that ends, a recovery key, or for a break that shows the new key itself. */
  readonly sign: (message: Uint8Array) => Effect.Effect<Signature, SignerUnavailable>
  /**
   * Null: the old key keeps what it signed. Of a stolen key: how many entries of each chain somebody else vouches for; what
   * comes after them, and all of a chain that is not named, is signed anew once an audit of it has found nothing.
   */
  readonly stolen: ReadonlyMap<string, number> | null
  /** The old key is lost: what it has left unsigned of the history of keys is told anew behind the new one. */
  readonly lost?: boolean
}

/** What a fence must be made of: how far the old key may have signed. */
const headOf = ({ stolen }: Succession, chain: string, log: ChainLog): number =>
  stolen === null ? log.signed : Math.min(stolen.get(chain) ?? 0, log.signed)

/** The right edge of the first entries of a chain. */
const edgeOf = Effect.fnUntraced(function* (chain: ProjectId, size: number) {
  let edge: ReadonlyArray<string> = []
  for (let entry = 0; entry < size; entry++) {
    const payload = (yield* find("statement", statementKey(chain, entry)))?.record.payload
    if (payload !== undefined) edge = extended(edge, entry, utf8(payload))
  }
  return edge
})

/** Lets only the new key sign a chain from now on; answers how many entries are the old one's. */
const fenced = (succession: Succession, chain: ProjectId, retired: string | null) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { next, stolen } = succession
      const now = yield* Time.now
      const stored = yield* find("chainLog", chain)
      const log = stored?.record ?? emptyLog(chain, now)
      const head = headOf(succession, chain, log)
      if (log.keyid === next.key.keyid) return { answer: head }
      const draft = Draft.begin(chain, system("Rotation.fence"), now)
      const anew =
        head === log.signed
          ? {}
          : {
              signed: head,
              edge: yield* edgeOf(chain, head),
              refused: { code: "audit_pending" as const, since: now }
            }
      const fields = { keyid: next.key.keyid, ...anew }
      if (stored === null) Draft.insert(draft, "chainLog", { ...log, ...fields })
      else Draft.update(draft, "chainLog", stored, { ...fields, updatedAt: now })
      Draft.emit(draft, "key.rotated", chain, {
        keyid: next.key.keyid,
        retired,
        head,
        ...(stolen === null ? {} : { revoked: true as const })
      })
      Draft.send(draft, signing(chain))
      if (head !== log.signed)
        Draft.send(draft, {
          kind: "project.audit",
          id: commandId("project.audit", chain),
          payload: { projectId: chain }
        })
      return { answer: head, commit: Draft.end(draft, { name: "Rotation.fence" }) }
    })
  )

/** Fences every Project's chain that is not yet; answers the heads of those. */
const fence = Effect.fnUntraced(function* (succession: Succession, retired: string | null, heads: Map<string, number>) {
  const page = yield* (yield* Records).list("chain", { limit: "all" })
  const before = heads.size
  for (const { record } of page.items)
    if (record.chain !== "instance" && !heads.has(record.chain))
      heads.set(record.chain, yield* fenced(succession, record.chain, retired))
  return heads.size > before
})

/** A statement has room for so many heads: the rest follows in entries that name the new key once more. */
const parts = (heads: ReadonlyMap<string, number>): ReadonlyArray<Readonly<Record<string, number>>> => {
  const all = [...heads]
  const count = Math.max(1, Math.ceil(all.length / Limits.headsPerStatement))
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(all.slice(at * Limits.headsPerStatement, (at + 1) * Limits.headsPerStatement))
  )
}

const ended = (
  old: Commit.Stored<SigningKey> | null,
  state: "retired" | "revoked",
  entry: number
): ReadonlyArray<Commit.Write> => (old === null ? [] : [Commit.update("signingKey", old, { state, endedAt: entry })])

/**
 * Whether a key may sign what introduces another: the one of statements, one for recovery that is introduced itself, or for
 * a break the new one.
 */
const mayVouch = Effect.fnUntraced(function* (
  keys: ReadonlyArray<Commit.Stored<SigningKey>>,
  { key, use }: NewKey,
  keyid: string
) {
  if (currentKey(keys, "statement")?.record.keyid === keyid || (use === "statement" && key.keyid === keyid)) return true
  const known = keys.find(({ record }) => record.keyid === keyid)?.record
  return known?.use === "recovery" && known.state === "current" && (yield* isIntroduced(known))
})

/** States that the new key follows, and how far the old one went. */
export const state = (succession: Succession, heads: ReadonlyMap<string, number>) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { lost = false, next, sign, stolen } = succession
      const now = yield* Time.now
      // Read before the keys: whoever changes those moves it, and this is decided anew.
      const chain = yield* find("chain", "instance")
      const keys = yield* allKeys
      // Whoever went on with the same rotation was faster.
      if (keys.some(({ record }) => record.keyid === next.key.keyid)) return { answer: undefined }
      const old = currentKey(keys, next.use)
      const retires = parts(heads).map((part): NonNullable<KeyFacts["retires"]> =>
        old === null ? [] : [{ keyid: old.record.keyid, ...(stolen === null ? {} : { revoked: true }), heads: part }]
      )
      const facts = retires.map((each) => keyFact(next, each))
      const tail = lost && chain !== null ? yield* unsignedTail(chain.record) : null
      const introduced = longer(tail?.signed ?? chain?.record ?? null, facts, now)
      const made = tail === null ? introduced : toldBehind(introduced, tail, now)
      const [first] = made.statements
      const entry = first?.entry ?? 0
      const signatures = new Map<number, Signature>()
      if (first !== undefined) {
        const signature = yield* sign(preAuthentication(utf8(first.payload)))
        // Another rotation has ended the key meanwhile.
        if (!(yield* mayVouch(keys, next, signature.keyid))) return yield* new SigningRefused({ code: "key_unknown" })
        signatures.set(entry, signature)
      }
      const rows = [
        Commit.insert("signingKey", keyRow(next, entry, now)),
        ...ended(old, stolen === null ? "retired" : "revoked", entry),
        ...(tail === null ? [] : yield* rowsMoved(tail, facts.length))
      ]
      const commit = instanceCommit("Rotation.rotate", chain, made, rows, { signatures, replaced: tail?.entries ?? [] })
      return { answer: undefined, commit }
    })
  )

/** Puts a key of statements in the place of the one before. Done again after a death, it goes on where it was. */
export const rotate = Effect.fn("Rotation.rotate")(function* (succession: Succession) {
  const { keyid } = succession.next.key
  const keys = yield* allKeys
  if (keys.some(({ record }) => record.keyid === keyid)) return
  const retired = currentKey(keys, succession.next.use)?.record.keyid ?? null
  yield* refuseBehind("instance", currentKey(keys, "log")?.record.name ?? "localhost")
  const heads = new Map<string, number>()
  // A Project that was made meanwhile is fenced too.
  while (yield* fence(succession, retired, heads)) yield* Effect.yieldNow
  yield* state(succession, heads)
})
