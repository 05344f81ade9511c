/** The instance's chain: which keys sign, and which did. Each change of it is a statement of that chain. */
import { sha256 } from "@noble/hashes/sha2.js"
import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { system } from "../model/Actor.ts"
import type { Chain } from "../model/Chain.ts"
import type { KeyUse, SigningKey } from "../model/SigningKey.ts"
import { type Signature, type Statement, statementKey } from "../model/Statement.ts"
import * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import type * as Time from "../primitives/Time.ts"
import type { KeyFacts } from "./Predicates.ts"
import type { PublicKey } from "./PublicKeys.ts"
import { emptyChain, type Fact, following, signing } from "./Statements.ts"

/** A key that is to be introduced, with its signature of `proofMessage`, base64. */
export interface NewKey {
  readonly key: PublicKey
  readonly use: KeyUse
  readonly proof: string
  /** Of a key of the log. */
  readonly name?: string
  /** Of a key of the log: the signature of `handoverMessage` by the one before. */
  readonly handover?: Signature
}

/** What a statement says of a new key. */
export const keyFact = (
  { handover, key, name, proof, use }: NewKey,
  retires: NonNullable<KeyFacts["retires"]> = []
): Fact<"key"> => ({
  kind: "key",
  generation: null,
  subject: [{ name: key.keyid, digest: { sha256: Hex.encode(sha256(base64Bytes(key.spki) ?? new Uint8Array(0))) } }],
  facts: {
    keyid: key.keyid,
    spki: key.spki,
    algorithm: key.algorithm,
    use,
    ...(name === undefined ? {} : { name }),
    proof,
    ...(handover === undefined ? {} : { handover }),
    ...(retires.length === 0 ? {} : { retires })
  }
})

/** The row of a new key, introduced by an entry. */
export const keyRow = ({ key, name, use }: NewKey, entry: number, now: Time.Timestamp): SigningKey => ({
  ...key,
  use,
  ...(name === undefined ? {} : { name }),
  state: "current",
  introducedAt: entry,
  endedAt: null,
  createdAt: now
})

/** Whether the entry that introduces a key is signed. Until then nobody who verifies knows the key. */
export const isIntroduced = (row: SigningKey) =>
  Effect.map(
    find("statement", statementKey("instance", row.introducedAt)),
    (stored) => stored !== null && stored.record.signature !== null
  )

/** The instance's chain with more statements. A signature in the place of a fact's null is stored with it. */
export interface Longer {
  readonly chain: Chain
  readonly statements: ReadonlyArray<Statement>
}

/** Adds facts to the instance's chain. */
export const longer = (chain: Chain | null, facts: ReadonlyArray<Fact>, now: Time.Timestamp): Longer => {
  let next = chain ?? emptyChain("instance", now)
  const statements: Array<Statement> = []
  for (const fact of facts) {
    const made = following(next, fact, now)
    statements.push(made.statement)
    next = made.chain
  }
  return { chain: next, statements }
}

/** What is there already of statements that are added: signatures by entry, and unsigned entries whose places they take. */
interface There {
  readonly signatures?: ReadonlyMap<number, Signature>
  readonly replaced?: ReadonlyArray<Commit.Stored<Statement>>
}

/** The commit of more statements of the instance's chain, with what else they make so. What is unsigned is signed right after. */
export const instanceCommit = (
  name: string,
  stored: Commit.Stored<Chain> | null,
  { chain, statements }: Longer,
  writes: ReadonlyArray<Commit.Write>,
  { replaced = [], signatures }: There = {}
): Commit.Commit => ({
  name,
  projectId: null,
  actor: system(name),
  writes: [
    stored === null ? Commit.insert("chain", chain) : Commit.update("chain", stored, chain),
    ...statements.map((each) => {
      const statement = { ...each, signature: signatures?.get(each.entry) ?? null }
      const before = replaced.find(({ record }) => record.entry === each.entry)
      return before === undefined
        ? Commit.insert("statement", statement)
        : Commit.update("statement", before, statement)
    }),
    ...writes
  ],
  commands: [signing("instance")]
})

/** All keys that there ever were, in their order. */
export const allKeys = Effect.gen(function* () {
  const page = yield* (yield* Records).list("signingKey", { limit: "all" })
  return page.items
})

/** The key that signs for a use now; null before the first. */
export const currentKey = (
  keys: ReadonlyArray<Commit.Stored<SigningKey>>,
  use: KeyUse
): Commit.Stored<SigningKey> | null =>
  keys.findLast(({ record }) => record.use === use && record.state === "current") ?? null
