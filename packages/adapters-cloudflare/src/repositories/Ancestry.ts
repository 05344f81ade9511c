/** What commits are made of. Pure: the commits are at hand. */
import { commitLinks, type GitObject, treeItems } from "./GitObject.ts"
import type { Objects } from "./Tree.ts"

const parentsOf = (objects: Objects, id: string): ReadonlyArray<string> => {
  const found = objects.get(id)
  return found?.type === "commit" ? commitLinks(found.body).parents : []
}

/** A commit and all that it was made of. */
export const ancestors = (objects: Objects, id: string): ReadonlySet<string> => {
  const found = new Set([id])
  for (const next of found) for (const parent of parentsOf(objects, next)) found.add(parent)
  return found
}

/** The commits that both were made of, and that no other such commit was made of: in the order of their ids. */
export const mergeBases = (objects: Objects, one: string, other: string): ReadonlyArray<string> => {
  const ours = ancestors(objects, one)
  const shared = [...ancestors(objects, other)].filter((id) => ours.has(id))
  const behind = new Set(shared.flatMap((id) => parentsOf(objects, id)))
  for (const next of behind) for (const parent of parentsOf(objects, next)) behind.add(parent)
  return shared.filter((id) => !behind.has(id)).sort()
}

/** The objects that an object names; null for a tree of what Pawl does not keep. */
const namedBy = ({ body, type }: GitObject): ReadonlyArray<string> | null => {
  if (type === "blob") return []
  if (type === "tree") return treeItems(body)?.map(({ id }) => id) ?? null
  const { parents, tree } = commitLinks(body)
  return [tree, ...parents]
}

/** All objects that a commit needs and `has` does not tell of; null where one of them is missing or is of no use here. What is had is whole. */
export const closure = (
  objects: Objects,
  commit: string,
  has: (id: string) => boolean
): ReadonlyMap<string, GitObject> | null => {
  const found = new Map<string, GitObject>()
  const waiting = [commit]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id) || has(id)) continue
    const object = objects.get(id)
    const named = object === undefined ? null : namedBy(object)
    if (object === undefined || named === null) return null
    found.set(id, object)
    waiting.push(...named)
  }
  return found
}
