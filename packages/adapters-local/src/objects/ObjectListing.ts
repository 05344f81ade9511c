/** The objects of a folder by key, in code point order, one folder at a time. */
import { type Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { absent, unless } from "./DurableFile.ts"
import { decodeName, folderNames, leafMark, partMark } from "./ObjectPath.ts"

/** An object's key, and the file that holds it. */
export interface FoundObject {
  readonly key: string
  readonly path: string
}

interface Child {
  /** What all keys of this child start with; an object's whole key. */
  readonly key: string
  readonly path: string
  readonly folder: boolean
}

const readFolder = (path: string): Promise<ReadonlyArray<Dirent>> =>
  unless(readdir(path, { withFileTypes: true }), absent, [])

/** The children of a folder. Links and names of others are passed over, so that no walk leaves the store. */
const childrenOf = async (folder: string, prefix: string, part = ""): Promise<Array<Child>> => {
  const children: Array<Child> = []
  for (const entry of await readFolder(folder)) {
    const path = join(folder, entry.name)
    if (part === "" ? entry.name.startsWith(partMark) : !entry.name.startsWith(partMark)) continue
    const name = part + (part === "" ? entry.name : entry.name.slice(1))
    if (entry.isDirectory() && name.endsWith(partMark))
      children.push(...(await childrenOf(path, prefix, name.slice(0, -1))))
    else if (entry.isDirectory() || (entry.isFile() && name.endsWith(leafMark))) {
      const segment = decodeName(entry.isDirectory() ? name : name.slice(0, -1))
      if (segment !== undefined)
        children.push({ key: prefix + segment + (entry.isDirectory() ? "/" : ""), path, folder: entry.isDirectory() })
    }
  }
  return children
}

const overlaps = (key: string, prefix: string): boolean => key.startsWith(prefix) || prefix.startsWith(key)

/** All objects under `root` whose key starts with `prefix` and comes after `after`, in code point order. */
export async function* objectsUnder(
  root: string,
  prefix: string,
  after: string | undefined
): AsyncGenerator<FoundObject> {
  const whole = prefix.slice(0, prefix.lastIndexOf("/") + 1)
  async function* walk(folder: string, base: string): AsyncGenerator<FoundObject> {
    // A folder's key ends in `/`: sorted so, all that is in it comes where it belongs among its neighbours.
    const children = (await childrenOf(folder, base)).sort((a, b) => compareCodePoints(a.key, b.key))
    for (const { folder: isFolder, key, path } of children) {
      if (isFolder) {
        const passed = after !== undefined && !after.startsWith(key) && compareCodePoints(key, after) < 0
        if (!passed && overlaps(key, prefix)) yield* walk(path, key)
      } else if (key.startsWith(prefix) && (after === undefined || compareCodePoints(key, after) > 0))
        yield { key, path }
    }
  }
  yield* walk(join(root, ...folderNames(whole.split("/").slice(0, -1))), whole)
}
