/**
 * The folders of a package store: layers, unpacked archives, and what is at work. All of it can be made again, so nothing
 * is synced: what an earlier start of the machine left is not believed.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  utimesSync
} from "node:fs"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import type { LayeredPackage } from "@pawl/core/packages/PackageStore"
import { Option, Schema } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { beginningOf } from "../ProcessBeginning.ts"
import { LayerFile } from "./LayerFile.ts"
import { layerManifestName } from "./LayerNames.ts"
import { contentFolder, isTaken, sizeFile } from "./UnpackedFolder.ts"

/** Where the layers of a data folder lie: `<id>/node_modules` below it. */
export const layersFolder = (data: string): string => join(data, "packages", "layers")

const bootOf = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return "unknown"
  }
}

const namespaceOf = (): string => {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0"
  } catch {
    return "0"
  }
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const usedAtMs = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null

const decodeLayer = Schema.decodeUnknownOption(Schema.fromJsonString(LayerFile))

/** What lies in one store's folders. */
export class LayerFolders {
  readonly boot = bootOf()
  readonly unpacked: string
  readonly #layers: string
  readonly #work: string
  readonly #allUnpacked: string
  readonly #namespace = namespaceOf()
  /** Packages of layers that were read lately, the longest unused first. */
  readonly #known = new Map<string, ReadonlyArray<LayeredPackage>>()

  /** `directory` is `<data>/packages`. */
  constructor(directory: string) {
    this.#layers = join(directory, "layers")
    this.#work = join(directory, "work")
    this.#allUnpacked = join(directory, "unpacked")
    this.unpacked = join(this.#allUnpacked, this.boot)
  }

  /** Makes the folders that are not there: anybody may drop a cache at any time. */
  open(): void {
    for (const folder of [this.#layers, this.#work, this.unpacked]) mkdirSync(folder, { recursive: true })
  }

  /** A fresh folder of this process, for one installation. */
  work(): string {
    const owner = [this.#namespace, process.pid, beginningOf(process.pid) ?? "0"].join("-")
    this.open()
    return mkdtempSync(join(this.#work, `${owner}-`))
  }

  /** The packages of a layer that is there and was made since the machine started. It counts as used. */
  async layer(id: string): Promise<ReadonlyArray<LayeredPackage> | null> {
    const file = join(this.#layers, id, layerManifestName)
    try {
      const now = new Date()
      utimesSync(file, now, now)
      const known = this.#known.get(id) ?? (await this.#read(file))
      this.#known.delete(id)
      if (known === null) return null
      this.#known.set(id, known)
      for (const oldest of this.#known.keys())
        if (this.#known.size > LocalLimits.layersKnown) this.#known.delete(oldest)
      return known
    } catch {
      this.#known.delete(id)
      return null
    }
  }

  async #read(file: string): Promise<ReadonlyArray<LayeredPackage> | null> {
    const layer = Option.getOrNull(decodeLayer(await readFile(file, "utf8")))
    return layer?.boot === this.boot ? layer.packages : null
  }

  /** Gives a layer that was made in `work` its name. One that somebody else has made meanwhile stays; an older one goes. */
  async publish(id: string, work: string): Promise<void> {
    const place = join(this.#layers, id)
    const made = join(work, "layer")
    for (let attempt = 0; ; attempt++)
      try {
        return renameSync(made, place)
      } catch (error) {
        if (!isTaken(error) || attempt > 2) throw error
        if ((await this.layer(id)) !== null) return
        renameSync(place, join(work, `old-${attempt}`))
      }
  }

  /** Whether the archive of this digest is unpacked. */
  has(digest: string): boolean {
    return usedAtMs(join(this.unpacked, digest, sizeFile)) !== null
  }

  async remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true })
  }

  #isOfTheDead(name: string, nowMs: number): boolean {
    const [namespace, pid, beginning] = name.split("-")
    if (namespace === this.#namespace) return beginningOf(Number(pid)) !== beginning
    // Of another machine's container nobody knows here whether it lives; no installation takes so long.
    const since = usedAtMs(join(this.#work, name))
    return since !== null && nowMs - since > LocalLimits.packageCacheKeptMs
  }

  /** Removes what the dead were working on, and what was unpacked before the machine started. */
  async sweep(nowMs: number): Promise<void> {
    for (const name of namesIn(this.#work))
      if (this.#isOfTheDead(name, nowMs)) await this.remove(join(this.#work, name))
    for (const name of namesIn(this.#allUnpacked))
      if (name !== this.boot) await this.remove(join(this.#allUnpacked, name))
  }

  #unpackedBytes(): number {
    return namesIn(this.unpacked).reduce((sum, name) => {
      try {
        return sum + Number(readFileSync(join(this.unpacked, name, sizeFile), "utf8"))
      } catch {
        return sum
      }
    }, 0)
  }

  /** Moves a folder away and removes it, unless somebody used it in that moment. */
  async #removeUnused(folder: string, marker: string, beforeMs: number): Promise<void> {
    const since = usedAtMs(join(folder, marker))
    if (since !== null && since > beforeMs) return
    const work = this.work()
    const aside = join(work, "gone")
    try {
      renameSync(folder, aside)
      const now = usedAtMs(join(aside, marker))
      if (now !== null && now > beforeMs) renameSync(aside, folder)
    } catch {
      // Another process was first.
    }
    await this.remove(work)
  }

  /**
   * When what is unpacked takes more than `maxBytes`: removes the layers that nobody has used since `beforeMs`, then the
   * archives that no layer is made of. What is kept in the store of objects stays.
   */
  async trim(maxBytes: number, beforeMs: number): Promise<void> {
    if (this.#unpackedBytes() <= maxBytes) return
    for (const id of namesIn(this.#layers))
      await this.#removeUnused(join(this.#layers, id), layerManifestName, beforeMs)
    for (const name of namesIn(this.unpacked)) {
      const folder = join(this.unpacked, name)
      const links = statSync(join(folder, contentFolder, "package.json"), { throwIfNoEntry: false })?.nlink ?? 1
      if (links === 1) await this.#removeUnused(folder, sizeFile, beforeMs)
    }
  }
}
