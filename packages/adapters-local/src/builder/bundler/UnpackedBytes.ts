/** Unpacks what an app serves compressed, as browsers do. Bounded: a small file may unpack to a huge one. */
import { promisify } from "node:util"
import { brotliDecompress, inflateRaw, unzip, zstdDecompress } from "node:zlib"

const ways = [promisify(unzip), promisify(inflateRaw), promisify(brotliDecompress), promisify(zstdDecompress)]

/** What the bytes are once unpacked, in every way that reads them; nothing when none does, or it would be too much. */
export const unpacked = async (bytes: Uint8Array, maxBytes: number): Promise<ReadonlyArray<Uint8Array>> => {
  const tried = await Promise.allSettled(ways.map((way) => way(bytes, { maxOutputLength: maxBytes })))
  return tried.flatMap((each) => (each.status === "fulfilled" && each.value.length > 0 ? [each.value] : []))
}
