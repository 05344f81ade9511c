import { generateKeyPairSync, sign as signBytes } from "node:crypto"
import { kmsKeyOf } from "@pawl/adapters-s3/KmsKey"
import * as KmsSigner from "@pawl/adapters-s3/KmsSigner"
import { S3Limits } from "@pawl/adapters-s3/S3Limits"
import { publicKeyOf } from "@pawl/core/provenance/PublicKeys"
import { Signer, type SignerUnavailable } from "@pawl/core/provenance/Signer"
import { signerContract } from "@pawl/testing/contracts/provenance/SignerContract"
import * as LittleKms from "@pawl/testing/kms/LittleKms"
import { Effect, Fiber, Redacted } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { ownAddress } from "../../adapters-local/test/OwnAddress.ts"

const kms = await LittleKms.start()
afterAll(() => kms.stop())

const log: KmsSigner.LogSigner = (() => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const key = publicKeyOf(publicKey.export({ type: "spki", format: "der" }))!
  return {
    key: Effect.succeed(key),
    sign: (message) =>
      Effect.sync(() => ({ keyid: key.keyid, sig: Base64.encode(signBytes(null, message, privateKey)) }))
  }
})()

const layerOf = (arn: string, more: { readonly accessKeyId?: string; readonly endpoint?: string } = {}) => {
  const key = kmsKeyOf(arn)
  if (typeof key === "string") throw new Error(key)
  const { accessKeyId = kms.accessKeyId, endpoint = kms.endpoint } = more
  const secretAccessKey = Redacted.make(kms.secretAccessKey)
  return KmsSigner.layer({ ...key, endpoint, credentials: { accessKeyId, secretAccessKey, sessionToken: null } }, log)
}

signerContract("KMS", { layer: layerOf(kms.makeKey()), statement: "ecdsa-p256-sha256" })

const message = new Uint8Array(3)
const signing = Effect.flatMap(Signer, (signer) => signer.sign("statement", message))
const reasonOf = <A>(asked: Effect.Effect<A, SignerUnavailable, Signer>, layer: ReturnType<typeof layerOf>) =>
  Effect.runPromise(
    Effect.provide(
      Effect.map(Effect.flip(asked), ({ reason }) => reason),
      layer
    )
  )

describe("A key in a KMS", () => {
  beforeEach(() => void kms.calls.splice(0))

  it.each([
    ["AccessDeniedException", "these credentials may not use the key (kms:GetPublicKey, kms:Sign)"],
    ["DisabledException", "the key is disabled"],
    ["KMSInvalidStateException", "the key is disabled, or waits for its deletion"],
    ["ExpiredTokenException", "the session token has ended (AWS_SESSION_TOKEN)"],
    ["SomethingNewException", "SomethingNewException"]
  ])("is away when it is refused, in words without the server's: %s", async (fail, words) => {
    const layer = layerOf(kms.makeKey())
    kms.faults.GetPublicKey.push({ fail })
    expect(await reasonOf(signing, layer)).toBe(`the KMS of PAWL_SIGNER: ${words}`)
    kms.faults.Sign.push({ fail })
    expect(await reasonOf(signing, layer)).toBe(`the KMS of PAWL_SIGNER: ${words}`)
  })

  it("is away when it is not there, when the caller is not known, and when nobody listens", async () => {
    const unknown = "arn:aws:kms:eu-test-1:000000000000:key/none"
    expect(await reasonOf(signing, layerOf(unknown))).toContain("there is no such key in that account and region")
    const stranger = layerOf(kms.makeKey(), { accessKeyId: "stranger" })
    expect(await reasonOf(signing, stranger)).toContain("the access key is not known there (AWS_ACCESS_KEY_ID)")
    const { host, port } = ownAddress()
    const away = layerOf(kms.makeKey(), { endpoint: `http://${host}:${port}` })
    expect(await reasonOf(signing, away)).toBe("the KMS of PAWL_SIGNER: nobody listens at the endpoint")
  })

  it("is away when it is of another kind, and when it answers what is no signature of its own", async () => {
    const other = layerOf(kms.makeKey("ECC_NIST_P384"))
    expect(await reasonOf(signing, other)).toContain("the key does not sign by ECDSA_SHA_256 with P-256")
    const layer = layerOf(kms.makeKey())
    kms.faults.Sign.push({ answer: { Signature: "aGVsbG8=" } })
    expect(await reasonOf(signing, layer)).toContain("it answered a signature that is not its public key's")
    kms.faults.Sign.push({ answer: {} })
    expect(await reasonOf(signing, layer)).toContain("it answered a signature that is not its public key's")
    kms.faults.Sign.push({ answer: "<html>" })
    expect(await reasonOf(signing, layer)).toContain("what answers there is no KMS")
  })

  it("is asked again when it is asked too often, or cut off, and no more than its bound", async () => {
    const layer = layerOf(kms.makeKey())
    kms.faults.Sign.push({ fail: "ThrottlingException" }, "cut")
    const { sig } = await Effect.runPromise(Effect.provide(signing, layer))
    expect(sig).not.toBe("")
    expect(kms.calls).toEqual(["GetPublicKey", "Sign", "Sign", "Sign"])
    kms.calls.splice(0)
    kms.faults.Sign.push("cut", "cut", "cut", "cut")
    expect(await reasonOf(signing, layer)).toBe("the KMS of PAWL_SIGNER: the connection was cut")
    expect(kms.calls).toEqual(["GetPublicKey", ...Array.from({ length: S3Limits.kmsTries }, () => "Sign")])
    kms.faults.Sign.splice(0)
  })

  it("is given up when it is silent, left alone for a while, and asked again then", () =>
    Effect.gen(function* () {
      kms.faults.GetPublicKey.push("silent")
      const asked = yield* Effect.forkChild(Effect.flip(signing))
      while (kms.calls.length === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(S3Limits.kmsRequestMs)
      const { reason } = yield* Fiber.join(asked)
      expect(reason).toBe("the KMS of PAWL_SIGNER: it gives no answer in time")
      expect((yield* Effect.flip(signing)).reason).toBe(reason)
      expect(kms.calls).toEqual(["GetPublicKey"])
      yield* TestClock.adjust(S3Limits.kmsSpareMs)
      yield* signing
      expect(kms.calls).toEqual(["GetPublicKey", "GetPublicKey", "Sign"])
    }).pipe(Effect.provide(layerOf(kms.makeKey())), Effect.provide(TestClock.layer()), Effect.runPromise))

  it("is asked for its public key once in a while, however often that is wanted, and learns that it may not be used", () =>
    Effect.gen(function* () {
      const { keys } = yield* Signer
      for (let n = 0; n < 5; n++) yield* keys
      yield* signing
      expect(kms.calls).toEqual(["GetPublicKey", "Sign"])
      yield* TestClock.adjust(S3Limits.kmsKeyAgeMs)
      kms.faults.GetPublicKey.push({ fail: "DisabledException" })
      expect((yield* Effect.flip(keys)).reason).toContain("the key is disabled")
    }).pipe(Effect.provide(layerOf(kms.makeKey())), Effect.provide(TestClock.layer()), Effect.runPromise))
})

describe("The name of a key in a KMS", () => {
  it("is its ARN, in any of AWS's partitions", () => {
    for (const partition of ["aws", "aws-cn", "aws-us-gov"]) {
      const arn = `arn:${partition}:kms:eu-central-1:123456789012:key/mrk-0123456789abcdef`
      expect(kmsKeyOf(arn)).toEqual({ arn, region: "eu-central-1" })
    }
  })

  it.each([
    "",
    "1234abcd-12ab-34cd-56ef-1234567890ab",
    "alias/pawl",
    "arn:aws:kms:eu-central-1:123456789012:alias/pawl",
    "arn:aws:kms::123456789012:key/1",
    "arn:aws:s3:eu-central-1:123456789012:key/1",
    "arn:aws:kms:eu-central-1:123456789012:key/1?x"
  ])("is nothing else: %s", (text) => {
    expect(kmsKeyOf(text)).toBe("name the key by its ARN, kms:arn:aws:kms:<region>:<account>:key/<id>")
  })
})
