/** Whom `pawl verify` and `tools/verify.py` believe, what they remember, and what they say where they cannot verify. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Pack } from "@pawl/testing/provenance/Packs"
import { signedNote } from "@pawl/testing/provenance/SceneKeys"
import type { Scene } from "@pawl/testing/provenance/Scenes"
import { afterAll, describe, expect, it } from "vitest"
import { packFolder, sceneOf } from "../../node/proof/PackScenes.ts"
import { pawl } from "../kit/Command.ts"
import { temporaryFolder } from "../kit/ServerProcess.ts"
import { codesIn, python } from "../kit/Verifying.ts"

const folder = temporaryFolder()
afterAll(() => folder.remove())

let count = 0
const fresh = (name: string) => join(folder.path, `${name}-${count++}`)
const verify = (what: string, state: string, ...more: ReadonlyArray<string>) =>
  pawl(["verify", what, ...more], { XDG_STATE_HOME: state })
const firstKey = async (name: "good" | "adopted") => (await sceneOf(name)).first.keyid
const byItself = "the pack itself names whom to believe"
const stranger = `SHA256:${"A".repeat(43)}`

/** The same history under another name of its logs: whoever has the keys can say so. */
const renamed = (pack: Pack, { log, project }: Scene): void => {
  const under = (note: string, chain: string) => {
    const [, size, root = ""] = note.split("\n")
    return signedNote(log, `other.example/log/${chain}`, Number(size), Buffer.from(root, "base64"))
  }
  pack.checkpoint = under(pack.checkpoint, project)
  pack.keysCheckpoint = under(pack.keysCheckpoint ?? "", "instance")
  pack.trust.log.origin = `other.example/log/${project}`
}

describe("Whom somebody believes who verifies a pack", () => {
  it("is the pack itself where nobody else is named, and that is said", async () => {
    const pack = await packFolder("good")
    const key = await firstKey("good")
    const own = await verify(pack, fresh("state"))
    expect([own.code, own.output]).toEqual([0, expect.stringContaining(`${byItself}, ${key}`)])
    const other = await python(pack)
    expect([other.code, other.output]).toEqual([0, expect.stringContaining("the pack itself named whom to believe")])
    const given = await verify(pack, fresh("state"), "--key", key)
    expect([given.code, given.output]).toEqual([0, expect.not.stringContaining(byItself)])
    const byPython = await python(pack, "--key", stranger, "--key", key)
    expect([byPython.code, byPython.output]).toEqual([0, expect.not.stringContaining("the pack itself")])
  })

  it("is the key that was given, not that of the pack", async () => {
    const pack = await packFolder("good")
    for (const ended of [await verify(pack, fresh("state"), "--key", stranger), await python(pack, "--key", stranger)])
      expect([ended.code, codesIn(ended)]).toEqual([1, expect.arrayContaining(["key_not_trusted"])])
    expect((await python(pack, "--key", "SHA256:short")).code).toBe(2)
  })

  it("is nobody where neither the pack nor anybody names a key: exit 2", async () => {
    const pack = await packFolder("good", { change: ({ trust }) => void (trust.keys = []) })
    expect(await verify(pack, fresh("state"))).toMatchObject({
      code: 2,
      output: expect.stringContaining("no key is trusted")
    })
    expect(await python(pack)).toMatchObject({ code: 2, output: expect.stringContaining("no key is trusted") })
    const key = await firstKey("good")
    expect((await verify(pack, fresh("state"), "--key", key)).code).toBe(0)
    expect((await python(pack, "--key", key)).code).toBe(0)
  })

  it("is the key that was pinned for its Project, before that of the pack; a bad one pins nothing", async () => {
    const state = fresh("state")
    const bad = await packFolder("good", { change: ({ live }) => void (live.incarnation = 7) })
    expect((await verify(bad, state, "--trust-on-first-use")).code).toBe(1)
    // Another history of the same Project, under other keys.
    const adopted = await packFolder("adopted")
    expect((await verify(adopted, state, "--trust-on-first-use")).code).toBe(0)
    expect(await verify(adopted, state)).toMatchObject({ code: 0, output: expect.not.stringContaining(byItself) })
    const good = await verify(await packFolder("good"), state)
    expect([good.code, codesIn(good)]).toEqual([1, expect.arrayContaining(["key_not_trusted"])])
  })
})

describe("What somebody remembers who verified before", () => {
  it("is of the Project, whatever its log is called now", async () => {
    const [state, key] = [fresh("state"), await firstKey("good")]
    const other = await packFolder("good", { change: renamed })
    expect((await verify(other, fresh("state"), "--key", key)).code).toBe(0)
    expect((await verify(await packFolder("good"), state, "--key", key)).code).toBe(0)
    const packed = fresh("pack")
    const ended = await verify(other, state, "--key", key, "--pack", packed)
    expect([ended.code, codesIn(ended)]).toEqual([1, ["checkpoint_signature"]])
    const again = [await verify(packed, fresh("state"), "--key", key), await python(packed)]
    expect(again.map((each) => [each.code, codesIn(each)])).toEqual(again.map(() => [1, ["checkpoint_signature"]]))
  })

  it("cannot be passed over where it cannot be read: exit 2", async () => {
    const state = fresh("state")
    mkdirSync(state)
    writeFileSync(join(state, "pawl"), "a file in the place of the folder")
    expect(await verify(await packFolder("good"), state, "--key", await firstKey("good"))).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^pawl: what was seen before cannot be read: ENOTDIR/)
    })
  })

  it("makes no verdict worse where it cannot be written: that is said", async () => {
    const [state, key, pack] = [fresh("state"), await firstKey("good"), await packFolder("good")]
    expect((await verify(pack, state, "--key", key)).code).toBe(0)
    const written = readdirSync(state, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    expect(written.length).toBe(2)
    for (const { name, parentPath } of written) mkdirSync(join(parentPath, `${name}.new`))
    expect(await verify(pack, state, "--key", key)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^ok .*what was seen is not remembered: EISDIR/s)
    })
  })
})

describe("pawl verify says in words what it cannot verify, and exits with 2:", () => {
  const empty = (): string => {
    const path = fresh("folder")
    mkdirSync(path)
    return path
  }
  const damaged = (): string => {
    const path = empty()
    mkdirSync(join(path, "pawl.db"))
    return path
  }
  const clone = (): string => {
    const path = empty()
    execFileSync("git", ["init", "-q", path])
    return path
  }
  const unverifiable: ReadonlyArray<[what: string, made: () => string, words: RegExp, args?: ReadonlyArray<string>]> = [
    ["an empty folder", empty, /it is no data folder, no pack and no clone with statements/],
    ["a folder that is not there", () => fresh("nowhere"), /it is not there/],
    ["a folder whose database cannot be read", damaged, /pawl\.db cannot be read/],
    ["a clone that has not fetched the statements", clone, /this clone has no statements: fetch them with git fetch/],
    ["a file of keys that cannot be read", clone, /--key: EISDIR/, ["--key", folder.path]]
  ]
  it.each(unverifiable)("%s", async (_, made, words, args = ["--key", stranger]) => {
    const { code, output } = await verify(made(), fresh("state"), ...args)
    expect(output).toMatch(words)
    expect(output).not.toContain("should not have happened")
    expect(code).toBe(2)
  })
})
