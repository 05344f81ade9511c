/** `Signer` with keys that a script is given as secrets: P-256 for statements, Ed25519 for the log, as PKCS #8 in base64. */
import { base64Bytes } from "@pawl/core/primitives/StrictBase64"
import { derOf, type PublicKey, publicKeyOf } from "@pawl/core/provenance/PublicKeys"
import { type SignatureUse, Signer, SignerUnavailable } from "@pawl/core/provenance/Signer"
import { Effect, Layer } from "effect"
import { Base64 } from "effect/encoding"

/** The secrets; what is missing signs nothing. */
export interface SecretKeys {
  readonly statement?: string | undefined
  readonly log?: string | undefined
}

interface SecretKey {
  readonly shown: PublicKey
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

interface Form {
  readonly algorithm: { readonly name: string; readonly namedCurve?: string }
  readonly params: { readonly name: string; readonly hash?: string }
  /** The signature as envelopes hold it. */
  readonly form: (raw: Uint8Array) => Uint8Array
}

const forms: Readonly<Record<SignatureUse, Form>> = {
  statement: {
    algorithm: { name: "ECDSA", namedCurve: "P-256" },
    params: { name: "ECDSA", hash: "SHA-256" },
    form: derOf
  },
  log: { algorithm: { name: "Ed25519" }, params: { name: "Ed25519" }, form: (raw) => raw }
}

/** What a secret holds is in no error. */
const opened = async (secret: string, { algorithm, form, params }: Form): Promise<SecretKey> => {
  const bytes = base64Bytes(secret)
  if (bytes === null) throw new Error("no base64")
  const key = await crypto.subtle.importKey("pkcs8", bytes.slice().buffer, algorithm, true, ["sign"])
  const { d: _, key_ops: __, ...open } = await crypto.subtle.exportKey("jwk", key)
  const publicKey = await crypto.subtle.importKey("jwk", open, algorithm, true, ["verify"])
  const shown = publicKeyOf(new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)))
  if (shown === null) throw new Error("a key of another kind")
  return {
    shown,
    sign: async (message) => form(new Uint8Array(await crypto.subtle.sign(params, key, message.slice().buffer)))
  }
}

const reader = (use: SignatureUse, secret: string | undefined): Effect.Effect<SecretKey, SignerUnavailable> => {
  let known: Promise<SecretKey> | null = null
  return secret === undefined
    ? Effect.fail(new SignerUnavailable({ reason: `there is no secret with the key for ${use}` }))
    : Effect.tryPromise({
        try: () => (known ??= opened(secret, forms[use])),
        catch: () => new SignerUnavailable({ reason: `the secret with the key for ${use} is no key of its kind` })
      })
}

/** Signs with the secrets of this script. */
export const layer = (secrets: SecretKeys): Layer.Layer<Signer> => {
  const keys = { statement: reader("statement", secrets.statement), log: reader("log", secrets.log) }
  return Layer.succeed(Signer, {
    keys: Effect.map(Effect.all(keys), ({ log, statement }) => ({ statement: statement.shown, log: log.shown })),
    sign: (use, message) =>
      Effect.flatMap(keys[use], ({ shown, sign }) =>
        Effect.map(
          Effect.tryPromise({
            try: () => sign(message),
            catch: () => new SignerUnavailable({ reason: `Web Crypto did not sign for ${use}` })
          }),
          (signature) => ({ keyid: shown.keyid, sig: Base64.encode(signature) })
        )
      )
  })
}
