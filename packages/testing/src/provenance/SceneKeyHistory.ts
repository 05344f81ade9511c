/** The key history of a scene: its keys, and the passkeys of its people. */
import { canonicalJson, sha256AtOnce, utf8 } from "@pawl/core/primitives/Digest"
import type { Fact } from "@pawl/core/provenance/Statements"
import { type SceneKey, type ScenePasskey, signatureOf } from "./SceneKeys.ts"
import { approverId, owner, sayKey, sha, time, type Writer } from "./SceneParts.ts"

/** The entry of the key history that introduces a key. */
export const keyFact = (
  key: SceneKey,
  use: "statement" | "log",
  retires: ReadonlyArray<{ keyid: string; revoked?: true; heads: Record<string, number> }> = []
): Fact<"key"> => ({
  kind: "key",
  generation: null,
  subject: [{ name: key.keyid, digest: sha(sha256AtOnce(Buffer.from(key.spki, "base64"))) }],
  facts: {
    keyid: key.keyid,
    spki: key.spki,
    algorithm: key.algorithm,
    use,
    proof: signatureOf(key, utf8(`pawl-key-v1 ${key.keyid}`)),
    ...(retires.length === 0 ? {} : { retires })
  }
})

/** The passkeys of an owner, and of the one whom that one endorses. */
export const sayApprovers = async (
  writer: Writer,
  first: SceneKey,
  people: { owner: ScenePasskey; approver: ScenePasskey }
) => {
  const enrol = async (passkey: ScenePasskey, user: string, isOwner: boolean, by: ScenePasskey | null) => {
    const { credential, rpId, spki } = passkey
    const text = canonicalJson({ domain: "pawl-approver-v1", credential, spki, user, rpId, owner: isOwner })
    const facts = {
      credential,
      spki,
      user,
      rpId,
      ...(isOwner ? { owner: true as const } : {}),
      ...(by === null ? {} : { endorsement: await by.get(text) })
    }
    const subject = [{ name: credential, digest: sha(sha256AtOnce(Buffer.from(spki, "base64"))) }]
    sayKey(writer, { kind: "approver", generation: null, subject, facts }, time(0), first)
  }
  await enrol(people.owner, owner, true, null)
  await enrol(people.approver, approverId, false, people.owner)
}
