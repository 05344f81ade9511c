/** git's object formats: ids, trees, commits and packs, so that any number of objects is written by one process. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { crc32, deflate, deflateSync } from "node:zlib"
import { type CommitFields, commitText } from "./CommitText.ts"

/** The kinds of objects that Pawl writes: no tags. */
export type ObjectType = "commit" | "tree" | "blob"

/** An object as git names it: `body` is without git's header. */
export interface GitObject {
  readonly type: ObjectType
  readonly id: string
  readonly body: Uint8Array
}

/** The SHA-1 of git's header and the body, in 40 hex digits. */
export const objectId = (type: string, body: Uint8Array): string =>
  createHash("sha1").update(`${type} ${body.length}\0`).update(body).digest("hex")

/** The body with its id; what is in the body is not looked at. */
export const gitObject = (type: ObjectType, body: Uint8Array): GitObject => ({ type, id: objectId(type, body), body })

/** One entry of one directory: a file, an executable file or a directory, by its name alone. */
export interface TreeItem {
  readonly name: string
  readonly mode: "100644" | "100755" | "40000"
  readonly id: string
}

const sortKey = ({ mode, name }: TreeItem): Buffer => Buffer.from(mode === "40000" ? `${name}/` : name, "utf8")

/** The tree object of one directory, its items put in git's own order. */
export const treeObject = (items: Iterable<TreeItem>): GitObject => {
  const sorted = Array.from(items, (item) => ({ item, key: sortKey(item) })).sort((a, b) =>
    Buffer.compare(a.key, b.key)
  )
  return gitObject(
    "tree",
    Buffer.concat(
      sorted.flatMap(({ item }) => [Buffer.from(`${item.mode} ${item.name}\0`, "utf8"), Buffer.from(item.id, "hex")])
    )
  )
}

/** A commit in UTC whose author is its committer; the same options give the same id. */
export const commitObject = (options: CommitFields): GitObject =>
  gitObject("commit", Buffer.from(commitText(options), "utf8"))

/** The file that holds one object. */
export const looseObject = ({ body, type }: GitObject): Buffer =>
  deflateSync(Buffer.concat([Buffer.from(`${type} ${body.length}\0`, "latin1"), body]))

const packType = { commit: 1, tree: 2, blob: 3 } as const
const deflateAside = promisify(deflate)
// Above this the work goes to another thread; below, the way there costs more.
const deflateHereBytes = 64 * 1024

const entryHeader = ({ body, type }: GitObject): Buffer => {
  let size = body.length
  const bytes = [(packType[type] << 4) | (size & 15)]
  size = Math.floor(size / 16)
  for (let i = 0; size > 0; i++) {
    bytes[i] = (bytes[i] ?? 0) | 128
    bytes.push(size & 127)
    size = Math.floor(size / 128)
  }
  return Buffer.from(bytes)
}

/** A pack, and where each of its objects begins in it, with the CRC-32 of what it takes there. */
export interface Packed {
  readonly bytes: Buffer
  readonly entries: ReadonlyArray<{ readonly id: string; readonly at: number; readonly crc: number }>
}

/** Whole objects as a pack. */
export const packed = async (objects: ReadonlyArray<GitObject>): Promise<Packed> => {
  const header = Buffer.alloc(12)
  header.write("PACK", "latin1")
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(objects.length, 8)
  const pieces: Array<Buffer> = [header]
  const entries: Array<Packed["entries"][number]> = []
  let at = header.length
  for (const object of objects) {
    const { body, id } = object
    const start = entryHeader(object)
    const rest = body.length > deflateHereBytes ? await deflateAside(body) : deflateSync(body)
    entries.push({ id, at, crc: crc32(rest, crc32(start)) })
    pieces.push(start, rest)
    at += start.length + rest.length
  }
  const hash = createHash("sha1")
  for (const piece of pieces) hash.update(piece)
  return { bytes: Buffer.concat([...pieces, hash.digest()]), entries }
}

/** A pack of whole objects, as `index-pack` reads it. */
export const pack = async (objects: ReadonlyArray<GitObject>): Promise<Buffer> => (await packed(objects)).bytes
