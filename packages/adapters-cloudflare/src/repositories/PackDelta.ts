/** What a delta of a pack makes of its base. Pure. */
import { CloudflareLimits } from "../CloudflareLimits.ts"

const sizeAt = (delta: Uint8Array, from: number): { readonly size: number; readonly end: number } => {
  let size = 0
  let end = from
  for (let factor = 1; ; factor *= 128) {
    const byte = delta[end++]
    if (byte === undefined) return { size: -1, end }
    size += (byte & 127) * factor
    if ((byte & 128) === 0) return { size, end }
  }
}

/** How many bytes a delta says that it makes. */
export const madeBytes = (delta: Uint8Array): number => Math.max(0, sizeAt(delta, sizeAt(delta, 0).end).size)

/** A number of up to `bytes` bytes, of which `flags` tells those that are written, least first. */
const numberAt = (delta: Uint8Array, from: number, flags: number, bytes: number) => {
  let value = 0
  let end = from
  for (let at = 0; at < bytes; at++) if ((flags & (1 << at)) !== 0) value += (delta[end++] ?? 0) * 2 ** (8 * at)
  return { value, end }
}

/** The bytes that a delta stands for; null when it is not of this base. */
export const withDelta = (base: Uint8Array, delta: Uint8Array): Uint8Array | null => {
  const from = sizeAt(delta, 0)
  const to = sizeAt(delta, from.end)
  if (from.size !== base.length || to.size < 0 || to.size > CloudflareLimits.repositoryBytes) return null
  const made = new Uint8Array(to.size)
  let at = 0
  for (let place = to.end; place < delta.length;) {
    const order = delta[place++]!
    const isCopy = (order & 128) !== 0
    const offset = isCopy ? numberAt(delta, place, order & 15, 4) : { value: place, end: place }
    const length = isCopy ? numberAt(delta, offset.end, (order >> 4) & 7, 3) : { value: order, end: place + order }
    const size = isCopy && length.value === 0 ? 0x10000 : length.value
    const source = isCopy ? base : delta
    if (size === 0 || offset.value + size > source.length || at + size > made.length) return null
    made.set(source.subarray(offset.value, offset.value + size), at)
    at += size
    place = length.end
  }
  return at === made.length ? made : null
}
