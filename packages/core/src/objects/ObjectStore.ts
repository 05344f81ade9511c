/** Immutable bytes by key: bundles, assets, check outputs, source indexes. */
import { short } from "../primitives/ShortText.ts"
import { Context, Effect, Schema, type Stream } from "effect"
import { isWellFormed, utf8Length } from "../primitives/CodePoints.ts"
import { Limits } from "../primitives/Limits.ts"

/** The key is not one this store can hold: empty, over 1,024 bytes of UTF-8, not well-formed, with `.`/`..`/empty segments, a backslash or a control character. */
export class InvalidKey extends Schema.TaggedError<InvalidKey>()("InvalidKey", {
  key: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The key ${JSON.stringify(short(this.key))} cannot be used: ${this.reason}`
  }
}

/** There is no object with this key. */
export class ObjectMissing extends Schema.TaggedError<ObjectMissing>()("ObjectMissing", { key: Schema.String }) {
  override get message() {
    return `There is no object ${this.key}.`
  }
}

/**
 * The store could not be read or written: disk full, permission, network. Nothing was stored; or, where an answer was lost
 * on a network, all that was asked for. Try again later.
 */
export class ObjectStoreUnavailable extends Schema.TaggedError<ObjectStoreUnavailable>()("ObjectStoreUnavailable", {
  /** The method that failed. */
  operation: Schema.String,
  key: Schema.String,
  /** What went wrong, for people. */
  reason: Schema.String,
  /** It will not come back by itself: nobody waits for it. */
  lasting: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    return `The object store is away (${this.operation} ${this.key}): ${this.reason}`
  }
}

/** What is known of an object without reading it. */
export interface ObjectInfo {
  /** Under which it is stored. */
  readonly key: string
  /** The length of its bytes. */
  readonly sizeBytes: number
  /** When its bytes were written, ms since 1970, by the store's clock. A copy may have its source's. */
  readonly storedAtMs: number
}

/** What is stored stays until it is removed. Each method judges its keys by `checkedKey` before anything is done. */
export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    /** Stores the whole object durably, or nothing; a reader never sees a part. Replaces an object of the same key. */
    readonly put: (key: string, body: Uint8Array) => Effect.Effect<void, InvalidKey | ObjectStoreUnavailable>
    /** Stores the object only when the key is free. Of many at once exactly one is answered `true`. */
    readonly create: (key: string, body: Uint8Array) => Effect.Effect<boolean, InvalidKey | ObjectStoreUnavailable>
    /** The whole object. */
    readonly get: (key: string) => Effect.Effect<Uint8Array, InvalidKey | ObjectMissing | ObjectStoreUnavailable>
    /** The object in pieces; `range` is in bytes, `end` exclusive. */
    readonly stream: (
      key: string,
      range?: { readonly start: number; readonly end: number }
    ) => Stream.Stream<Uint8Array, InvalidKey | ObjectMissing | ObjectStoreUnavailable>
    /** What is known of an object, without its bytes. */
    readonly head: (key: string) => Effect.Effect<ObjectInfo, InvalidKey | ObjectMissing | ObjectStoreUnavailable>
    /** Copies one object, over one of that key. Fails with `ObjectMissing` when there is no source. */
    readonly copy: (
      from: string,
      to: string
    ) => Effect.Effect<void, InvalidKey | ObjectMissing | ObjectStoreUnavailable>
    /** At most `limit` (≤ 1,000) objects whose key starts with `prefix` and comes after `after`, in code point order. */
    readonly list: (
      prefix: string,
      options?: { readonly after?: string; readonly limit?: number }
    ) => Effect.Effect<ReadonlyArray<ObjectInfo>, InvalidKey | ObjectStoreUnavailable>
    /** Deletes one object. Deleting what is not there succeeds. */
    readonly remove: (key: string) => Effect.Effect<void, InvalidKey | ObjectStoreUnavailable>
    /** Deletes all objects whose key starts with `prefix` and answers how many there were. A prefix that does not end with a slash, the empty one too, is an `InvalidKey`. */
    readonly removePrefix: (prefix: string) => Effect.Effect<number, InvalidKey | ObjectStoreUnavailable>
  }
>()("@pawl/core/objects/ObjectStore") {}

const segmentProblem = (segment: string): string | undefined =>
  segment === "" ? "an empty segment" : segment === "." || segment === ".." ? `the segment ${segment}` : undefined

/** What is wrong with a key, or `undefined`. A prefix may end with a slash, or be empty. */
export const keyProblem = (key: string, kind: "key" | "prefix" = "key"): string | undefined => {
  if (key === "") return kind === "prefix" ? undefined : "it is empty"
  // No UTF-8 form is shorter than its text: a key of this length is refused without counting.
  if (key.length > Limits.objectKeyBytes || utf8Length(key) > Limits.objectKeyBytes)
    return `it is longer than ${Limits.objectKeyBytes.toLocaleString("en-US")} bytes`
  if (!isWellFormed(key)) return "it is not well-formed Unicode"
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(key)) return "it has a backslash or a control character"
  const body = kind === "prefix" && key.endsWith("/") ? key.slice(0, -1) : key
  for (const segment of body.split("/")) {
    const problem = segmentProblem(segment)
    if (problem !== undefined) return `it has ${problem}`
  }
  return undefined
}

/** Fails with `InvalidKey` when this cannot be an object's key. */
export const checkedKey = (key: string): Effect.Effect<void, InvalidKey> => {
  const reason = keyProblem(key)
  return reason === undefined ? Effect.void : new InvalidKey({ key, reason })
}

/** Fails with `InvalidKey` when no key can start so, or, for `whole`, when it does not end where a segment does. */
export const checkedPrefix = (prefix: string, kind: "any" | "whole" = "any"): Effect.Effect<void, InvalidKey> => {
  const reason =
    keyProblem(prefix, "prefix") ??
    (kind === "whole" && !prefix.endsWith("/") ? "it does not end with a slash" : undefined)
  return reason === undefined ? Effect.void : new InvalidKey({ key: prefix, reason })
}
