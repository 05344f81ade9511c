/**
 * A passkey in a file of its person: for whoever approves what their own clone shows, without a browser. Readable by its
 * owner alone. It has no PIN: whoever has the file and a token of its person signs as that person.
 */
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { type KeyPair, keyPairOf, newKey } from "@pawl/adapters-local/signing/KeyFiles"
import { Effect, Option, Schema } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import { CannotAsk } from "../commands/Remote.ts"

const KeyFile = Schema.fromJsonString(
  Schema.Struct({
    /** The id of the credential, base64url. */
    credential: Schema.String,
    rpId: Schema.String,
    /** The one site that it signs for. */
    origin: Schema.String,
    /** Whose it is. */
    user: Schema.String,
    /** PKCS #8 in PEM: P-256. */
    privateKey: Schema.String
  })
)
const readKeyFile = Schema.decodeUnknownOption(KeyFile)

/** What a key is bound to from its first moment. */
export type Bound = Pick<typeof KeyFile.Type, "rpId" | "origin" | "user">

/** What others may know of a key: what an enrolment names. */
export interface PublicPasskey {
  readonly credential: string
  readonly rpId: string
  /** SPKI in DER, base64. */
  readonly publicKey: string
}

/** A key that was read. */
export interface ApproverKey extends Bound, PublicPasskey {
  readonly sign: KeyPair["sign"]
}

const others = 0o077
const cannot = (reason: string) => new CannotAsk({ reason })

/** Where it lies unless somebody says otherwise: `$XDG_CONFIG_HOME/pawl`, else `~/.config/pawl`. */
export const keyPath = (given: Option.Option<string>): string =>
  Option.getOrElse(given, () => {
    const { XDG_CONFIG_HOME: config = "" } = process.env
    return join(config.startsWith("/") ? config : join(homedir(), ".config"), "pawl", "approver-key")
  })

/** The key of a file; null where there is no such file. Fails where others may read it, or it is no such key. */
export const readApproverKey = Effect.fnUntraced(function* (path: string) {
  const about = statSync(path, { throwIfNoEntry: false })
  if (about === undefined) return null
  if ((about.mode & others) !== 0) return yield* cannot(`${path} can be read by others: chmod 600 ${path}`)
  const text = yield* Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: () => cannot(`${path} cannot be read`)
  })
  const file = Option.getOrNull(readKeyFile(text))
  const pair = file === null ? null : keyPairOf(file.privateKey)
  if (file === null || pair?.shown.algorithm !== "ecdsa-p256-sha256")
    return yield* cannot(`${path} holds no approver's key`)
  const { credential, origin, rpId, user } = file
  return { credential, origin, rpId, user, publicKey: pair.shown.spki, sign: pair.sign } satisfies ApproverKey
})

/** The key of a file that must be there. */
export const demandApproverKey = Effect.fnUntraced(function* (path: string) {
  return (
    (yield* readApproverKey(path)) ?? (yield* cannot(`there is no key at ${path}: pawl approve --enroll makes one`))
  )
})

/** A new key in a new file. Never written over. */
export const makeApproverKey = Effect.fnUntraced(function* (path: string, bound: Bound) {
  const credential = randomBytes(ServerLimits.approverCredentialBytes).toString("base64url")
  const file = { credential, ...bound, privateKey: newKey("ecdsa-p256-sha256") }
  yield* Effect.try({
    try: () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flag: "wx" })
    },
    catch: () => cannot(`${path} cannot be written`)
  })
  return yield* demandApproverKey(path)
})

/**
 * What its person hands to whoever endorses it: one line, nothing of it secret. It is a value of a command: a credential
 * may begin with `-`, as a flag does, and a public key never does.
 */
export const publicLine = ({ credential, publicKey, rpId }: PublicPasskey): string =>
  `${publicKey}.${credential}.${rpId}`

/** What a line says; null for one that says something else. */
export const readPublicLine = (line: string): PublicPasskey | null => {
  const found = /^([A-Za-z0-9+/]+={0,2})\.([A-Za-z0-9_-]+)\.([a-z0-9.-]+)$/.exec(line.trim())
  if (found === null) return null
  const [, publicKey = "", credential = "", rpId = ""] = found
  return { credential, rpId, publicKey }
}
