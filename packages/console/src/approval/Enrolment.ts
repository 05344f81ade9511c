/** Enrolling a passkey: the first of an installation as it is, each later one endorsed by an owner's. */
import { api } from "../api/Client.ts"
import { Refusal } from "../api/Refusal.ts"
import type { Answer } from "../api/Wire.ts"
import { made, signed } from "./WebAuthn.ts"

/** For whom, and the ids of theirs that count already. */
export interface Enrolled {
  readonly user: { readonly id: string; readonly name: string }
  readonly known: ReadonlyArray<string>
}

interface Asked {
  readonly challenge: string
  readonly credentials: ReadonlyArray<string>
}

/** What the server wants an owner's passkey to sign, where the caller has one; null in any other refusal. */
const askedBy = (thrown: unknown): Asked | null => {
  if (!(thrown instanceof Refusal) || thrown.code !== "endorsement_required") return null
  const { challenge, credentials } = thrown.facts
  return typeof challenge === "string" && Array.isArray(credentials) && credentials.length > 0
    ? { challenge, credentials: credentials.map(String) }
    : null
}

/** Makes one on this device and enrols it. Throws a `Refusal`. */
export const enrol = async ({ known, user }: Enrolled): Promise<Answer<"approvers", "enrol">> => {
  const payload = await made(user, known)
  return api.approvers.enrol({ payload }).catch(async (thrown: unknown) => {
    const asked = askedBy(thrown)
    if (asked === null) throw thrown
    const rpId = payload.rpId
    const endorsement = await signed(
      asked.challenge,
      asked.credentials.map((credential) => ({ credential, rpId }))
    )
    return api.approvers.enrol({ payload: { ...payload, endorsement } })
  })
}
