import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LayerFolders } from "@pawl/adapters-local/packages/LayerFolders"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const dayMs = 24 * 60 * 60 * 1000

describe("The caches of packages", () => {
  let directory = ""
  let folders: LayerFolders
  const nowMs = Date.now()
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "pawl-layers-"))
    folders = new LayerFolders(directory)
    folders.open()
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const old = (path: string) => utimesSync(path, (nowMs - 2 * dayMs) / 1000, (nowMs - 2 * dayMs) / 1000)

  const addUnpacked = (name: string, bytes: number): string => {
    const folder = join(folders.unpacked, name)
    mkdirSync(join(folder, "package"), { recursive: true })
    writeFileSync(join(folder, "package/package.json"), "{}")
    writeFileSync(join(folder, "size"), String(bytes))
    return folder
  }
  const addLayer = (id: string, of: string): string => {
    const folder = join(directory, "layers", id)
    mkdirSync(join(folder, "node_modules/a"), { recursive: true })
    linkSync(join(of, "package/package.json"), join(folder, "node_modules/a/package.json"))
    writeFileSync(join(folder, "layer.json"), "{}")
    return folder
  }

  it("keep everything while it fits", async () => {
    const unpacked = addUnpacked("a", 100)
    const layer = addLayer("one", unpacked)
    for (const marker of [join(unpacked, "size"), join(layer, "layer.json")]) old(marker)
    await folders.trim(100, nowMs - dayMs)
    expect([existsSync(unpacked), existsSync(layer)]).toEqual([true, true])
  })

  it("let go of layers that nobody used for a day, and of archives that no layer is made of, when it does not", async () => {
    const [used, unused, spare] = [addUnpacked("a", 100), addUnpacked("b", 100), addUnpacked("c", 100)]
    const [fresh, stale] = [addLayer("fresh", used), addLayer("stale", unused)]
    for (const folder of [used, unused]) old(join(folder, "size"))
    old(join(stale, "layer.json"))
    await folders.trim(299, nowMs - dayMs)
    expect([used, unused, spare, fresh, stale].map((folder) => existsSync(folder))).toEqual([
      true,
      false,
      true,
      true,
      false
    ])
    expect(readdirSync(join(directory, "work"))).toEqual([])
  })

  it("are rid of what the dead were making and of what an earlier start of the machine unpacked, not of what is at work", async () => {
    const own = folders.work()
    const dead = own.replace(/-\d+-(\w+)$/, "-1-$1")
    mkdirSync(join(dead, "layer"), { recursive: true })
    mkdirSync(join(directory, "unpacked/an-earlier-start/x"), { recursive: true })
    await folders.sweep(nowMs)
    expect([own, dead, folders.unpacked].map((folder) => existsSync(folder))).toEqual([true, false, true])
    expect(readdirSync(join(directory, "unpacked")).length).toBe(1)
  })
})
