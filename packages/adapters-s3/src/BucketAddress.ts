/** Where objects are: `s3://bucket/prefix`, and how the servers of a bucket are reached. */
import { keyProblem } from "@pawl/core/objects/ObjectStore"
import { utf8Length } from "@pawl/core/primitives/CodePoints"
import type { Redacted } from "effect"
import { S3Limits } from "./S3Limits.ts"

/** A place in a bucket. */
export interface BucketPlace {
  readonly bucket: string
  /** What all keys begin with: empty, or a prefix with its slash. */
  readonly root: string
}

/** Who asks. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  /** Of credentials for a while. */
  readonly sessionToken: Redacted.Redacted | null
}

/** A bucket, how it is reached, and who asks. */
export interface S3Options extends BucketPlace {
  /** `http://host:port` or `https://host`; null: the one of AWS in that region. */
  readonly endpoint: string | null
  readonly region: string
  /** The bucket stands in the path (`host/bucket/key`), not in the host (`bucket.host/key`). */
  readonly pathStyle: boolean
  /** Null: what the client finds by itself (a profile, a role of the machine or of the container). */
  readonly credentials: S3Credentials | null
}

// Letters, digits, dots and hyphens; each label begins and ends with a letter or a digit.
const bucketName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

const bucketProblem = (bucket: string): string | undefined => {
  const [least, most] = [S3Limits.bucketNameFewest, S3Limits.bucketNameMost]
  if (bucket.length < least || bucket.length > most || !bucketName.test(bucket))
    return `the name of a bucket has ${least} to ${most} lowercase letters, digits, dots and hyphens`
  return undefined
}

/** The place that a text names, or what is wrong with it, in words. */
export const placeOf = (text: string): BucketPlace | string => {
  const [, bucket = "", rest = ""] = /^s3:\/\/([^/]*)(?:\/(.*))?$/s.exec(text) ?? []
  if (bucket === "") return "use s3://bucket or s3://bucket/prefix"
  const problem = bucketProblem(bucket)
  if (problem !== undefined) return problem
  const prefix = rest.replace(/\/$/, "")
  if (prefix === "") return { bucket, root: "" }
  const reason = keyProblem(prefix)
  if (reason !== undefined) return `its prefix cannot be used: ${reason}`
  if (utf8Length(prefix) > S3Limits.bucketPrefixBytes)
    return `its prefix is longer than ${S3Limits.bucketPrefixBytes} bytes`
  return { bucket, root: `${prefix}/` }
}

/** The place as people write it. */
export const placeText = ({ bucket, root }: BucketPlace): string => `s3://${bucket}/${root}`

/** An endpoint as it is kept, or what is wrong with it, in words. What was given is not repeated: it may hold a secret. */
export const endpointOf = (text: string): { readonly url: string } | string => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return "use http://host:port or https://host"
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "" || url.pathname !== "/")
    return "use a URL without a user name, a path and a query: http://host:port or https://host"
  return { url: url.origin }
}
