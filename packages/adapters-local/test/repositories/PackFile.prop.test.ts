import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import fc from "fast-check"
import { rounds, seed } from "@pawl/testing/Depth"
import { type GitObject, gitObject, packed } from "../../src/repositories/GitObjects.ts"
import { packIndex, writePack } from "../../src/repositories/PackFile.ts"

const repository = (): { readonly gitDir: string; readonly git: (...args: ReadonlyArray<string>) => string } => {
  const gitDir = mkdtempSync(join(tmpdir(), "pack-"))
  onTestFinished(() => rmSync(gitDir, { recursive: true, force: true }))
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["--git-dir", gitDir, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  git("init", "--bare", "-q")
  return { gitDir, git }
}

const packFiles = (gitDir: string): ReadonlyArray<string> => readdirSync(join(gitDir, "objects/pack")).toSorted()

const blobs: fc.Arbitrary<ReadonlyArray<GitObject>> = fc.array(
  fc.uint8Array({ maxLength: 40_000 }).map((body) => gitObject("blob", body)),
  { minLength: 1, maxLength: 40 }
)

describe("A pack that is written here", () => {
  it("is, with its index, what git makes of the same bytes, and git reads each object from it", async () => {
    await fc.assert(
      fc.asyncProperty(blobs, async (objects) => {
        const [own, gits] = [repository(), repository()]
        await writePack(own.gitDir, objects, "lasting")
        const [index = "", pack = ""] = packFiles(own.gitDir)
        const bytes = readFileSync(join(own.gitDir, "objects/pack", pack))
        execFileSync("git", ["--git-dir", gits.gitDir, "index-pack", "--stdin", "--index-version=2"], { input: bytes })
        const of = (gitDir: string, name: string) => readFileSync(join(gitDir, "objects/pack", name))
        expect(packFiles(own.gitDir)).toEqual(packFiles(gits.gitDir).filter((name) => !name.endsWith(".rev")))
        expect(of(own.gitDir, index)).toEqual(of(gits.gitDir, index))
        own.git("verify-pack", join(own.gitDir, "objects/pack", index))
        for (const { body, id } of objects)
          expect(execFileSync("git", ["--git-dir", own.gitDir, "cat-file", "blob", id])).toEqual(Buffer.from(body))
      }),
      { seed, numRuns: rounds({ quick: 4, deep: 40 }) }
    )
  })

  it("holds an object once that is given twice, and writing it again changes nothing", async () => {
    const { git, gitDir } = repository()
    const one = gitObject("blob", Buffer.from("one"))
    await writePack(gitDir, [one, one], "lasting")
    const before = packFiles(gitDir)
    await writePack(gitDir, [one], "passing")
    expect(packFiles(gitDir)).toEqual(before)
    expect(git("count-objects", "-v")).toMatch(/in-pack: 1\npacks: 1\n/)
    git("fsck", "--strict")
  })

  it("has the places of objects in it, also where many ids begin alike", async () => {
    const many = Array.from({ length: 3000 }, (_, n) => gitObject("blob", Buffer.from(`${n}`)))
    const pack = await packed(many)
    const index = packIndex(pack)
    expect(index.readUInt32BE(8 + 255 * 4)).toBe(3000)
    expect(pack.entries.map(({ at }) => at)).toEqual(pack.entries.map(({ at }) => at).toSorted((a, b) => a - b))
  })
})
