/** What went wrong with a request to a KMS, in words that hold no credentials and no text of the server's. */
import { S3Limits } from "./S3Limits.ts"
import { networkWords } from "./S3Failures.ts"

/** By AWS's name of the failure. */
const known: Readonly<Record<string, string>> = {
  NotFoundException: "there is no such key in that account and region",
  AccessDeniedException: "these credentials may not use the key (kms:GetPublicKey, kms:Sign)",
  DisabledException: "the key is disabled",
  KMSInvalidStateException: "the key is disabled, or waits for its deletion",
  InvalidKeyUsageException: "the key is none that signs",
  UnsupportedOperationException: "the key is none that signs",
  KeyUnavailableException: "the key cannot be used at this moment",
  ThrottlingException: "it is asked too often at this moment",
  LimitExceededException: "it is asked too often at this moment",
  DependencyTimeoutException: "it gives no answer in time",
  KMSInternalException: "it has a failure of its own",
  UnrecognizedClientException: "the access key is not known there (AWS_ACCESS_KEY_ID)",
  InvalidClientTokenId: "the access key is not known there (AWS_ACCESS_KEY_ID)",
  InvalidSignatureException: "the secret key is not that of the access key (AWS_SECRET_ACCESS_KEY)",
  ExpiredTokenException: "the session token has ended (AWS_SESSION_TOKEN)",
  CredentialsProviderError: "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  TimeoutError: "it gives no answer in time",
  SyntaxError: "what answers there is no KMS"
}

const textOf = (cause: unknown, name: "name" | "code"): string => {
  const value: unknown = typeof cause === "object" && cause !== null ? Reflect.get(cause, name) : undefined
  return typeof value === "string" && /^[A-Za-z0-9_.-]+$/.test(value) ? value.slice(0, S3Limits.kmsReasonChars) : ""
}

/** What went wrong, for people. */
export const kmsWordsOf = (cause: unknown): string => {
  const [name, code] = [textOf(cause, "name"), textOf(cause, "code")]
  if (Object.hasOwn(known, name) && code === "") return known[name]!
  return networkWords(code) ?? known[name] ?? (name === "" ? "a failure without a name" : name)
}
