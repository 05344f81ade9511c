/**
 * What a lost key has left unsigned of the history of keys. Nobody may sign it before the key that follows is introduced, so
 * it is told anew behind that: the same facts, in the same order, at later places. Nothing that was signed moves.
 */
import { Effect } from "effect"
import type { Chain } from "../model/Chain.ts"
import { type Statement, statementKey } from "../model/Statement.ts"
import * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type * as Time from "../primitives/Time.ts"
import { allKeys, type Longer, longer } from "./KeyHistory.ts"
import type { InTotoStatement } from "./Predicates.ts"
import { emptyChain, type Fact, placeIn } from "./Statements.ts"

/** The chain as far as it was signed, and the entries after that. */
export interface Tail {
  readonly signed: Chain
  readonly entries: ReadonlyArray<Commit.Stored<Statement>>
}

/** The entries of the instance's chain that nobody has signed; none where all are. */
export const unsignedTail = Effect.fnUntraced(function* (chain: Chain) {
  const log = (yield* find("chainLog", "instance"))?.record
  const [from, edge] = [log?.signed ?? 0, log?.edge ?? []]
  const entries: Array<Commit.Stored<Statement>> = []
  for (let entry = from; entry < chain.size; entry++) {
    const stored = yield* find("statement", statementKey("instance", entry))
    // An entry that a key has signed itself stays where it is, and all before it.
    if (stored === null || stored.record.signature !== null) return { signed: chain, entries: [] } satisfies Tail
    entries.push(stored)
  }
  const [first] = entries
  if (first === undefined) return { signed: chain, entries: [] } satisfies Tail
  const before = from === 0 ? null : ((yield* find("statement", statementKey("instance", from - 1)))?.record ?? null)
  const { epoch } = placeIn(first.record.payload)
  const signed: Chain = {
    ...emptyChain("instance", before?.at ?? chain.at),
    epoch: first.record.kind === "restored" ? epoch - 1 : epoch,
    size: from,
    digest: before?.digest ?? null,
    edge
  }
  return { signed, entries } satisfies Tail
})

const factOf = ({ generation, kind, payload }: Statement): Fact => {
  const { predicate, subject } = JSON.parse(payload) as InTotoStatement
  const { at: _at, entry: _entry, epoch: _epoch, previous: _previous, project: _project, ...facts } = predicate
  return { kind, generation, subject, facts } as Fact
}

/** Tells the entries of a tail anew behind a chain, each in the epoch that it begins or is of. */
export const toldBehind = (made: Longer, { entries }: Tail, now: Time.Timestamp): Longer => {
  let [chain, statements] = [made.chain, made.statements]
  for (const { record } of entries) {
    const epoch = chain.epoch + (record.kind === "restored" ? 1 : 0)
    const next = longer({ ...chain, epoch }, [factOf(record)], now)
    chain = next.chain
    statements = [...statements, ...next.statements]
  }
  return { chain, statements }
}

/** The writes of rows that name places behind a tail's beginning: those entries are `by` later now. */
export const rowsMoved = Effect.fnUntraced(function* ({ entries, signed }: Tail, by: number) {
  if (entries.length === 0) return []
  const moved = (entry: number): number => (entry < signed.size ? entry : entry + by)
  const orNull = (entry: number | null): number | null => (entry === null ? null : moved(entry))
  const approvers = (yield* (yield* Records).list("approver", { limit: "all" })).items
  return [
    ...approvers.map((each) => {
      const { enrolledAt, removedAt } = each.record
      return Commit.update("approver", each, { enrolledAt: moved(enrolledAt), removedAt: orNull(removedAt) })
    }),
    ...(yield* allKeys)
      .filter(({ record }) => record.introducedAt >= signed.size)
      .map((each) => Commit.update("signingKey", each, { introducedAt: moved(each.record.introducedAt) }))
  ]
})
