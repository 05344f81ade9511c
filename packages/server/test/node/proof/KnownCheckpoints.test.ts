import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newLogKey, signedNote } from "@pawl/testing/provenance/SceneKeys"
import { pin, pinnedKeys, remember, seenOf } from "@pawl/server/node/proof/KnownCheckpoints"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const log = newLogKey()
const project = "proj_one"
const [key, other] = ["A", "B"].map((letter) => `SHA256:${letter.repeat(43)}`) as [string, string]
const note = (size: number, epoch = "", name = "pawl.example") =>
  signedNote(log, `${name}/log/${project}${epoch}`, size, Buffer.alloc(32, size))

let folder: string
let state: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-memory-"))
  state = join(folder, "state")
})
afterEach(() => rmSync(folder, { recursive: true }))

const kept = (chain: string, first: string, text: string) =>
  Effect.runPromise(remember(state, { chain, key: first }, text))
const seen = (chain: string, ...keys: ReadonlyArray<string>) => Effect.runPromise(seenOf(state, chain, keys))
const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())

describe("What a verifier remembers", () => {
  it("is the checkpoint that covers most, of the newest epoch", async () => {
    expect(await seen(project, key)).toEqual([])
    const after = async (text: string) => {
      await kept(project, key, text)
      return (await seen(project, key))[0]
    }
    expect(await after(note(5))).toBe(note(5))
    expect(await after(note(4))).toBe(note(5))
    expect(await after(note(9))).toBe(note(9))
    expect(await after(note(2, "/2"))).toBe(note(2, "/2"))
    expect(await after(note(12))).toBe(note(2, "/2"))
    expect(await after(note(1, "/10"))).toBe(note(1, "/10"))
  })

  it("is asked for by the Project, whatever its log is called", async () => {
    await kept(project, key, note(5))
    await kept(project, key, note(6, "", "other.example"))
    expect(await seen(project, key)).toEqual([note(6, "", "other.example")])
  })

  it("is of one history of keys: one that begins with another key is remembered apart", async () => {
    await kept(project, key, note(5))
    await kept(project, other, note(9))
    expect(await seen(project, key)).toEqual([note(5)])
    expect(await seen(project, other, key)).toEqual([note(9), note(5)])
  })

  it.each(["..", "../../up", "/", "", ".", "a/b", "x".repeat(10_000), "instance\0"])(
    "lies where it should, whatever a chain is called: %j",
    async (chain) => {
      await kept(chain, key, note(5))
      await Effect.runPromise(pin(state, chain, key))
      expect(await seen(chain, key)).toEqual([note(5)])
      expect(await Effect.runPromise(pinnedKeys(state, chain))).toEqual([key])
      const folders = files().map(({ parentPath }) => parentPath.slice(state.length + 1).split("/")[0])
      expect(new Set(folders)).toEqual(new Set(["checkpoints", "pinned"]))
    }
  )

  it("pins a key for one Project alone", async () => {
    for (const each of [key, other, key]) await Effect.runPromise(pin(state, project, each))
    expect(await Effect.runPromise(pinnedKeys(state, project))).toEqual([key, other])
    expect(await Effect.runPromise(pinnedKeys(state, "proj_other"))).toEqual([])
  })

  it("fails in words where it cannot be read, or not be written", async () => {
    writeFileSync(state, "a file")
    const reasons = await Promise.all(
      [
        seenOf(state, project, [key]),
        pinnedKeys(state, project),
        pin(state, project, key),
        remember(state, { chain: project, key }, note(1))
      ].map((each) => Effect.runPromise(Effect.flip(each)))
    )
    for (const { message } of reasons) expect(message).toMatch(/^ENOTDIR/)
    rmSync(state)
    mkdirSync(join(state, "pinned", `${project}.new`), { recursive: true })
    const { message } = await Effect.runPromise(Effect.flip(pin(state, project, key)))
    expect(message).toMatch(/^EISDIR/)
  })
})
