/** What the offline verifier says of a chain of these tests, and keys that sign at once. */
import { generateKeyPairSync, sign } from "node:crypto"
import { Effect, Stream } from "effect"
import { find } from "@pawl/core/ledger/Decision"
import type { ProjectId } from "@pawl/core/primitives/Ids"
import type { Material, Trust } from "@pawl/core/proof/Material"
import { verify } from "@pawl/core/proof/Proofs"
import type { NewKey } from "@pawl/core/provenance/KeyHistory"
import { handoverMessage, proofMessage, type PublicKey, publicKeyOf } from "@pawl/core/provenance/PublicKeys"
import { envelopesFrom, keyEnvelopes } from "@pawl/core/provenance/StatedHistory"
import { chain, type Service } from "./SigningWorld.ts"

/** A key pair: its signatures are there at once, as a file's are. */
export interface Pair {
  readonly shown: PublicKey
  readonly sign: (message: Uint8Array) => { readonly keyid: string; readonly sig: string }
}

/** A new key of a use. */
export const newPair = (use: "statement" | "log"): Pair => {
  const { privateKey, publicKey } =
    use === "log" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: "P-256" })
  const shown = publicKeyOf(publicKey.export({ type: "spki", format: "der" }))
  if (shown === null) throw new Error("no key")
  const digest = use === "log" ? null : "sha256"
  return {
    shown,
    sign: (message) => ({ keyid: shown.keyid, sig: sign(digest, message, privateKey).toString("base64") })
  }
}

/** A signer of these keys. */
export const signerOf = (statement: Pair, log: Pair): Service => ({
  keys: Effect.succeed({ statement: statement.shown, log: log.shown }),
  sign: (use, message) => Effect.sync(() => (use === "log" ? log : statement).sign(message))
})

/** A key as it is introduced. `before` is the log's key that hands over to it. */
export const asNext = (pair: Pair, use: "statement" | "log", before?: Service) =>
  Effect.gen(function* () {
    const { keyid } = pair.shown
    const own = { key: pair.shown, use, proof: pair.sign(proofMessage(keyid)).sig }
    if (use === "statement") return own satisfies NewKey
    const handover = before === undefined ? {} : { handover: yield* before.sign("log", handoverMessage(keyid)) }
    return { ...own, name: "localhost", ...handover } satisfies NewKey
  })

/** Whom to believe beside the first key, and what else is there. */
export interface Looking extends Partial<Pick<Material, "checkpoint" | "keysCheckpoint" | "seen" | "heads">> {
  readonly project?: ProjectId
  readonly logKey?: string
  readonly keys?: Trust["keys"]
  /** So many of the newest entries of the key history are gone. */
  readonly cut?: number
}

/** What the offline verifier finds in a chain as it is stored: the code and where, of each. */
export const findings = ({ cut = 0, keys, logKey, project = chain, seen = [], ...given }: Looking = {}) =>
  Effect.gen(function* () {
    const history = yield* keyEnvelopes
    const lines = (all: ReadonlyArray<object>) => Stream.succeed(all.map((each) => JSON.stringify(each)))
    const noteOf = (of: ProjectId | "instance") =>
      Effect.map(find("chainLog", of), (log) => log?.record.checkpoint ?? null)
    const material: Material = {
      statements: lines(yield* envelopesFrom(project, 0)),
      keys: lines(history.slice(0, history.length - cut)),
      record: null,
      object: null,
      checkpoint: yield* noteOf(project),
      keysCheckpoint: yield* noteOf("instance"),
      live: [],
      source: null,
      heads: null,
      ...given,
      seen
    }
    const first = history[0]?.signatures[0]?.keyid ?? ""
    const trust: Trust = {
      keys: keys ?? [first],
      project,
      origin: `localhost/log/${project}`,
      logKey: logKey ?? null,
      origins: []
    }
    const verdict = yield* verify(material, trust)
    return verdict.findings.map(({ code, where }) => `${code} at ${where}`)
  })
