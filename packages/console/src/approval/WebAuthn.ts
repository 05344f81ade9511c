/** Passkeys of this browser: made, and asked to sign. What they say is judged by the server alone. */
import { Refusal } from "../api/Refusal.ts"
import { base64, base64Url, bytesOf } from "./Base64Url.ts"

/** What a passkey answers, as the API takes it. */
export interface Assertion {
  readonly credential: string
  readonly authenticatorData: string
  readonly clientDataJSON: string
  readonly signature: string
}

/** A passkey as it is enrolled. */
export interface NewPasskey {
  readonly credential: string
  readonly publicKey: string
  readonly rpId: string
}

/** ES256: ECDSA with P-256 and SHA-256. The server takes no other. */
const es256 = -7

const refusal = (code: string, title: string, detail: string): Refusal =>
  new Refusal({ status: 0, code, title, detail, requestId: null, facts: {} })

/** Whether a page of this host may use passkeys of a relying party. */
const isHere = (rpId: string): boolean => location.hostname === rpId || location.hostname.endsWith(`.${rpId}`)

const asked = async (run: () => Promise<Credential | null>): Promise<PublicKeyCredential> => {
  if (!("PublicKeyCredential" in globalThis))
    throw refusal(
      "no_passkeys",
      "This browser has no passkeys",
      "Open this page by https, or on localhost, in a browser that has them."
    )
  try {
    const answer = await run()
    if (answer instanceof PublicKeyCredential) return answer
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "InvalidStateError")
      throw refusal(
        "passkey_known",
        "It is enrolled already",
        "This device holds a passkey of yours for this site. Use another device."
      )
    if (!(thrown instanceof DOMException)) throw thrown
  }
  throw refusal(
    "passkey_silent",
    "No passkey answered",
    "It was cancelled, took too long, or none of yours is here. Nothing was sent; try again."
  )
}

/** Has one of these passkeys sign a challenge (base64url). Throws a `Refusal`. */
export const signed = async (
  challenge: string,
  credentials: ReadonlyArray<{ readonly credential: string; readonly rpId: string }>
): Promise<Assertion> => {
  const usable = credentials.filter(({ rpId }) => isHere(rpId))
  const [first] = usable
  if (first === undefined)
    throw refusal(
      "no_passkey",
      "You have no passkey here",
      credentials.length === 0
        ? "Enrol one in your settings. A new one counts once its statement is signed."
        : `Yours are of ${credentials[0]?.rpId}. Open the console there.`
    )
  const { rawId, response } = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: bytesOf(challenge),
        rpId: first.rpId,
        allowCredentials: usable
          .filter(({ rpId }) => rpId === first.rpId)
          .map(({ credential }) => ({ type: "public-key", id: bytesOf(credential) })),
        userVerification: "required"
      }
    })
  )
  if (!(response instanceof AuthenticatorAssertionResponse)) throw new Error("A passkey answered something else")
  return {
    credential: base64Url(rawId),
    authenticatorData: base64Url(response.authenticatorData),
    clientDataJSON: base64Url(response.clientDataJSON),
    signature: base64Url(response.signature)
  }
}

/** Makes a passkey for this host. Nothing is enrolled yet. Throws a `Refusal`. */
export const made = async (
  user: { readonly id: string; readonly name: string },
  known: ReadonlyArray<string>
): Promise<NewPasskey> => {
  const rpId = location.hostname
  const { rawId, response } = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        // The server takes no attestation, so that nothing is proved by it here.
        challenge: crypto.getRandomValues(new Uint8Array(32)),
        rp: { id: rpId, name: "Pawl" },
        user: { id: new TextEncoder().encode(user.id), name: user.name, displayName: user.name },
        pubKeyCredParams: [{ type: "public-key", alg: es256 }],
        excludeCredentials: known.map((credential) => ({ type: "public-key", id: bytesOf(credential) })),
        authenticatorSelection: { userVerification: "required", residentKey: "preferred" },
        attestation: "none"
      }
    })
  )
  const key = response instanceof AuthenticatorAttestationResponse ? response.getPublicKey() : null
  if (key === null) throw refusal("no_key", "It is no passkey that counts here", "It must sign with ES256 (P-256).")
  return { credential: base64Url(rawId), publicKey: base64(key), rpId }
}
