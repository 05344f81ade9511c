/** Which objects a client lacks of what it wants. Pure: the objects are at hand. */
import { type CommitLinks, commitLinks, type GitObject, treeItems } from "../GitObject.ts"
import type { Objects } from "../Tree.ts"
import type { FetchAsked } from "./UploadRequest.ts"

/** What is sent. */
export interface PackChoice {
  readonly objects: ReadonlyArray<GitObject>
  /** Of all bodies. */
  readonly bytes: number
  /** Commits whose parents the client will not have, as it does not know yet. */
  readonly shallow: ReadonlyArray<string>
  /** Commits whose parents it lacked, and will have. */
  readonly deepened: ReadonlyArray<string>
}

type Wanted = Pick<FetchAsked, "wants" | "shallow" | "depth" | "filesBelowBytes"> & {
  /** What the client has, of what is at hand here. */
  readonly common: ReadonlyArray<string>
}

const linksOf = (objects: Objects, id: string): CommitLinks | null => {
  const found = objects.get(id)
  return found?.type === "commit" ? commitLinks(found.body) : null
}

/** Commits and all that they were made of, as far as a client that lacks some commits' parents has them. */
export const historyOf = (
  objects: Objects,
  commits: ReadonlyArray<string>,
  shallow: ReadonlySet<string>
): ReadonlySet<string> => {
  const found = new Set(commits)
  for (const id of found)
    if (!shallow.has(id)) for (const parent of linksOf(objects, id)?.parents ?? []) found.add(parent)
  return found
}

/** Commits down to a depth, each with how deep it lies; those of the last row are cut off from their parents. */
const deep = (objects: Objects, wants: ReadonlyArray<string>, depth: number): ReadonlyMap<string, number> => {
  const found = new Map(wants.filter((id) => linksOf(objects, id) !== null).map((id) => [id, 1]))
  for (const [id, row] of found) {
    if (row >= depth) continue
    for (const parent of linksOf(objects, id)?.parents ?? []) if (!found.has(parent)) found.set(parent, row + 1)
  }
  return found
}

/** Commits from the wanted ones on, up to what the client has. */
const lackedCommits = (objects: Objects, { shallow, wants }: Wanted, had: ReadonlySet<string>): ReadonlySet<string> => {
  const found = new Set(wants.filter((id) => !had.has(id) && linksOf(objects, id) !== null))
  for (const id of found)
    if (!shallow.has(id))
      for (const parent of linksOf(objects, id)?.parents ?? []) if (!had.has(parent)) found.add(parent)
  return found
}

/** Puts what a tree leads to into `found`. False when some of it is not at hand. */
const treeInto = (
  objects: Objects,
  root: string,
  found: Map<string, GitObject>,
  skips: (id: string) => boolean,
  takes: (file: GitObject) => boolean
): boolean => {
  const waiting = [root]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id) || skips(id)) continue
    const object = objects.get(id)
    if (object === undefined) return false
    if (object.type === "blob" && !takes(object)) continue
    found.set(id, object)
    if (object.type !== "tree") continue
    const items = treeItems(object.body)
    if (items === null) return false
    for (const item of items) waiting.push(item.id)
  }
  return true
}

/** The files and trees of commits that the client has and new ones stand on. */
const hadFiles = (objects: Objects, { common }: Wanted, had: ReadonlySet<string>, sent: ReadonlySet<string>) => {
  const edge = new Set(common)
  for (const id of sent) for (const parent of linksOf(objects, id)?.parents ?? []) if (had.has(parent)) edge.add(parent)
  const found = new Map<string, GitObject>()
  for (const id of edge) {
    const links = linksOf(objects, id)
    if (links !== null)
      treeInto(
        objects,
        links.tree,
        found,
        () => false,
        () => true
      )
  }
  return found
}

/** What is sent to the client; null when some of it is not at hand. */
export const packChoice = (objects: Objects, wanted: Wanted): PackChoice | null => {
  const { common, depth, filesBelowBytes, shallow, wants } = wanted
  const had = historyOf(objects, common, shallow)
  const rows = depth === null ? null : deep(objects, wants, depth)
  const sent =
    rows === null ? lackedCommits(objects, wanted, had) : new Set([...rows.keys()].filter((id) => !had.has(id)))
  const known = hadFiles(objects, wanted, had, sent)
  const found = new Map<string, GitObject>()
  const skips = (id: string) => known.has(id)
  const takes = ({ body }: GitObject) => filesBelowBytes === null || body.length < filesBelowBytes
  for (const id of sent) {
    const object = objects.get(id)
    const links = linksOf(objects, id)
    if (object === undefined || links === null) return null
    found.set(id, object)
    if (!treeInto(objects, links.tree, found, skips, takes)) return null
  }
  // A clone without its files asks for them by their ids.
  for (const id of wants) {
    const object = objects.get(id)
    if (object === undefined) return null
    if (object.type === "blob") found.set(id, object)
    else if (object.type === "tree" && !treeInto(objects, id, found, () => false, takes)) return null
  }
  const cut = Array.from(rows ?? []).flatMap(([id, row]) =>
    row === depth && (linksOf(objects, id)?.parents.length ?? 0) > 0 ? [id] : []
  )
  const isCut = new Set(cut)
  return {
    objects: [...found.values()],
    bytes: Array.from(found.values()).reduce((sum, { body }) => sum + body.length, 0),
    shallow: cut.filter((id) => !shallow.has(id)),
    deepened: rows === null ? [] : [...shallow].filter((id) => rows.has(id) && !isCut.has(id))
  }
}
