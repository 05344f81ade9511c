/** Objects of a repository that lie in files of their own: whether each is still what its name says. git is not asked. */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { inflateSync } from "node:zlib"
import { Limits } from "@pawl/core/primitives/Limits"

const folderName = /^[0-9a-f]{2}$/
const fileName = /^[0-9a-f]{38}$/

/** The ids of those objects, sorted. What is being written has another name. */
const looseIds = (objects: string): ReadonlyArray<string> =>
  (existsSync(objects) ? readdirSync(objects) : [])
    .filter((folder) => folderName.test(folder))
    .flatMap((folder) =>
      readdirSync(join(objects, folder))
        .filter((name) => fileName.test(name))
        .map((name) => `${folder}${name}`)
    )
    .sort()

/** Whether the file is there and is another one. What is gone meanwhile was packed, or is missed by who needs it. */
const isDamaged = (path: string, id: string): boolean => {
  try {
    if (!statSync(path).isFile()) return true
    const bytes = inflateSync(readFileSync(path), { maxOutputLength: Limits.provenObjectBytes })
    return createHash("sha1").update(bytes).digest("hex") !== id
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENOENT")
  }
}

/** Which of these objects are damaged, by their ids. */
export const damagedLoose = (folder: string): ReadonlyArray<string> => {
  const objects = join(folder, "objects")
  return looseIds(objects).filter((id) => isDamaged(join(objects, id.slice(0, 2), id.slice(2)), id))
}
