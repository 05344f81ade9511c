/**
 * A database that was put back is behind its log: the signer has signed more, or something else. A new epoch says so, and
 * what is lost, and begins a log of its own. Else a restored backup would look like an attack.
 */
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { system } from "../model/Actor.ts"
import type { Chain } from "../model/Chain.ts"
import type { ChainId } from "../model/Statement.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import type { RestoredParticulars } from "../model/Particulars.ts"
import * as Time from "../primitives/Time.ts"
import { originOf } from "./Checkpoint.ts"
import { rootOf } from "./Edge.ts"
import { sha, sourceSubject } from "./Facts.ts"
import { allKeys, currentKey, instanceCommit, longer } from "./KeyHistory.ts"
import type { RestoredFacts } from "./Predicates.ts"
import { SignedHeads } from "./SignedHeads.ts"
import { agrees, emptyLog, isKept } from "./Signing.ts"
import { append, type Fact } from "./Statements.ts"

/** A chain that went on in a new epoch. */
export interface Begun {
  readonly chain: ChainId
  readonly epoch: number
  /** How many entries there were that are not here any more. */
  readonly lost: number
}

/** That the database was put back, and what is lost. */
export const restoredFact = ({
  commit,
  generation,
  lostFrom,
  old,
  projectId,
  tree
}: Omit<RestoredParticulars, "entry" | "kind">): Fact<"restored"> => ({
  kind: "restored",
  generation,
  subject: [sourceSubject({ projectId, generation, commit, tree })],
  facts: { generation, old, lost: lostFrom === null ? null : { from: lostFrom, to: old.size } }
})

/** What an epoch says of the one before. */
type Before = Pick<RestoredParticulars, "old" | "lostFrom">

/** The commit of a Project's next epoch; null for one that has nothing yet. */
const ofProject = Effect.fnUntraced(function* (stored: Commit.Stored<Chain>, before: Before, now: Time.Timestamp) {
  const { chain, epoch, size } = stored.record
  const head = yield* find("head", chain)
  if (head === null) return null
  const draft = Draft.begin(chain, system("Epochs.begin"), now)
  Draft.update(draft, "chain", stored, { epoch: epoch + 1 })
  const { commit, generation, projectId, tree } = head.record
  const about = { projectId, generation, commit, tree, ...before }
  append(draft, stored, restoredFact(about))
  Draft.insert(draft, "particulars", { ...about, kind: "restored", entry: size })
  return Draft.end(draft, { name: "Epochs.begin" })
})

/** The same of the instance's chain. */
const ofInstance = (stored: Commit.Stored<Chain>, { lostFrom, old }: Before, now: Time.Timestamp): Commit.Commit => {
  const { chain, digest, epoch } = stored.record
  const lost: RestoredFacts["lost"] = lostFrom === null ? null : { from: lostFrom, to: old.size }
  const fact: Fact<"restored"> = {
    kind: "restored",
    generation: null,
    subject: [{ name: chain, digest: sha(digest ?? "") }],
    facts: { generation: null, old, lost }
  }
  return instanceCommit("Epochs.begin", stored, longer({ ...stored.record, epoch: epoch + 1 }, [fact], now), [])
}

/**
 * Begins the next epoch of a chain, where its log is ahead of it, or, of a copy, where anything was signed; null where it
 * is not. `first` is the epoch that it was in.
 */
const begin = (chain: ChainId, name: string, first: number, when: "ahead" | "signed" = "ahead") =>
  decideAndCommit(
    Effect.gen(function* () {
      const now = yield* Time.now
      const stored = yield* find("chain", chain)
      if (stored === null) return { answer: null }
      const log = (yield* find("chainLog", chain))?.record ?? emptyLog(chain, now)
      const { epoch: old, size } = stored.record
      const place = { name, epoch: old }
      const origin = originOf(name, chain, old)
      const known = yield* (yield* SignedHeads).get(origin)
      const begins = when === "signed" ? (known?.size ?? log.signed) > 0 : !(yield* agrees(chain, place, log, size))
      if (!begins) return { answer: null }
      const signed = known ?? { size: log.signed, root: Base64.encode(rootOf(log.edge)) }
      // Of an epoch that the database knows nothing of any more, nobody can say where it went on differently.
      const lostAfter = old === first && log.signed < signed.size ? log.signed : 0
      const lostFrom = (yield* isKept(chain, place, log, size)) ? null : lostAfter
      const before = { old: { origin, size: signed.size, root: signed.root }, lostFrom }
      const commit = chain === "instance" ? ofInstance(stored, before, now) : yield* ofProject(stored, before, now)
      if (commit === null) return { answer: null }
      const lost = lostFrom === null ? 0 : signed.size - lostFrom
      const answer: Begun = { chain, epoch: old + 1, lost }
      return { answer, commit }
    })
  )

const beginning = Effect.fnUntraced(function* (isCopy: boolean) {
  const name = currentKey(yield* allKeys, "log")?.record.name ?? "localhost"
  const page = yield* (yield* Records).list("chain", { limit: "all" })
  const begun: Array<Begun> = []
  for (const { record } of page.items) {
    const before = begun.length
    let next = yield* begin(record.chain, name, record.epoch)
    while (next !== null) {
      begun.push(next)
      next = yield* begin(record.chain, name, record.epoch)
    }
    const more = isCopy && begun.length === before ? yield* begin(record.chain, name, record.epoch, "signed") : null
    if (more !== null) begun.push(more)
  }
  return begun
})

/**
 * Begins the next epoch of every chain whose log is ahead of it; answers those. One that was put back to before an epoch
 * began goes through each that the signer knows, and then begins its own.
 */
export const beginEpochs = beginning(false).pipe(Effect.withSpan("Epochs.begin"))

/**
 * The same in a copy that was put somewhere, of every chain of which anything was signed: what its source signed since then
 * nobody knows here.
 */
export const beginEpochsOfCopy = beginning(true).pipe(Effect.withSpan("Epochs.begin"))
