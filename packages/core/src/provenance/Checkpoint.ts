/** Checkpoints of a log as signed notes (c2sp.org/tlog-checkpoint, c2sp.org/signed-note), signed with Ed25519. */
import { sha256 } from "@noble/hashes/sha2.js"
import { Base64 } from "effect/encoding"
import { sameBytes, utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { holds, type PublicKey, rawEd25519 } from "./PublicKeys.ts"

/** The origin of a chain's log in an epoch. */
export const originOf = (name: string, chain: string, epoch: number): string =>
  `${name}/log/${chain}${epoch === 1 ? "" : `/${epoch}`}`

/** The text that a checkpoint's signature is of: origin, size and root, a line each. */
export const checkpointText = (origin: string, size: number, root: Uint8Array): string =>
  `${origin}\n${size}\n${Base64.encode(root)}\n`

const ed25519 = 1
const hintBytes = 4
const rootBytes = 32

/** The first bytes of a note's signature: by them a verifier finds the key, of which these are the 32 bytes. */
const hintOf = (origin: string, rawKey: Uint8Array): Uint8Array =>
  sha256(Uint8Array.of(...utf8(`${origin}\n`), ed25519, ...rawKey)).subarray(0, hintBytes)

/** The note: the text, an empty line, and the signature under the origin's name. `rawKey` are the 32 bytes of the key. */
export const signedNote = (text: string, rawKey: Uint8Array, signature: Uint8Array): string => {
  const [origin = ""] = text.split("\n")
  return `${text}\n— ${origin} ${Base64.encode(Uint8Array.of(...hintOf(origin, rawKey), ...signature))}\n`
}

/** What a checkpoint says. */
export interface Checkpoint {
  readonly origin: string
  readonly size: number
  /** Base64. */
  readonly root: string
  /** The text that is signed. */
  readonly text: string
  /** The signatures that are said to be the origin's: the hint, then the signature. */
  readonly signatures: ReadonlyArray<Uint8Array>
}

/** Reads a signed note; null for what is none. */
export const readCheckpoint = (note: string): Checkpoint | null => {
  const end = note.indexOf("\n\n")
  if (note.length > Limits.checkpointBytes || end < 0 || !note.endsWith("\n")) return null
  const text = note.slice(0, end + 1)
  const [origin = "", size = "", root = ""] = text.split("\n")
  if (origin === "" || !/^(0|[1-9][0-9]{0,14})$/.test(size) || base64Bytes(root)?.length !== rootBytes) return null
  const signatures: Array<Uint8Array> = []
  for (const line of note.slice(end + 2, -1).split("\n")) {
    const [dash, name, signature = "", ...more] = line.split(" ")
    if (dash !== "—" || name === "" || more.length > 0) return null
    const bytes = base64Bytes(signature)
    if (bytes === null) return null
    if (name === origin) signatures.push(bytes)
  }
  return { origin, size: Number(size), root, text, signatures }
}

/** Whether one of these Ed25519 keys signed it. */
export const isSigned = async (
  { origin, signatures, text }: Checkpoint,
  keys: ReadonlyArray<Pick<PublicKey, "spki" | "algorithm">>
): Promise<boolean> => {
  for (const key of keys) {
    const raw = rawEd25519(key.spki)
    const hint = raw === null ? null : hintOf(origin, raw)
    for (const signature of signatures)
      if (
        hint !== null &&
        sameBytes(signature.subarray(0, hintBytes), hint) &&
        (await holds(key, utf8(text), signature.slice(hintBytes)))
      )
        return true
  }
  return false
}
