/** `Signer` with keys that are made with the layer and die with it: P-256 for statements, Ed25519 for the log. */
import { derOf, type PublicKey, publicKeyOf } from "@pawl/core/provenance/PublicKeys"
import { type SignatureUse, Signer } from "@pawl/core/provenance/Signer"
import { Effect, Layer } from "effect"
import { Base64 } from "effect/encoding"

/** Of Web Crypto no more than is used here. */
interface PrivateKey {
  readonly type: string
}
declare const crypto: {
  readonly subtle: {
    generateKey(
      algorithm: object,
      extractable: boolean,
      usages: ReadonlyArray<"sign" | "verify">
    ): Promise<{ readonly privateKey: PrivateKey; readonly publicKey: PrivateKey }>
    exportKey(format: "spki", key: PrivateKey): Promise<ArrayBuffer>
    sign(algorithm: object, key: PrivateKey, data: Uint8Array): Promise<ArrayBuffer>
  }
}

interface MemoryKey {
  readonly shown: PublicKey
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

const made = async (algorithm: object, params: object, form: (raw: Uint8Array) => Uint8Array): Promise<MemoryKey> => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const shown = publicKeyOf(new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)))
  if (shown === null) throw new Error("Web Crypto made a key of another kind")
  return {
    shown,
    sign: async (message) => form(new Uint8Array(await crypto.subtle.sign(params, privateKey, message)))
  }
}

const ed25519 = { name: "Ed25519" }

const keys = Effect.promise(async () => ({
  statement: await made({ name: "ECDSA", namedCurve: "P-256" }, { name: "ECDSA", hash: "SHA-256" }, derOf),
  log: await made(ed25519, ed25519, (raw) => raw)
}))

/** New keys for each layer that is built. It is never away. */
export const layerMemory: Layer.Layer<Signer> = Layer.effect(
  Signer,
  Effect.map(keys, (own): Signer["Service"] => ({
    keys: Effect.succeed({ statement: own.statement.shown, log: own.log.shown }),
    sign: (use: SignatureUse, message: Uint8Array) =>
      Effect.map(
        Effect.promise(() => own[use].sign(message)),
        (signature) => ({ keyid: own[use].shown.keyid, sig: Base64.encode(signature) })
      )
  }))
)
