/** What went wrong with a request, in words that hold no key, no secret and no text of the server's. */
import { S3Limits } from "./S3Limits.ts"
import { type BucketPlace, placeText } from "./BucketAddress.ts"

/** What is looked at of a failure of the client. */
interface Seen {
  /** S3's code (`NoSuchKey`), or the name of an error. */
  readonly name: string
  /** Of HTTP; `undefined` where no answer came. */
  readonly status: number | undefined
  /** Of the network (`ECONNREFUSED`). */
  readonly code: string | undefined
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined

const seen = (cause: unknown): Seen => {
  const [name, code, status] = [field(cause, "name"), field(cause, "code"), statusOf(cause)]
  return {
    name: typeof name === "string" ? name : "",
    code: typeof code === "string" ? code : undefined,
    status
  }
}

/** The status of HTTP that a request was answered with; `undefined` where no answer came. */
export const statusOf = (cause: unknown): number | undefined => {
  const status = field(field(cause, "$metadata"), "httpStatusCode")
  return typeof status === "number" ? status : undefined
}

/** There is no object of this key, said by a server that has the bucket. */
export const isMissingKey = (cause: unknown): boolean => seen(cause).name === "NoSuchKey"

/** A condition did not hold, or another request was in the way. */
export const isRefused = (cause: unknown): boolean => [409, 412].includes(statusOf(cause) ?? 0)

/** The range begins behind the end of the object. */
export const isBehindEnd = (cause: unknown): boolean => statusOf(cause) === 416

/** That these credentials may not do something at a place. */
export const forbiddenWords = (place: BucketPlace): string => `these credentials may not do that at ${placeText(place)}`

/** Failures that last until a person mends something, by S3's code. */
const mended: Readonly<Record<string, (place: BucketPlace) => string>> = {
  NoSuchBucket: ({ bucket }) => `there is no bucket ${bucket}`,
  InvalidAccessKeyId: () => "the access key is not known there (AWS_ACCESS_KEY_ID)",
  SignatureDoesNotMatch: () => "the secret key is not that of the access key (AWS_SECRET_ACCESS_KEY)",
  InvalidToken: () => "the session token is not valid (AWS_SESSION_TOKEN)",
  ExpiredToken: () => "the session token has ended (AWS_SESSION_TOKEN)",
  CredentialsProviderError: () => "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  AccessDenied: forbiddenWords,
  PermanentRedirect: ({ bucket }) =>
    `the bucket ${bucket} is at another endpoint or in another region (PAWL_S3_REGION)`,
  AuthorizationHeaderMalformed: () => "the region is not the bucket's (PAWL_S3_REGION)",
  IllegalLocationConstraintException: () => "the region is not the bucket's (PAWL_S3_REGION)",
  RequestTimeTooSkewed: () => "the clock of this machine is wrong by minutes",
  NotImplemented: () => "the server does not know this request: what Pawl needs of S3 is missing there"
}

/** Codes of other servers and older forms of the same answers. */
const alike: Readonly<Record<string, string>> = {
  InvalidSecurity: "AccessDenied",
  Forbidden: "AccessDenied",
  AllAccessDisabled: "AccessDenied",
  RequestExpired: "RequestTimeTooSkewed",
  TemporaryRedirect: "PermanentRedirect",
  TokenRefreshRequired: "ExpiredToken"
}

const noTls = "what listens at the endpoint speaks no TLS that this machine knows: is it http://?"
const noHttp = "what listens at the endpoint speaks no HTTP"

const network: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens at the endpoint",
  ENOTFOUND: "the endpoint's name is not known",
  EAI_AGAIN: "the endpoint's name cannot be looked up now",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "no answer in time",
  EHOSTUNREACH: "the endpoint cannot be reached",
  ENETUNREACH: "the endpoint cannot be reached",
  EPROTO: noTls,
  HPE_INVALID_CONSTANT: noHttp,
  HPE_INVALID_VERSION: noHttp,
  CERT_HAS_EXPIRED: "the endpoint's certificate has ended",
  CERT_NOT_YET_VALID: "the endpoint's certificate is not valid yet: is the clock of this machine right?",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the endpoint's certificate is not trusted (NODE_EXTRA_CA_CERTS)",
  SELF_SIGNED_CERT_IN_CHAIN: "the endpoint's certificate is not trusted (NODE_EXTRA_CA_CERTS)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the endpoint's certificate is not trusted (NODE_EXTRA_CA_CERTS)",
  ERR_TLS_CERT_ALTNAME_INVALID: "the endpoint's certificate names another host (PAWL_S3_PATH_STYLE)"
}

/** What a code of the network means, of any endpoint of AWS's; undefined for none. */
export const networkWords = (code: string): string | undefined => network[code]

const codeOf = ({ name, status }: Seen): string => {
  const known = alike[name] ?? name
  if (mended[known] !== undefined) return known
  // Answers to HEAD have no body that could say more.
  if (status === 403) return "AccessDenied"
  return status === 301 || status === 307 ? "PermanentRedirect" : known
}

/** These credentials may not do that. Of an object that is missing S3 says the same to who may not list the bucket. */
export const isForbidden = (cause: unknown): boolean => codeOf(seen(cause)) === "AccessDenied"

/** It stays until a person mends something: credentials, the bucket, an option. Else it may be gone in a moment. */
export const isForPeople = (cause: unknown): boolean => {
  const what = seen(cause)
  return Object.hasOwn(mended, codeOf(what)) || (what.code?.includes("CERT") ?? false)
}

/** What went wrong, for people. */
export const wordsOf = (cause: unknown, place: BucketPlace): string => {
  const what = seen(cause)
  const code = codeOf(what)
  if (Object.hasOwn(mended, code)) return mended[code]!(place)
  // The client calls a cut connection a time-out too.
  if (what.code !== undefined) return network[what.code] ?? what.code.slice(0, S3Limits.bucketReasonChars)
  if (what.name === "TimeoutError") return "no answer in time"
  if (what.name === "SyntaxError") return "what answers at the endpoint is no S3"
  // What the client calls an answer that names no error, as a server of something else gives.
  if (what.name === "Error" && what.status !== undefined)
    return `an answer without words of S3's (status ${what.status}): is there a server of S3 at the endpoint?`
  const told = /^[A-Za-z0-9_.-]+$/.test(what.name) ? what.name : "a failure without a name"
  return `${told}${what.status === undefined ? "" : ` (status ${what.status})`}`.slice(0, S3Limits.bucketReasonChars)
}

/** An answer that S3 does not give. */
export class WrongAnswer extends Error {
  override readonly name: string
  constructor(code: string) {
    super(code)
    this.name = code
  }
}
