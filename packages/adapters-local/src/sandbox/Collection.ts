/**
 * Reads what a job left, from outside of its walls, when nothing inside lives any more: nothing can change while it is
 * looked at. Regular files alone, and no link on the way to one: a link of theirs could lead into our own file system.
 */
import { constants, type Stats } from "node:fs"
import { lstat, open, opendir } from "node:fs/promises"
import type { SandboxJob, SandboxResult } from "@pawl/core/verification/Sandbox"
import { LocalLimits } from "../LocalLimits.ts"
import { isTreePath } from "./TarStream.ts"

type Asked = NonNullable<SandboxJob["collect"]>
type Collected = NonNullable<SandboxResult["collected"]>

/** Why nothing is given back. It does not leave this module. */
class Refused {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** Names as people can read them in a sentence. */
const shown = (path: string): string => JSON.stringify(path.slice(0, LocalLimits.sandboxNameShown))

class Gathering {
  readonly files = new Map<string, { readonly content: Uint8Array; readonly executable: boolean }>()
  readonly root: string
  readonly asked: Asked
  readonly device: number
  bytes = 0
  entries = 0

  constructor(root: string, asked: Asked, device: number) {
    this.root = root
    this.asked = asked
    this.device = device
  }

  /** A link, a fifo, a device, what another file system is mounted on: null. */
  async look(path: string): Promise<Stats | null> {
    try {
      const found = await lstat(`${this.root}/${path}`)
      return found.dev === this.device && (found.isFile() || found.isDirectory()) ? found : null
    } catch (cause) {
      if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return null
      throw new Refused(`${shown(path)} cannot be looked at (${codeOf(cause)})`)
    }
  }

  /** Whether all folders that lead to a path are folders of the job's own disk. */
  async isReached(path: string): Promise<boolean> {
    const names = path.split("/")
    for (let at = 1; at < names.length; at++) {
      const found = await this.look(names.slice(0, at).join("/"))
      if (found === null || !found.isDirectory()) return false
    }
    return true
  }

  count(path: string): void {
    if (++this.entries > LocalLimits.sandboxEntriesPerFile * this.asked.maxFiles)
      throw new Refused(`there are more than ${this.entries - 1} names below what is collected`)
    if (path.includes("\uFFFD")) throw new Refused(`the name of ${shown(path)} is no UTF-8`)
    // oxlint-disable-next-line no-control-regex
    if (!isTreePath(path) || /[\\\u0000-\u001f\u007f]/.test(path))
      throw new Refused(`${shown(path)} is no name for a file that is served or bundled`)
  }

  async walk(first: string): Promise<void> {
    const waiting = [first]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const found = await this.look(path)
      if (found?.isFile() === true) await this.read(path, found)
      if (found?.isDirectory() !== true) continue
      const folder = await this.opened(path, opendir(`${this.root}/${path}`))
      for await (const { name } of folder) {
        const below = `${path}/${name}`
        this.count(below)
        waiting.push(below)
      }
    }
  }

  async opened<A>(path: string, opening: Promise<A>): Promise<A> {
    try {
      return await opening
    } catch (cause) {
      throw new Refused(`${shown(path)} cannot be read (${codeOf(cause)})`)
    }
  }

  async read(path: string, { mode, size }: Stats): Promise<void> {
    if (this.files.has(path)) return
    const { maxBytes, maxFiles } = this.asked
    if (this.files.size >= maxFiles) throw new Refused(`there are more than ${maxFiles} files`)
    if (this.bytes + size > maxBytes)
      throw new Refused(`the files take more than ${maxBytes} bytes; ${shown(path)} alone takes ${size}`)
    // Neither following a link nor waiting for a fifo, whatever stands there.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const file = await this.opened(path, open(`${this.root}/${path}`, flags))
    try {
      const opened = await file.stat()
      if (opened.dev !== this.device || !opened.isFile() || opened.size !== size)
        throw new Refused(`${shown(path)} changed while it was read`)
      const content = new Uint8Array(size)
      let length = 0
      while (length < size) {
        const { bytesRead } = await this.opened(path, file.read(content, length, size - length, length))
        if (bytesRead === 0) throw new Refused(`${shown(path)} changed while it was read`)
        length += bytesRead
      }
      this.bytes += size
      this.files.set(path, { content, executable: (mode & 0o111) !== 0 })
    } finally {
      await file.close()
    }
  }
}

const sorted = (files: Gathering["files"]): SandboxJob["files"] =>
  new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)))

/**
 * Reads what stands at the asked paths below the folder `work` of a job's disk. Of what is over a bound, or cannot be read,
 * nothing is given.
 */
export const collect = async (disk: string, asked: Asked): Promise<Collected> => {
  try {
    const { dev } = await lstat(`${disk}/.`).catch((cause: unknown) => {
      throw new Refused(`the disk of the job is gone (${codeOf(cause)})`)
    })
    // The folder of the files is the command's own: it may have put a link in its place.
    if ((await new Gathering(disk, asked, dev).look("work"))?.isDirectory() !== true)
      throw new Refused("the folder of its files is gone")
    const gathering = new Gathering(`${disk}/work`, asked, dev)
    for (const path of asked.paths) if (await gathering.isReached(path)) await gathering.walk(path)
    return { _tag: "Files", files: sorted(gathering.files) }
  } catch (cause) {
    if (cause instanceof Refused) return { _tag: "TooMuch", reason: cause.reason }
    throw cause
  }
}
