/** A key in a KMS, by its ARN: who signs with it, and where that is asked. */
import type { S3Credentials } from "./BucketAddress.ts"

/** A key of one region. */
export interface KmsKey {
  readonly arn: string
  readonly region: string
}

/** A key, how its KMS is reached, and who asks. */
export interface KmsOptions extends KmsKey {
  /** `http://host:port` or `https://host`; null: the one of AWS in that region. */
  readonly endpoint: string | null
  /** Null: what the client finds by itself (a profile, a role of the machine or of the container). */
  readonly credentials: S3Credentials | null
}

const form = /^arn:aws[a-z-]*:kms:([a-z0-9-]{1,64}):\d{12}:key\/[A-Za-z0-9-]{1,128}$/

/** The key that a text names, or what is wrong with it, in words. An alias may lead elsewhere tomorrow: it is none. */
export const kmsKeyOf = (text: string): KmsKey | string => {
  const [arn, region] = form.exec(text) ?? []
  return arn === undefined || region === undefined
    ? "name the key by its ARN, kms:arn:aws:kms:<region>:<account>:key/<id>"
    : { arn, region }
}
