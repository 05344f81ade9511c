/** The signature of a message as Standard Webhooks 1.0 writes it, by the runtime's own HMAC: https://www.standardwebhooks.com. */
import { utf8 } from "@pawl/core/primitives/Digest"
import { Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"

const prefix = "whsec_"

/** What is signed. `sentAtSeconds` are seconds since 1970, whole ones. */
export interface Signed {
  readonly id: string
  readonly sentAtSeconds: number
  readonly body: string
}

/** `v1,` and base64. Rejects for a secret whose text is no base64. */
export const signatureOf = async (secret: Redacted.Redacted, { body, id, sentAtSeconds }: Signed): Promise<string> => {
  const text = Redacted.value(secret)
  const bytes = Result.getOrThrow(Base64.decode(text.startsWith(prefix) ? text.slice(prefix.length) : text))
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", Uint8Array.from(bytes), algorithm, false, ["sign"])
  const signature = await crypto.subtle.sign("HMAC", key, Uint8Array.from(utf8(`${id}.${sentAtSeconds}.${body}`)))
  return `v1,${Base64.encode(new Uint8Array(signature))}`
}
