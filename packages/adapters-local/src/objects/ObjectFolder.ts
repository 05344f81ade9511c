/** The plain file work of `FileObjectStore`: promises that reject with the file system's own errors. */
import { constants, lstatSync } from "node:fs"
import { copyFile, link, lstat, open, readdir, rmdir, unlink, type FileHandle } from "node:fs/promises"
import { randomUUID } from "node:crypto"
import { dirname, join } from "node:path"
import type { ObjectInfo } from "@pawl/core/objects/ObjectStore"
import { absent, codeOf, makeDirectory, publish, publishNew, unless, writeSynced } from "./DurableFile.ts"
import { objectsUnder } from "./ObjectListing.ts"
import { objectNames } from "./ObjectPath.ts"

// Files that another process left are stale when this one is alone in the folder.
const owner = randomUUID()

/** Something that the store did not make stands in an object's place: a link, a device, a folder. */
class ForeignEntry extends Error {
  readonly code = "ELOOP"
}

/** One folder of objects: `objects/` holds the whole ones, `tmp/` those that are being written. */
export class ObjectFolder {
  readonly #root: string
  readonly #objects: string
  readonly #temporary: string
  #count = 0

  constructor(directory: string) {
    this.#root = directory
    this.#objects = join(directory, "objects")
    this.#temporary = join(directory, "tmp")
  }

  /** Makes the folders and, when no other process works in them, removes what an ended one left half written. */
  async open(alone: boolean): Promise<void> {
    await makeDirectory(this.#root)
    await makeDirectory(this.#objects)
    await makeDirectory(this.#temporary)
    if (!alone) return
    for (const name of await readdir(this.#temporary))
      if (!name.startsWith(owner)) await unless(unlink(join(this.#temporary, name)), absent, undefined)
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    const path = await this.#path(key)
    await this.#withTemporary((temporary) => writeSynced(temporary, body).then(() => publish(temporary, path)), false)
  }

  async create(key: string, body: Uint8Array): Promise<boolean> {
    const path = await this.#path(key)
    return this.#withTemporary((temporary) => writeSynced(temporary, body).then(() => publishNew(temporary, path)))
  }

  /** An object's file, open for reading, and its size in bytes. The caller closes it. */
  async read(key: string): Promise<{ readonly handle: FileHandle; readonly sizeBytes: number }> {
    const handle = await open(await this.#path(key), constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const stat = await handle.stat()
      if (!stat.isFile()) throw new ForeignEntry("not an object's file")
      return { handle, sizeBytes: stat.size }
    } catch (cause) {
      await handle.close()
      throw cause
    }
  }

  async infoOf(key: string): Promise<ObjectInfo> {
    const stat = await lstat(await this.#path(key))
    if (!stat.isFile()) throw new ForeignEntry("not an object's file")
    return { key, sizeBytes: stat.size, storedAtMs: stat.mtimeMs }
  }

  /** Objects are never written in place, so that a copy can share the bytes of its source. */
  async copy(from: string, to: string): Promise<void> {
    const [source, target] = [await this.#path(from), await this.#path(to)]
    await this.infoOf(from)
    await this.#withTemporary(async (temporary) => {
      try {
        await link(source, temporary)
      } catch (cause) {
        if (!["EMLINK", "EPERM", "ENOTSUP", "EOPNOTSUPP"].includes(codeOf(cause))) throw cause
        await copyFile(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
        const handle = await open(temporary, constants.O_RDONLY)
        try {
          await handle.sync()
        } finally {
          await handle.close()
        }
      }
      await publish(temporary, target)
    })
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<ReadonlyArray<ObjectInfo>> {
    const found: Array<ObjectInfo> = []
    if (limit <= 0) return found
    for await (const { key, path } of objectsUnder(this.#objects, prefix, after)) {
      const stat = await unless(lstat(path), absent, undefined)
      if (stat !== undefined) found.push({ key, sizeBytes: stat.size, storedAtMs: stat.mtimeMs })
      if (found.length >= limit) break
    }
    return found
  }

  async remove(key: string): Promise<void> {
    const path = await this.#path(key)
    if (
      await unless(
        unlink(path).then(() => true),
        absent,
        false
      )
    )
      await this.#prune(dirname(path))
  }

  async removePrefix(prefix: string): Promise<number> {
    let removed = 0
    let folder: string | undefined
    await this.#path(`${prefix}any`)
    for await (const { path } of objectsUnder(this.#objects, prefix, undefined)) {
      if (folder !== undefined && folder !== dirname(path)) await this.#prune(folder)
      folder = dirname(path)
      if (
        await unless(
          unlink(path).then(() => true),
          absent,
          false
        )
      )
        removed++
    }
    if (folder !== undefined) await this.#prune(folder)
    return removed
  }

  /** An object's path, after a look that only folders of this store lead to it. */
  async #path(key: string): Promise<string> {
    const names = objectNames(key)
    let folder = this.#objects
    for (const name of names.slice(0, -1)) {
      folder = join(folder, name)
      // What is asked of so few names, mostly known to the kernel, is answered sooner than a thread is woken.
      const stat = lstatSync(folder, { throwIfNoEntry: false })
      if (stat === undefined) break
      if (!stat.isDirectory()) throw new ForeignEntry("not a folder of the store")
    }
    return join(this.#objects, ...names)
  }

  /** `stays`: `use` leaves the file under this name; else it has given it another. */
  async #withTemporary<A>(use: (path: string) => Promise<A>, stays = true): Promise<A> {
    const path = join(this.#temporary, `${owner}-${this.#count++}-${randomUUID()}`)
    const gone = () => unlink(path).catch(() => undefined)
    try {
      const used = await use(path)
      if (stays) await gone()
      return used
    } catch (cause) {
      await gone()
      throw cause
    }
  }

  /** Removes folders that hold nothing any more, from this one up. */
  async #prune(from: string): Promise<void> {
    for (let folder = from; folder.length > this.#objects.length; folder = dirname(folder))
      if (
        !(await unless(
          rmdir(folder).then(() => true),
          ["ENOTEMPTY", "EEXIST", "ENOENT"],
          false
        ))
      )
        return
  }
}
