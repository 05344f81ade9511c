/** Lists of a bucket, a page at a time, and what they say of an object. */
import { ListObjectsV2Command, type S3Client } from "@aws-sdk/client-s3"
import type { ObjectInfo } from "@pawl/core/objects/ObjectStore"
import type { BucketPlace } from "./BucketAddress.ts"

/** Seconds are all that HEAD says; a list says more, and must not say another thing. */
export const infoOf = (key: string, size: number | undefined, at: Date | undefined): ObjectInfo => ({
  key,
  sizeBytes: size ?? 0,
  storedAtMs: Math.floor((at?.getTime() ?? 0) / 1000) * 1000
})

const decoded = (key: string, encoding: string | undefined): string =>
  encoding === "url" ? decodeURIComponent(key.replaceAll("+", " ")) : key

/** Which page: keys that start so, at most so many, after a key or from where another page ended. */
export interface PageAsked {
  readonly prefix: string
  readonly keys: number
  readonly after?: string | undefined
  readonly token?: string | undefined
}

/** What others put below the prefix is listed too. */
export interface Page {
  readonly objects: ReadonlyArray<ObjectInfo>
  readonly next: string | undefined
}

/** One page, with where the next begins; `undefined`: there is none. */
export const pageOf = async (
  client: S3Client,
  { bucket, root }: BucketPlace,
  asked: PageAsked,
  abortSignal: AbortSignal
): Promise<Page> => {
  const answer = await client.send(
    new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: `${root}${asked.prefix}`,
      // Keys may hold what XML cannot say.
      EncodingType: "url",
      MaxKeys: asked.keys,
      ContinuationToken: asked.token,
      StartAfter: asked.after === undefined || asked.after === "" ? undefined : `${root}${asked.after}`
    }),
    { abortSignal }
  )
  const objects = (answer.Contents ?? []).map(({ Key = "", LastModified, Size }) =>
    infoOf(decoded(Key, answer.EncodingType).slice(root.length), Size, LastModified)
  )
  return { objects, next: answer.IsTruncated === true ? answer.NextContinuationToken : undefined }
}
