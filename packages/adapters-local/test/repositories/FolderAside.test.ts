import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { gitObject } from "../../src/repositories/GitObjects.ts"

let place = ""
beforeEach(() => (place = mkdtempSync(join(tmpdir(), "aside-"))))
afterEach(() => {
  vi.doUnmock("node:worker_threads")
  rmSync(place, { recursive: true, force: true })
})

/** As a process begins: no thread is there. */
const fresh = async () => {
  vi.resetModules()
  return (await import("../../src/repositories/FolderAside.ts")).folder
}

const pathOf = (name: string) => ({
  project: "p",
  name,
  projectDir: place,
  canonDir: join(place, "canon.git"),
  gitDir: join(place, "forks", name),
  isFork: true
})

describe("Work in a folder, done aside", () => {
  it("is done when it is answered, and what is refused says why", async () => {
    const folder = await fresh()
    const path = pathOf("one.git")
    await folder.create(path, "lasting")
    const object = gitObject("blob", Buffer.from("one"))
    await Promise.all([
      folder.writeLoose(path.gitDir, [object], "lasting"),
      folder.keep(path.gitDir, object.id, "lasting"),
      folder.create(pathOf("two.git"))
    ])
    expect(readFileSync(join(path.gitDir, "refs/keep", object.id), "latin1")).toBe(`${object.id}\n`)
    await folder.shareObjects(path.gitDir, pathOf("two.git").gitDir, "lasting")
    expect(existsSync(join(pathOf("two.git").gitDir, "objects", object.id.slice(0, 2), object.id.slice(2)))).toBe(true)
    await expect(folder.writePack(join(place, "nowhere"), [object], "lasting")).rejects.toMatchObject({
      code: "ENOENT"
    })
  })

  it("is done all the same where the thread cannot begin, or ends in the middle", async () => {
    const begun: Array<Worker> = []
    vi.doMock("node:worker_threads", () => ({
      Worker: class extends Worker {
        constructor(_: URL) {
          super("setTimeout(() => {}, 1e6)", { eval: true })
          begun.push(this)
        }
      }
    }))
    const folder = await fresh()
    const making = folder.create(pathOf("one.git"))
    await begun[0]?.terminate()
    await making
    await folder.create(pathOf("two.git"))
    expect(begun.length).toBe(1)
    expect([existsSync(pathOf("one.git").gitDir), existsSync(pathOf("two.git").gitDir)]).toEqual([true, true])
  })
})
