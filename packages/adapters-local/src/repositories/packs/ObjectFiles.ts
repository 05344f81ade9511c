/** The files in which a repository's objects lie: which there are, whether they are whole, and what is new as one pack. */
import { open, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { inflate } from "node:zlib"
import { LocalLimits } from "../../LocalLimits.ts"
import { absent, unless } from "../../objects/DurableFile.ts"
import { stands } from "../GitFolder.ts"
import { type GitObject, type ObjectType, pack } from "../GitObjects.ts"
import type { RepositoryPath } from "../RepositoryPath.ts"
import { isIndexOf, sideBySide } from "./PackBytes.ts"

const inflated = promisify(inflate)

const names = (folder: string): Promise<ReadonlyArray<string>> => unless(readdir(folder), absent, [])

/** Of packs, `pack/pack-….pack` where the index is there too; of single objects `ab/cdef…`. Without what it borrows. */
export const objectFiles = async (gitDir: string): Promise<ReadonlyArray<string>> => {
  const objects = join(gitDir, "objects")
  const inPack = new Set(await names(join(objects, "pack")))
  const packs = [...inPack].filter(
    (name) => /^pack-[0-9a-f]{40}\.pack$/.test(name) && inPack.has(name.replace(/pack$/, "idx"))
  )
  const fans = (await names(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  const loose = await Promise.all(
    fans.map(async (fan) =>
      (await names(join(objects, fan))).flatMap((name) => (/^[0-9a-f]{38}$/.test(name) ? [`${fan}/${name}`] : []))
    )
  )
  return [...packs.map((name) => `pack/${name}`), ...loose.flat()]
}

const isPackFile = (name: string): boolean => name.startsWith("pack/")
const indexFile = (name: string): string => name.replace(/pack$/, "idx")

const lastBytes = async (path: string, count: number): Promise<string> => {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(count)
    await handle.read(buffer, 0, count, Math.max(0, size - count))
    return buffer.toString("hex")
  } finally {
    await handle.close()
  }
}

/**
 * Whether all these files are there, and each index is what it was when it was written: by one that is not, git takes an
 * object for missing without a word. What else is wrong with a file git says itself when it reads it.
 */
export const areWhole = async (path: RepositoryPath, files: ReadonlySet<string>): Promise<boolean> => {
  if (!(await areThere(path, files))) return false
  const packs = [...files].filter(isPackFile).map((name) => join(path.gitDir, "objects", name))
  const whole = packs.map(async (path) => {
    const [index, trailer] = await Promise.all([readFile(indexFile(path)), lastBytes(path, 20)])
    return isIndexOf(index, trailer)
  })
  return unless(
    Promise.all(whole).then((all) => all.every((each) => each)),
    absent,
    false
  )
}

/** Whether the repository and all these files are there by their names. */
export const areThere = async (path: RepositoryPath, files: ReadonlySet<string>): Promise<boolean> => {
  if (!(await stands(path))) return false
  const there = new Set(await objectFiles(path.gitDir))
  return [...files].every((name) => there.has(name))
}

const isType = (type: string): type is ObjectType => ["commit", "tree", "blob"].includes(type)

/** An object out of the file that holds it alone. */
const looseObject = async (gitDir: string, name: string): Promise<GitObject> => {
  const bytes: Buffer = await inflated(await readFile(join(gitDir, "objects", name)))
  const end = bytes.indexOf(0)
  const [type = ""] = bytes.toString("latin1", 0, end).split(" ")
  if (!isType(type)) throw Object.assign(new Error("an object of another kind"), { code: "an object of another kind" })
  return { type, id: name.replace("/", ""), body: bytes.subarray(end + 1) }
}

/** What some files hold: packs as they are, and objects that lie alone. */
export interface HeldObjects {
  readonly packs: ReadonlyArray<{ readonly name: string; readonly bytes: Buffer }>
  readonly loose: ReadonlyArray<GitObject>
}

/** The bytes of all these files. Rejects where one cannot be read. */
export const readObjects = async (gitDir: string, files: ReadonlyArray<string>): Promise<HeldObjects> => {
  const packs = await Promise.all(
    files.filter(isPackFile).map(async (name) => ({ name, bytes: await readFile(join(gitDir, "objects", name)) }))
  )
  const loose: Array<GitObject> = []
  for (const name of files.filter((each) => !isPackFile(each))) loose.push(await looseObject(gitDir, name))
  return { packs, loose }
}

/** All of that as one pack; null when it is nothing. */
export const packOf = async ({ loose, packs }: HeldObjects): Promise<Buffer | null> => {
  const whole = packs.map(({ bytes }) => bytes)
  const all = loose.length === 0 ? whole : [...whole, await pack(loose)]
  return all.length === 0 ? null : sideBySide(all)
}

/** Which of these objects are named by the indexes of the packs among some files. A pack whose index is gone names none. */
export const inPacks = async (
  gitDir: string,
  names: ReadonlyArray<string>,
  ids: ReadonlyArray<string>
): Promise<ReadonlySet<string>> => {
  const indexes = await Promise.all(
    names
      .filter(isPackFile)
      .map((name) => unless(readFile(indexFile(join(gitDir, "objects", name))), absent, Buffer.alloc(0)))
  )
  return new Set(ids.filter((id) => indexes.some((index) => index.includes(id, 0, "hex"))))
}

/** About what these files take on the disk. One that is gone takes nothing. */
export const bytesOf = async (gitDir: string, files: ReadonlyArray<string>): Promise<number> => {
  const paths = files.flatMap((name) => (isPackFile(name) ? [name, indexFile(name)] : [name]))
  const sizes = await Promise.all(paths.map((name) => unless(stat(join(gitDir, "objects", name)), absent, { size: 0 })))
  return sizes.reduce((sum, { size }) => sum + size + LocalLimits.cacheFileBytes, 0)
}

/** Whether a copy lies in so many pieces that looking into each is slow. */
export const areMany = (files: ReadonlySet<string>): boolean => {
  const packs = [...files].filter(isPackFile).length
  return packs > LocalLimits.gitPacks || files.size - packs > LocalLimits.packLooseObjects
}
