/** The options of what signs statements. */
import { isAbsolute } from "node:path"
import type { KeyAlgorithm } from "@pawl/core/model/SigningKey"

/** What `signingKeyType` takes. */
export const keyTypes = ["p256", "ed25519"] as const

/** The algorithm of a key file that is made. */
export const algorithmOf = (type: (typeof keyTypes)[number]): KeyAlgorithm =>
  type === "ed25519" ? "ed25519" : "ecdsa-p256-sha256"

/** Where the key is that signs statements. */
export type SignerChoice = { readonly _tag: "File" } | { readonly _tag: "Command"; readonly path: string }

/** The choice that the option `signer` makes, or what is wrong with it, in words. */
export const signerOf = (text: string): SignerChoice | string => {
  if (text === "file") return { _tag: "File" }
  const [, kind, rest = ""] = /^(command|kms):(.*)$/.exec(text) ?? []
  if (kind === "command" && isAbsolute(rest)) return { _tag: "Command", path: rest }
  if (kind === "command") return "signer (PAWL_SIGNER): name the command by its absolute path, command:/path/to/it"
  if (kind === "kms")
    return "signer (PAWL_SIGNER): kms is not there yet; sign by a command (command:/path/to/it) that asks the KMS"
  return "signer (PAWL_SIGNER): use file, or command:/path/to/it"
}
