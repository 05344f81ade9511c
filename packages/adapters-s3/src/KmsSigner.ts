/**
 * `Signer` by a key that never leaves a KMS: AWS's, or a server that speaks its protocol. The key is one of
 * ECC_NIST_P256 that signs; it is asked for the signature of a SHA-256, which is verified before anybody gets it. The
 * log is signed by Ed25519 with another key, which the caller brings.
 */
import { createHash } from "node:crypto"
import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms"
import { recent } from "@pawl/core/primitives/Recent"
import { type PublicKey, publicKeyOf, verifies } from "@pawl/core/provenance/PublicKeys"
import { Signer, SignerUnavailable } from "@pawl/core/provenance/Signer"
import { sparing } from "@pawl/core/provenance/SparedSigner"
import type { Signature } from "@pawl/core/model/Statement"
import { Effect, Layer, Redacted, Semaphore } from "effect"
import { Base64 } from "effect/encoding"
import { kmsWordsOf } from "./KmsFailures.ts"
import type { KmsOptions } from "./KmsKey.ts"
import { S3Limits } from "./S3Limits.ts"

/** What signs the log beside it. */
export interface LogSigner {
  readonly key: Effect.Effect<PublicKey, SignerUnavailable>
  readonly sign: (message: Uint8Array) => Effect.Effect<Signature, SignerUnavailable>
}

const algorithm = "ECDSA_SHA_256"

const away = (what: string) => new SignerUnavailable({ reason: `the KMS of PAWL_SIGNER: ${what}` })

const clientOf = ({ credentials, endpoint, region }: KmsOptions) =>
  new KMSClient({
    region,
    ...(endpoint === null ? {} : { endpoint }),
    ignoreConfiguredEndpointUrls: true,
    ...(credentials === null
      ? {}
      : {
          credentials: {
            accessKeyId: credentials.accessKeyId,
            secretAccessKey: Redacted.value(credentials.secretAccessKey),
            ...(credentials.sessionToken === null ? {} : { sessionToken: Redacted.value(credentials.sessionToken) })
          }
        }),
    retryMode: "standard",
    maxAttempts: S3Limits.kmsTries,
    requestHandler: {
      connectionTimeout: S3Limits.kmsConnectMs,
      requestTimeout: S3Limits.kmsAnswerMs,
      // Else it is only logged, and waited for.
      throwOnRequestTimeout: true,
      socketTimeout: S3Limits.kmsAnswerMs
    }
  })

/** One question, in its turn, and ended when it takes too long. */
const asking = () => {
  const turns = Semaphore.makeUnsafe(S3Limits.kmsRequestsAtOnce)
  return <A>(ask: (abortSignal: AbortSignal) => Promise<A>) =>
    Effect.tryPromise({ try: ask, catch: (cause) => away(kmsWordsOf(cause)) }).pipe(
      Effect.timeoutOrElse({
        duration: S3Limits.kmsRequestMs,
        orElse: () => Effect.fail(away("it gives no answer in time"))
      }),
      turns.withPermits(1)
    )
}

const make = Effect.fnUntraced(function* (options: KmsOptions, log: LogSigner) {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => clientOf(options)),
    (made) => Effect.sync(() => made.destroy())
  )
  const ask = asking()
  const spared = sparing(S3Limits.kmsSpareMs)
  const looked = Effect.gen(function* () {
    const command = new GetPublicKeyCommand({ KeyId: options.arn })
    const answer = yield* ask((abortSignal) => client.send(command, { abortSignal }))
    const signs = answer.KeyUsage === "SIGN_VERIFY" && answer.SigningAlgorithms?.includes(algorithm) === true
    const key = answer.PublicKey === undefined ? null : publicKeyOf(answer.PublicKey)
    if (!signs || key?.algorithm !== "ecdsa-p256-sha256")
      return yield* away(`the key does not sign by ${algorithm} with P-256: make one of ECC_NIST_P256, SIGN_VERIFY`)
    return key
  })
  // The key of an ARN is the same for ever: it is asked again to see whether it can still be used.
  const statement = yield* recent(looked, S3Limits.kmsKeyAgeMs)

  const sign = Effect.fnUntraced(function* (message: Uint8Array) {
    const key = yield* statement
    const command = new SignCommand({
      KeyId: options.arn,
      Message: createHash("sha256").update(message).digest(),
      MessageType: "DIGEST",
      SigningAlgorithm: algorithm
    })
    const { Signature: sig } = yield* ask((abortSignal) => client.send(command, { abortSignal }))
    if (sig === undefined || !(yield* verifies(key, message, sig)))
      return yield* away("it answered a signature that is not its public key's")
    return { keyid: key.keyid, sig: Base64.encode(sig) }
  })
  return Signer.of({
    keys: Effect.all({ statement: spared(statement), log: log.key }),
    sign: (use, message) => (use === "log" ? log.sign(message) : spared(sign(message)))
  })
})

/** The signer of a key in a KMS. Nothing is asked of it yet. */
export const layer = (options: KmsOptions, log: LogSigner): Layer.Layer<Signer> =>
  Layer.effect(Signer, make(options, log))
