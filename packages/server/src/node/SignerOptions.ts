/** The options of what signs statements. */
import { isAbsolute } from "node:path"
import { endpointOf } from "@pawl/adapters-s3/BucketAddress"
import { kmsKeyOf, type KmsOptions } from "@pawl/adapters-s3/KmsKey"
import type { KeyAlgorithm } from "@pawl/core/model/SigningKey"
import { Option, Result } from "effect"
import { credentialsOf, type Environment } from "./ObjectOptions.ts"

/** What `signingKeyType` takes. */
export const keyTypes = ["p256", "ed25519"] as const

/** The algorithm of a key file that is made. */
export const algorithmOf = (type: (typeof keyTypes)[number]): KeyAlgorithm =>
  type === "ed25519" ? "ed25519" : "ecdsa-p256-sha256"

/** Where the key is that signs statements. */
export type SignerChoice =
  | { readonly _tag: "File" }
  | { readonly _tag: "Command"; readonly path: string }
  | ({ readonly _tag: "Kms" } & KmsOptions)

const kmsOf = (text: string, endpoint: string | null, environment: Environment): SignerChoice | string => {
  const [key, credentials] = [kmsKeyOf(text), credentialsOf(environment)]
  if (typeof key === "string") return `signer (PAWL_SIGNER): ${key}`
  return typeof credentials === "string" ? credentials : { _tag: "Kms", ...key, endpoint, credentials }
}

/** Where a KMS is that is not AWS's, null for AWS's; or what is wrong with it, in words. */
export const kmsEndpointOf = (given: Option.Option<string>): Result.Result<string | null, string> => {
  if (Option.isNone(given)) return Result.succeed(null)
  const found = endpointOf(given.value)
  return typeof found === "string"
    ? Result.fail(`kmsEndpoint (PAWL_KMS_ENDPOINT): ${found}`)
    : Result.succeed(found.url)
}

/** The choice that the option `signer` makes, or what is wrong with it, in words. Credentials are the environment's. */
export const signerOf = (
  text: string,
  kmsEndpoint: string | null,
  environment: Environment = process.env
): SignerChoice | string => {
  if (text === "file") return { _tag: "File" }
  const [, kind, rest = ""] = /^(command|kms):(.*)$/.exec(text) ?? []
  if (kind === "command" && isAbsolute(rest)) return { _tag: "Command", path: rest }
  if (kind === "command") return "signer (PAWL_SIGNER): name the command by its absolute path, command:/path/to/it"
  if (kind === "kms") return kmsOf(rest, kmsEndpoint, environment)
  return "signer (PAWL_SIGNER): use file, command:/path/to/it, or kms:<ARN of a key>"
}
