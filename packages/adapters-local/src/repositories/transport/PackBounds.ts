/**
 * What a pack comes to, read before git sees it. A pack of a few kilobytes can unpack to terabytes: by deflate, or by
 * deltas that copy a base again and again. Here each object is unpacked within bounds, and none is kept.
 */
import { setImmediate } from "node:timers/promises"
import { inflateSync } from "node:zlib"
import { Effect } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../../LocalLimits.ts"
import { PackRefused } from "./PushReceiver.ts"

/** What a pack may come to. */
export interface PackBounds {
  readonly objects: number
  /** Of all objects, deltas resolved. */
  readonly unpackedBytes: number
}

const damaged = (what: string) => new PackRefused({ reason: `the pack is damaged: ${what}` })
const digestBytes = 20

interface Entry {
  readonly delta: boolean
  /** Bytes of the object, or of the delta that makes it. */
  readonly size: number
  /** Where its deflated bytes begin. */
  readonly at: number
}

/** Reads what stands before an object's bytes. */
const entryAt = (pack: Buffer, start: number, end: number): Entry => {
  let at = start
  const next = (): number => {
    if (at >= end) throw damaged("it ends in the middle of an object")
    return pack[at++] ?? 0
  }
  let byte = next()
  const type = (byte >> 4) & 7
  let [size, scale] = [byte & 15, 16]
  while ((byte & 128) !== 0) {
    byte = next()
    size += (byte & 127) * scale
    scale *= 128
    if (size > Number.MAX_SAFE_INTEGER / 128) throw damaged("an object of no size")
  }
  if (type === 0 || type === 5) throw damaged(`an object of the type ${type}`)
  if (type === 6) while ((next() & 128) !== 0);
  if (type === 7) at += digestBytes
  if (at >= end) throw damaged("it ends in the middle of an object")
  return { delta: type >= 6, size, at }
}

/** The size of what a delta makes: the second of the two numbers that it begins with. */
const resultSize = (delta: Uint8Array): number => {
  let at = 0
  const number = (): number => {
    let [value, scale, byte] = [0, 1, 128]
    while ((byte & 128) !== 0) {
      byte = delta[at++] ?? 0
      value += (byte & 127) * scale
      scale *= 128
      if (value > Number.MAX_SAFE_INTEGER / 128) throw damaged("a delta of no size")
    }
    return value
  }
  number()
  return number()
}

const inflated = (pack: Buffer, { at, size }: Entry, end: number): { body: Uint8Array; used: number } => {
  try {
    // One byte more than there should be, so that a longer one is seen.
    const { buffer, engine } = inflateSync(pack.subarray(at, end), {
      info: true,
      maxOutputLength: size + 1
    }) as unknown as { buffer: Uint8Array; engine: { bytesWritten: number } }
    if (buffer.length === size) return { body: buffer, used: engine.bytesWritten }
  } catch {
    // Said below.
  }
  throw damaged("an object does not unpack to the size that it says")
}

const tooLarge = (what: string, actual: number, max: number) =>
  new PackRefused({ reason: `${what}: ${actual} where ${max} is the most` })

const measure = async (pack: Buffer): Promise<PackBounds> => {
  const end = pack.length - digestBytes
  if (end < 12 || pack.toString("latin1", 0, 4) !== "PACK" || pack.readUInt32BE(4) !== 2)
    throw damaged("it does not begin as a pack of version 2")
  const objects = pack.readUInt32BE(8)
  if (objects > LocalLimits.gitPushObjects) throw tooLarge("too many objects", objects, LocalLimits.gitPushObjects)
  let [at, unpackedBytes, since] = [12, 0, 0]
  for (let count = 0; count < objects; count++) {
    const entry = entryAt(pack, at, end)
    const one = (size: number): number => {
      if (size > Limits.sourceFileBytes) throw tooLarge("an object has too many bytes", size, Limits.sourceFileBytes)
      unpackedBytes += size
      if (unpackedBytes > LocalLimits.gitPushUnpackedBytes)
        throw tooLarge("it unpacks to too many bytes", unpackedBytes, LocalLimits.gitPushUnpackedBytes)
      return size
    }
    one(entry.size)
    const { body, used } = inflated(pack, entry, end)
    if (entry.delta) one(resultSize(body))
    at = entry.at + used
    since += body.length + LocalLimits.gitPackTurnBytes / LocalLimits.gitPackTurnObjects
    if (since > LocalLimits.gitPackTurnBytes) {
      since = 0
      await setImmediate()
    }
  }
  if (at !== end) throw damaged("there is more in it than its objects")
  return { objects, unpackedBytes }
}

/** Measures a pack. Fails as soon as it is damaged, or more than Pawl takes. */
export const measurePack = (pack: Uint8Array): Effect.Effect<PackBounds, PackRefused> =>
  Effect.tryPromise({
    try: () => measure(Buffer.from(pack.buffer, pack.byteOffset, pack.length)),
    catch: (cause) => (cause instanceof PackRefused ? cause : damaged("it cannot be read"))
  })
