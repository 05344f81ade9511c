/** Which keys sign: the first are introduced by themselves, each later one by the one before. */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { allKeys, currentKey, instanceCommit, keyFact, keyRow, longer, type NewKey } from "./KeyHistory.ts"
import { proofMessage } from "./PublicKeys.ts"
import { Signer } from "./Signer.ts"

/** The keys of the signer, as they are introduced. */
const own = Effect.gen(function* () {
  const { apiOrigin = "" } = yield* Settings
  const host = /^https?:\/\/([^/:]+|\[[^\]]*\])/.exec(apiOrigin)?.[1] ?? "localhost"
  const signer = yield* Signer
  const { log, statement } = yield* signer.keys
  const keys: ReadonlyArray<NewKey> = [
    { key: statement, use: "statement", proof: (yield* signer.sign("statement", proofMessage(statement.keyid))).sig },
    { key: log, use: "log", name: host, proof: (yield* signer.sign("log", proofMessage(log.keyid))).sig }
  ]
  return keys
})

/** Introduces keys that no other key has to vouch for. Nothing is done where there are some already. */
const first = (keys: ReadonlyArray<NewKey>) =>
  decideAndCommit(
    Effect.gen(function* () {
      // Read before the keys: whoever changes those moves it, and this is decided anew.
      const chain = yield* find("chain", "instance")
      if ((yield* allKeys).length > 0) return { answer: undefined }
      const now = yield* Time.now
      const made = longer(
        chain?.record ?? null,
        keys.map((each) => keyFact(each)),
        now
      )
      const rows = keys.map((each, at) =>
        Commit.insert("signingKey", keyRow(each, made.statements[at]?.entry ?? at, now))
      )
      return { answer: undefined, commit: instanceCommit("Keys.introduce", chain, made, rows) }
    })
  )

/** Introduces the signer's keys where none was introduced before. */
export const introduce = Effect.gen(function* () {
  if ((yield* allKeys).length === 0) yield* first(yield* own)
}).pipe(Effect.withSpan("Keys.introduce"))

/** What the signer may do now. */
export interface Usable {
  /** The key of statements, when it is the newest of the history; null when it is another instance's. */
  readonly statement: string | null
  /** The same of the log's key; with its public key, and what origins begin with. */
  readonly log: { readonly keyid: string; readonly spki: string } | null
  readonly name: string
}

/** Compares the keys of the signer with the history, which begins with them where there is none. */
export const usable = Effect.gen(function* () {
  yield* introduce
  const { log, statement } = yield* (yield* Signer).keys
  const known = yield* allKeys
  const [newest, newestLog] = [currentKey(known, "statement"), currentKey(known, "log")]
  return {
    statement: newest?.record.keyid === statement.keyid ? statement.keyid : null,
    log: newestLog?.record.keyid === log.keyid ? log : null,
    name: newestLog?.record.name ?? "localhost"
  } satisfies Usable
})

/** Introduces one more key, which the key of statements vouches for. Done already, it does nothing. */
export const introduceAlso = (key: NewKey) =>
  decideAndCommit(
    Effect.gen(function* () {
      if ((yield* find("signingKey", key.key.keyid)) !== null) return { answer: undefined }
      const now = yield* Time.now
      const chain = yield* find("chain", "instance")
      const made = longer(chain?.record ?? null, [keyFact(key)], now)
      const row = Commit.insert("signingKey", keyRow(key, made.statements[0]?.entry ?? 0, now))
      return { answer: undefined, commit: instanceCommit("Keys.introduceAlso", chain, made, [row]) }
    })
  ).pipe(Effect.withSpan("Keys.introduceAlso"))
