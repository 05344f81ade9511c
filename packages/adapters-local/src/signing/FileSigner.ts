/**
 * `Signer` with keys in files of the data folder. A file is read each time that it is needed, so that what
 * `pawl key rotate` puts there is in force at once, in each process of the folder.
 */
import { join } from "node:path"
import { type SignatureUse, Signer, SignerUnavailable } from "@pawl/core/provenance/Signer"
import { Effect, Layer } from "effect"
import { Base64 } from "effect/encoding"
import { keyFileNames, type KeyPair, keyPairOf, readKey } from "./KeyFiles.ts"

const away = (use: SignatureUse, what: string) =>
  new SignerUnavailable({ reason: `${keyFileNames[use]} in the data folder ${what}` })

/** The key of one use, looked at anew each time; what is made of a file is kept as long as the file says the same. */
export const keyReader = (data: string, use: SignatureUse): Effect.Effect<KeyPair, SignerUnavailable> => {
  let kept: { readonly text: string; readonly pair: KeyPair } | null = null
  return Effect.suspend(() => {
    let text: string | null
    try {
      text = readKey(join(data, keyFileNames[use]))
    } catch (error) {
      return away(use, `cannot be read (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`)
    }
    if (text === null) return away(use, "is not there")
    if (kept?.text !== text) {
      const pair = keyPairOf(text)
      if (pair === null) return away(use, "holds no private key of P-256 or Ed25519 in PEM")
      kept = { text, pair }
    }
    return Effect.succeed(kept.pair)
  })
}

/** The signer of a data folder. It makes no key: `makeKey` does, for a folder that never had one. */
export const layer = ({ data }: { readonly data: string }): Layer.Layer<Signer> =>
  Layer.sync(Signer, () => {
    const readers = { statement: keyReader(data, "statement"), log: keyReader(data, "log") }
    return {
      keys: Effect.map(Effect.all(readers), ({ log, statement }) => ({ statement: statement.shown, log: log.shown })),
      sign: (use, message) =>
        Effect.map(readers[use], ({ shown, sign }) => ({ keyid: shown.keyid, sig: Base64.encode(sign(message)) }))
    }
  })
