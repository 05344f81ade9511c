/** A pack with its index, written by this process: of objects that it has made itself, git would only say the same. */
import { createHash, randomUUID } from "node:crypto"
import { join } from "node:path"
import type { Keeping } from "@pawl/core/ledger/Commit"
import { publish, syncDirectory, writeSynced } from "../objects/DurableFile.ts"
import { type GitObject, type Packed, packed } from "./GitObjects.ts"

const words = (values: Iterable<number>): Buffer => {
  const all = [...values]
  const bytes = Buffer.alloc(all.length * 4)
  for (const [index, value] of all.entries()) bytes.writeUInt32BE(value >>> 0, index * 4)
  return bytes
}

const sha1 = (bytes: Buffer): Buffer => createHash("sha1").update(bytes).digest()

const magic = 0xff744f63

/**
 * The index of a pack, in git's second form (gitformat-pack): how many ids begin with each byte or a lower one, the ids in
 * order, the CRC-32 and the place of each, the pack's own SHA-1, and that of all this. A pack is below 2 GiB.
 */
export const packIndex = ({ bytes, entries }: Packed): Buffer => {
  const sorted = entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const counts = new Array<number>(256).fill(0)
  for (const { id } of sorted) counts[Number.parseInt(id.slice(0, 2), 16)]! += 1
  let sum = 0
  const index = Buffer.concat([
    words([magic, 2]),
    words(counts.map((count) => (sum += count))),
    Buffer.from(sorted.map(({ id }) => id).join(""), "hex"),
    words(sorted.map(({ crc }) => crc)),
    words(sorted.map(({ at }) => at)),
    bytes.subarray(-20)
  ])
  return Buffer.concat([index, sha1(index)])
}

/** Writes objects as one pack of their own, each of them once. Its name is git's for it: writing it again changes nothing. */
export const writePack = async (gitDir: string, objects: ReadonlyArray<GitObject>, keeping: Keeping): Promise<void> => {
  const pack = await packed([...new Map(objects.map((object) => [object.id, object])).values()])
  const folder = join(gitDir, "objects/pack")
  const temporary = join(folder, `tmp_pack_${randomUUID()}`)
  const target = join(folder, `pack-${pack.bytes.toString("hex", pack.bytes.length - 20)}`)
  const files = { ".pack": pack.bytes, ".idx": packIndex(pack) }
  await Promise.all(Object.entries(files).map(([end, bytes]) => writeSynced(`${temporary}${end}`, bytes, keeping)))
  // The index last: git reads a pack by it.
  await publish(`${temporary}.pack`, `${target}.pack`, "passing")
  await publish(`${temporary}.idx`, `${target}.idx`, "passing")
  if (keeping === "lasting") await syncDirectory(folder)
}
