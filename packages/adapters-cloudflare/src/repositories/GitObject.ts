/** git's objects: their ids, and trees and commits as they are written and read. Pure. */
import { sha1 } from "@noble/hashes/legacy.js"
import { hexBytes, utf8 } from "@pawl/core/primitives/Digest"
import { exactText, textOf } from "@pawl/core/primitives/Utf8"
import { type CommitFields, commitText } from "@pawl/adapters-local/repositories/CommitText"
import { Hex } from "effect/encoding"
import { joined } from "@pawl/core/primitives/JoinedBytes"
import { compareBytes } from "./Bytes.ts"

/** The kinds of objects that Pawl keeps: no tags. */
export type ObjectType = "commit" | "tree" | "blob"

/** An object as git names it: `body` is without git's header. */
export interface GitObject {
  readonly type: ObjectType
  /** 40 hex digits. */
  readonly id: string
  readonly body: Uint8Array
}

/** The SHA-1 of bytes. */
export const sha1Of = (bytes: Uint8Array): Uint8Array => sha1(bytes)

/** The SHA-1 of what is yet to come. */
export const sha1Digest = (): ReturnType<typeof sha1.create> => sha1.create()

/** The body with its id; what is in the body is not looked at. */
export const gitObject = (type: ObjectType, body: Uint8Array): GitObject => ({
  type,
  id: Hex.encode(
    sha1
      .create()
      .update(utf8(`${type} ${body.length}\0`))
      .update(body)
      .digest()
  ),
  body
})

/** One entry of one directory, by its name alone. */
export interface TreeItem {
  readonly name: string
  readonly mode: "100644" | "100755" | "40000"
  readonly id: string
}

/** The tree object of one directory, its items put in git's own order. */
export const treeObject = (items: Iterable<TreeItem>): GitObject => {
  const sorted = Array.from(items, (item) => ({
    item,
    key: utf8(item.mode === "40000" ? `${item.name}/` : item.name)
  })).sort((a, b) => compareBytes(a.key, b.key))
  return gitObject(
    "tree",
    joined(sorted.flatMap(({ item }) => [utf8(`${item.mode} ${item.name}\0`), hexBytes(item.id)]))
  )
}

const isMode = (text: string): text is TreeItem["mode"] => text === "100644" || text === "100755" || text === "40000"

/** One entry of a tree as it is written; a name that is no UTF-8 is null. */
interface WrittenItem {
  readonly mode: string
  readonly name: string | null
  readonly id: string
}

/** What is written in a tree; null where it is cut off. */
const writtenItems = (body: Uint8Array): ReadonlyArray<WrittenItem> | null => {
  const items: Array<WrittenItem> = []
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at)
    const end = body.indexOf(0, space)
    if (space < 0 || end < 0 || end + 21 > body.length) return null
    const mode = textOf(body.subarray(at, space))
    items.push({
      mode,
      name: exactText(body.subarray(space + 1, end)),
      id: Hex.encode(body.subarray(end + 1, end + 21))
    })
    at = end + 21
  }
  return items
}

const isKept = (item: WrittenItem): item is TreeItem => isMode(item.mode) && item.name !== null

/** The items of a tree; null for one that Pawl does not keep: links, other repositories, names that are no UTF-8. */
export const treeItems = (body: Uint8Array): ReadonlyArray<TreeItem> | null => {
  const items = writtenItems(body)
  return items === null || !items.every(isKept) ? null : items
}

/** Of a tree that Pawl does not keep, the first item that it cannot, and why; null where it is not that. */
export const oddItem = (body: Uint8Array): { readonly name: string; readonly reason: string } | null => {
  const odd = writtenItems(body)?.find((item) => !isKept(item))
  if (odd === undefined) return null
  return odd.name === null
    ? { name: "", reason: "a path is not UTF-8" }
    : { name: odd.name, reason: `its mode is ${odd.mode.padStart(6, "0")}` }
}

/** A commit in UTC whose author is its committer; the same options give the same id. */
export const commitObject = (fields: CommitFields): GitObject => gitObject("commit", utf8(commitText(fields)))

/** What a commit rests on. */
export interface CommitLinks {
  readonly tree: string
  readonly parents: ReadonlyArray<string>
}

/** The tree and the parents of a commit's body. */
export const commitLinks = (body: Uint8Array): CommitLinks => {
  const head = textOf(body).split("\n\n", 1)[0] ?? ""
  const named = (name: string) =>
    Array.from(head.matchAll(new RegExp(`^${name} ([0-9a-f]{40})$`, "gm")), ([, id]) => id!)
  return { tree: named("tree")[0] ?? "", parents: named("parent") }
}
