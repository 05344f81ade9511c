/**
 * Statements are appended to a chain in the very commit that does what they tell. They are a pure function of the
 * records, so that an audit makes each of them anew and compares it byte for byte.
 */
import type { Chain } from "../model/Chain.ts"
import { type ChainId, type Statement, type StatementKind } from "../model/Statement.ts"
import type { Stored } from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import { canonicalJson, sha256AtOnce, utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type * as Time from "../primitives/Time.ts"
import {
  type FactsOf,
  type InTotoStatement,
  type Place,
  predicateType,
  statementType,
  type Subject
} from "./Predicates.ts"
import { extended } from "./Edge.ts"

/** What a statement is about, without its place. */
export interface Fact<K extends StatementKind = StatementKind> {
  readonly kind: K
  /** The generation that it is about; null for none. */
  readonly generation: number | null
  readonly subject: ReadonlyArray<Subject>
  readonly facts: FactsOf[K]
}

/** A chain without statements. */
export const emptyChain = (chain: ChainId, now: Time.Timestamp): Chain => ({
  chain,
  epoch: 1,
  size: 0,
  digest: null,
  edge: [],
  at: now
})

/** The payload of a fact at its place: canonical JSON (RFC 8785). */
const payloadOf = <K extends StatementKind>(fact: Fact<K>, place: Place): string => {
  const statement: InTotoStatement<K> = {
    _type: statementType,
    subject: fact.subject,
    predicateType: predicateType(fact.kind),
    predicate: { ...place, ...fact.facts }
  }
  return canonicalJson(statement)
}

/** The place that a payload names. A text that is none is a defect. */
export const placeIn = (payload: string): Place => {
  const { at, entry, epoch, previous, project } = (JSON.parse(payload) as InTotoStatement).predicate
  return { at, entry, epoch, previous, project }
}

/** Whether a statement says this fact, and nothing else, at its place. */
export const tells = ({ payload }: Pick<Statement, "payload">, fact: Fact): boolean =>
  payloadOf(fact, placeIn(payload)) === payload

/** The next statement of a chain, and the chain with it. Of two instants the later counts: no entry is before the one before it. */
export const following = (
  chain: Chain,
  fact: Fact,
  now: Time.Timestamp
): { readonly statement: Statement; readonly chain: Chain } => {
  const at = now < chain.at ? chain.at : now
  const previous = chain.digest === null ? null : { sha256: chain.digest }
  const place = { project: chain.chain, epoch: chain.epoch, entry: chain.size, previous, at }
  const payload = payloadOf(fact, place)
  const bytes = utf8(payload)
  if (bytes.length > Limits.statementBytes)
    throw new Error(`statement ${chain.size} of ${chain.chain} has ${bytes.length} bytes`)
  const digest = sha256AtOnce(bytes)
  return {
    statement: {
      chain: chain.chain,
      entry: chain.size,
      kind: fact.kind,
      generation: fact.generation,
      payload,
      digest,
      signature: null,
      ...(fact.kind === "release" ? { edge: chain.edge } : {}),
      at
    },
    chain: { ...chain, size: chain.size + 1, digest, edge: extended(chain.edge, chain.size, bytes), at }
  }
}

/** The command that signs what a chain has unsigned. There is one for each chain. */
export const signing = (chain: ChainId): NewCommand => ({
  kind: "statement.sign",
  id: commandId("statement.sign", chain),
  payload: { chain }
})

/** Adds statements to a draft of the chain's Project, in order, and the command that signs them. */
export const append = (
  draft: Draft.Draft,
  chain: Stored<Chain>,
  ...facts: ReadonlyArray<Fact>
): ReadonlyArray<Statement> => {
  const made: Array<Statement> = []
  let next = Draft.newest(draft, "chain", chain).record
  for (const fact of facts) {
    const { chain: longer, statement } = following(next, fact, draft.now)
    made.push(statement)
    Draft.insert(draft, "statement", statement)
    next = longer
  }
  if (made.length === 0) return made
  Draft.update(draft, "chain", chain, next)
  Draft.send(draft, signing(chain.record.chain))
  return made
}
