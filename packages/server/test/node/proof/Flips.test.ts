import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { extname, join, relative } from "node:path"
import { rounds, seed } from "@pawl/testing/Depth"
import { describe, expect, it } from "vitest"
import { endFolder, found, foundByPython, packFolder } from "./PackScenes.ts"

/** Of a repository git itself reads these, and neither names a commit: `main` moved is a tampering of its own. */
const unread = /^repo\.git\/(HEAD|refs\/)/

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !unread.test(path))
    .sort()

/** `objects`, `checkpoint`, or an ending of the repository's files. */
const partOf = (path: string): string => (path.startsWith("repo.git/") ? extname(path) : path.replace(/\/.*/, ""))

/** Numbers from 0 to below 2³², the same for the same seed (xorshift). */
const numbersFrom = (first: number) => {
  let state = (first * 2654435761 + 1) >>> 0 || 1
  return (below: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

describe("a byte that is another one", () => {
  it("is never accepted and never an exception, in both programs, wherever it stands in a pack", async () => {
    const folder = await packFolder("good")
    const files = filesIn(folder).map((path) => ({ path, size: statSync(join(folder, path)).size }))
    const parts = [...new Set(files.map(({ path }) => partOf(path)))]
    const accepted: Array<string> = []
    const next = numbersFrom(seed + 1)
    for (let round = 0; round < rounds({ quick: 6, deep: 60, long: 1000 }); round++) {
      // Every other one by part, so that most are not of objects, of which there are many.
      const part = parts[next(parts.length)]
      const among = round % 2 === 0 ? files : files.filter(({ path }) => partOf(path) === part)
      const { path, size } = among[next(among.length)] ?? { path: "", size: 0 }
      const bytes = readFileSync(join(folder, path))
      const at = next(size)
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 + next(255))
      writeFileSync(join(folder, path), flipped)
      const where = `${path} at ${at}: ${bytes[at]} became ${flipped[at]}`
      const [findings, { exitCode, problem }] = await Promise.all([found(folder), foundByPython(folder)])
      if (findings.length === 0) accepted.push(`by the product: ${where}`)
      if (exitCode !== 1 && exitCode !== 2) accepted.push(`by verify.py with ${exitCode}: ${where} ${problem}`)
      if (problem !== "") accepted.push(`an exception of verify.py: ${where} ${problem}`)
      writeFileSync(join(folder, path), bytes)
    }
    endFolder(folder)
    expect(accepted).toEqual([])
  }, 1_800_000)
})
