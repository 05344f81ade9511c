/** What a passkey in a file answers (Web Authentication, "authenticatorGetAssertion"), as a browser would hand it on. */
import { createHash } from "node:crypto"
import type { Assertion } from "@pawl/core/model/Approver"
import { challengeOf } from "@pawl/core/provenance/ApprovalText"
import type { ApproverKey } from "./ApproverKey.ts"

/** The person was there (UP) and was verified (UV): by having the file, and by saying yes. */
const presentAndVerified = 0x05
/** Such a key counts nothing. */
const counter = Buffer.alloc(4)

const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest()

/** The answer to a text, whose SHA-256 is the challenge. It signs for its own site alone. */
export const assertionOf = ({ credential, origin, rpId, sign }: ApproverKey, text: string): Assertion => {
  const challenge = Buffer.from(challengeOf(text)).toString("base64url")
  const client = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }))
  const authenticator = Buffer.concat([sha256(rpId), Buffer.of(presentAndVerified), counter])
  const signature = sign(Buffer.concat([authenticator, sha256(client)]))
  return {
    credential,
    authenticatorData: authenticator.toString("base64url"),
    clientDataJSON: client.toString("base64url"),
    signature: Buffer.from(signature).toString("base64url")
  }
}
