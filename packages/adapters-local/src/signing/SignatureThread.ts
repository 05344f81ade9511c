/** A thread that verifies signatures, batch by batch. It loads nothing but Node's own. */
import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { parentPort } from "node:worker_threads"
import type { SignatureBatch, SignatureVerdicts } from "./SignatureThreads.ts"

const keys = new Map<string, KeyObject>()

const keyOf = (spki: string): KeyObject => {
  const known = keys.get(spki)
  if (known !== undefined) return known
  const key = createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" })
  keys.set(spki, key)
  return key
}

parentPort?.on("message", ({ bytes, id, signers, sizes }: SignatureBatch) => {
  const good = new Uint8Array(sizes.length / 3)
  let at = 0
  for (let one = 0; one < good.length; one++) {
    const [signer = 0, message = 0, signature = 0] = sizes.subarray(3 * one, 3 * one + 3)
    const { digest, spki } = signers[signer]!
    const [signed, end] = [at + message, at + message + signature]
    if (verify(digest, bytes.subarray(at, signed), keyOf(spki), bytes.subarray(signed, end))) good[one] = 1
    at = end
  }
  parentPort?.postMessage({ id, good } satisfies SignatureVerdicts)
})
