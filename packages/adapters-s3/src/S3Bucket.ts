/** The plain requests to one place in a bucket: promises that reject with the client's own errors. */
import { randomUUID } from "node:crypto"
import type { Readable } from "node:stream"
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { keyProblem, type ObjectInfo } from "@pawl/core/objects/ObjectStore"
import type { BucketPlace } from "./BucketAddress.ts"
import { type ByteRange, watched } from "./BucketBody.ts"
import { infoOf, type PageAsked, pageOf } from "./BucketPages.ts"
import { isBehindEnd, isRefused, statusOf, WrongAnswer } from "./S3Failures.ts"
import { S3Limits } from "./S3Limits.ts"

const MiB = 1024 ** 2

/** Whose object it is: only who created it knows this. */
const markName = "pawl-create"

// What XML cannot say: a list of keys to delete is XML.
const unwritable = /[\ufffe\uffff]/

/** All requests take the signal that ends them. Keys are those of the port: what they begin with in the bucket is put before them here. */
export class S3Bucket {
  readonly place: BucketPlace
  readonly #client: S3Client
  readonly #streaming: S3Client
  readonly #waits: { readonly answerMs: number; readonly silenceMs: number }

  /** `streaming` bears the silence of a connection whose bytes nobody takes. */
  constructor(
    { client, streaming }: { readonly client: S3Client; readonly streaming: S3Client },
    place: BucketPlace,
    waits: { readonly answerMs: number; readonly silenceMs: number }
  ) {
    this.#client = client
    this.#streaming = streaming
    this.place = place
    this.#waits = waits
  }

  #at(key: string) {
    return { Bucket: this.place.bucket, Key: `${this.place.root}${key}` }
  }

  #page(asked: PageAsked, signal: AbortSignal) {
    return pageOf(this.#client, this.place, asked, signal)
  }

  #sent(body: Uint8Array, abortSignal: AbortSignal) {
    return {
      abortSignal,
      requestTimeout: this.#waits.answerMs + Math.ceil((body.length / MiB) * S3Limits.bucketSendMs)
    }
  }

  async put(key: string, body: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: body }), this.#sent(body, signal))
  }

  /**
   * A refusal may be the answer to a try of our own whose answer was lost: by the client, which tries again by itself, or
   * by a proxy on the way. The mark tells.
   */
  async create(key: string, body: Uint8Array, signal: AbortSignal): Promise<boolean> {
    const mark = randomUUID()
    const asked = { ...this.#at(key), Body: body, IfNoneMatch: "*", Metadata: { [markName]: mark } }
    for (let round = 1; ; round++) {
      try {
        await this.#client.send(new PutObjectCommand(asked), this.#sent(body, signal))
        return true
      } catch (cause) {
        if (!isRefused(cause)) throw cause
        const found = await this.#markOf(key, signal)
        if (found !== null) return found === mark
        // What was in the way is gone.
        if (round >= S3Limits.bucketCreateRounds) throw cause
      }
    }
  }

  /** Empty for an object that nobody created so; null where there is none. */
  async #markOf(key: string, abortSignal: AbortSignal): Promise<string | null> {
    try {
      const { Metadata } = await this.#client.send(new HeadObjectCommand(this.#at(key)), { abortSignal })
      return Metadata?.[markName] ?? ""
    } catch (cause) {
      if (statusOf(cause) === 404) return null
      throw cause
    }
  }

  /** A body that broke off is asked for anew, as often as a request is. */
  async get(key: string, abortSignal: AbortSignal): Promise<Uint8Array> {
    for (let attempt = 1; ; attempt++) {
      const { Body, ContentLength } = await this.#client.send(new GetObjectCommand(this.#at(key)), { abortSignal })
      try {
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
        if (ContentLength !== undefined && bytes.length !== ContentLength) throw new WrongAnswer("IncompleteBody")
        return bytes
      } catch (cause) {
        if (attempt >= S3Limits.bucketTries || abortSignal.aborted) throw cause
      }
    }
  }

  /** The body of an object or of a range of it, to be read; null where the range holds nothing. */
  async open(
    key: string,
    range: ByteRange | undefined,
    abortSignal: AbortSignal
  ): Promise<AsyncIterable<Uint8Array> | null> {
    const start = Math.max(0, range?.start ?? 0)
    if (range !== undefined && range.end <= start) {
      await this.head(key, abortSignal)
      return null
    }
    const wanted = range === undefined ? {} : { Range: `bytes=${start}-${range.end - 1}` }
    const asked = new GetObjectCommand({ ...this.#at(key), ...wanted })
    try {
      const { Body, ContentRange } = await this.#streaming.send(asked, { abortSignal })
      // In Node a body is a stream of Node.
      const body = Body as Readable | undefined
      if (range === undefined || ContentRange !== undefined)
        return body === undefined ? null : watched(body, this.#waits.silenceMs)
      body?.destroy()
      throw new WrongAnswer("RangeIgnored")
    } catch (cause) {
      if (range !== undefined && isBehindEnd(cause)) return null
      throw cause
    }
  }

  async head(key: string, abortSignal: AbortSignal): Promise<ObjectInfo> {
    try {
      const { ContentLength, LastModified } = await this.#client.send(new HeadObjectCommand(this.#at(key)), {
        abortSignal
      })
      return infoOf(key, ContentLength, LastModified)
    } catch (cause) {
      if (statusOf(cause) !== 404) throw cause
      // A HEAD has no words: it is said apart whether the bucket is missing.
      await this.look(abortSignal)
      throw new WrongAnswer("NoSuchKey")
    }
  }

  /** Rejects when the bucket cannot be read with these credentials. */
  async look(abortSignal: AbortSignal): Promise<void> {
    await this.#page({ prefix: "", keys: 1 }, abortSignal)
  }

  /** A copy onto itself is refused by S3: the object is there already. */
  async copy(from: string, to: string, abortSignal: AbortSignal): Promise<void> {
    if (from === to) return void (await this.head(from, abortSignal))
    const { bucket, root } = this.place
    const source = `${bucket}/${root}${from}`.split("/").map(encodeURIComponent).join("/")
    await this.#client.send(new CopyObjectCommand({ ...this.#at(to), CopySource: source }), { abortSignal })
  }

  /** A page may be shorter than what is asked for, and holds what others put there: `folder/`, as consoles of S3 make it. */
  async list(
    prefix: string,
    after: string | undefined,
    limit: number,
    signal: AbortSignal
  ): Promise<ReadonlyArray<ObjectInfo>> {
    const found: Array<ObjectInfo> = []
    if (limit <= 0) return found
    let token: string | undefined
    do {
      const keys = Math.min(limit - found.length, S3Limits.bucketPageKeys)
      const page = await this.#page({ prefix, keys, after, token }, signal)
      found.push(...page.objects.filter(({ key }) => keyProblem(key) === undefined))
      token = page.next
    } while (token !== undefined && found.length < limit)
    return found
  }

  async remove(key: string, abortSignal: AbortSignal): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key)), { abortSignal })
  }

  async removePrefix(prefix: string, signal: AbortSignal): Promise<number> {
    let removed = 0
    let after: string | undefined
    for (;;) {
      const { objects, next } = await this.#page({ prefix, keys: S3Limits.bucketPageKeys, after }, signal)
      await this.#removeAll(
        objects.map(({ key }) => key),
        signal
      )
      removed += objects.length
      after = objects.at(-1)?.key
      if (next === undefined || after === undefined) return removed
    }
  }

  async #removeAll(keys: ReadonlyArray<string>, abortSignal: AbortSignal): Promise<void> {
    for (const key of keys.filter((each) => unwritable.test(each))) await this.remove(key, abortSignal)
    const rest = keys.filter((each) => !unwritable.test(each))
    if (rest.length === 0) return
    const { Errors = [] } = await this.#client.send(
      new DeleteObjectsCommand({
        Bucket: this.place.bucket,
        Delete: { Quiet: true, Objects: rest.map((key) => ({ Key: `${this.place.root}${key}` })) }
      }),
      { abortSignal }
    )
    const [failed] = Errors
    if (failed !== undefined) throw new WrongAnswer(failed.Code ?? "NotDeleted")
  }
}
